"""What csv2bin(1) says a table is, by Python's csv module and float().

Written from the manual page, for cells that are not written with the other
decimal point, in groups of digits or between blanks.
"""

import csv
import datetime
import io
import re

MISSING = {"NA", "N/A", "NaN", "nan", "null", "NULL", "?"}
WHOLE = re.compile(r"[+-]?[0-9]+")
REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
                  r"|[+-]?(inf|infinity)", re.I)
DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
TIME = re.compile(DATE.pattern + r"(?:[T ]([0-9]{2}):([0-9]{2})"
                  r"(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
                  r"(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?")
BOOLEANS = {"true": True, "True": True, "TRUE": True,
            "false": False, "False": False, "FALSE": False}
EPOCH = datetime.date(1970, 1, 1)


class Refused(Exception):
    """The table is an error, which names this."""


def records(text, delimiter):
    """Lists of cells; blank lines are none."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter,
                        strict=True)
    return [row for row in reader if row]


def names(cells):
    """Names of a header: V and the number, or _2, _3 .. where one is taken."""
    wanted = [c if c.strip(" \t") else f"V{i}" for i, c in enumerate(cells, 1)]
    given = []
    for i, name in enumerate(wanted):
        n, free = 1, name
        while free in given or (n > 1 and free in wanted):
            n += 1
            free = f"{name}_{n}"
        given.append(free)
    return given


def is_missing(cell, words=MISSING):
    return cell.strip(" \t") == "" or cell in words


def whole(cell):
    if WHOLE.fullmatch(cell) and -2**63 <= int(cell) < 2**63:
        return int(cell)
    return None


def real(cell):
    return float(cell) if REAL.fullmatch(cell) else None


def moment(cell):
    """(seconds since 1970, digits of the fraction, whether a clock, whether an
    offset), or None."""
    match = TIME.fullmatch(cell)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    try:
        days = (datetime.date(int(year), int(month), int(day)) - EPOCH).days
    except ValueError:
        return None
    hour, minute, second = int(hour or 0), int(minute or 0), int(second or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    seconds = days * 86400 + hour * 3600 + minute * 60 + second
    if offset not in (None, "Z"):
        hours, minutes = int(offset[1:3]), int(offset[3:].strip(":") or 0)
        if hours > 23 or minutes > 59:
            return None
        seconds -= (hours * 3600 + minutes * 60) * (1 - 2 * (offset[0] == "-"))
    return (seconds, fraction or "", match.group(4) is not None,
            offset is not None)


def all_are(parse, cells):
    """The values, or None where a cell has none."""
    values = [parse(cell) for cell in cells]
    return None if any(v is None for v in values) else values


def times(moments):
    digits = max(len(m[1]) for m in moments)
    unit = ("s" if digits == 0 else "ms" if digits <= 3 else
            "us" if digits <= 6 else "ns")
    power = {"s": 0, "ms": 3, "us": 6, "ns": 9}[unit]
    return "timestamp[" + unit + "]", [
        m[0] * 10**power + int(m[1].ljust(power, "0") or 0) for m in moments]


def refuse_mixture(name, cells):
    for parse in (real, moment):
        n = sum(parse(cell) is not None for cell in cells)
        if n < len(cells) and n * 5 >= len(cells) * 4:
            raise Refused(name)


def typed(name, cells):
    """The type by csv2bin(1) and the values of cells that are all present."""
    wholes, reals = all_are(whole, cells), all_are(real, cells)
    if wholes and any(re.fullmatch("0[0-9]+", cell) for cell in cells):
        return "text", cells
    if wholes:
        return "int64", wholes
    if reals is not None:
        return "double", reals
    booleans = all_are(BOOLEANS.get, cells)
    if booleans is not None:
        return "bool", booleans
    moments = all_are(moment, cells)
    if moments is None:
        refuse_mixture(name, cells)
        return "text", cells
    if len({m[3] for m in moments}) > 1:
        raise Refused(name)
    if any(m[2] for m in moments):
        return times(moments)
    return "date32[day]", [m[0] // 86400 for m in moments]


def column(name, cells, words=MISSING):
    """The type, and the values with None for missing."""
    present = [cell for cell in cells if not is_missing(cell, words)]
    kind, values = typed(name, present)
    left = iter(values)
    return kind, [None if is_missing(cell, words) else next(left)
                  for cell in cells]
