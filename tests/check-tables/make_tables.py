"""Random tables as text, a seed each: types, quotes, line ends, missing cells,
widths, and cells across the edges of a reader's buffers."""

import random
import re
import string

DELIMITERS = ",\t;|"
MISSING = ["", "", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", "  "]
WORDS = ["alder", "birch tree", "Kiefer, rot", "tab\there", 'a "quoted" one',
         "naïve", "日本", "line\nbreak", "cr\rhere", "crlf\r\nhere", "x;y|z",
         " padded", "trailing ", "-", "--", "yes", "no", "+", ".", "e5", "inch",
         "#1", "'", "\\", "\\n", "%", "truest", "0x1F", "1_0", "12%", "T",
         'ends in "', '""', "\u00a0", "a" * 40]
REAL = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
EDGES = [15, 16, 17, 31, 32, 33, 63, 64, 65, 4095, 4096, 65535, 65536]


class Rare(random.Random):
    def one_in(self, n):
        return self.randrange(n) == 0


def whole(rng):
    if rng.one_in(20):
        return rng.choice(["0", "-0", "+7", "-1", "9223372036854775807",
                           "-9223372036854775808", "999999999999999",
                           "1000000000000000", "12345678", "123456789"])
    return str(rng.randrange(-10**rng.randrange(1, 18),
                             10**rng.randrange(1, 18)))


def real(rng):
    if rng.one_in(10):
        return rng.choice([
            ".5", "5.", "-.5", "+1.5", "428.E+03", "1e5", "1E-5", "inf", "-inf",
            "Infinity", "1e400", "1e-400", "10E-999999999999999999", "-0.0",
            "4.9e-324", "2.2250738585072011e-308", "9007199254740993",
            "9223372036854775808", "1.7976931348623157e308", "0.1e1",
            "9.900000000000006573e-01", "123456789012345.6", "00.5", "1e+05"])
    form = rng.choice(["%.2f", "%.6f", "%.9g", "%.17g", "%.15g", "%e", "%.0f"])
    return form % rng.gauss(0, 10.0**rng.randrange(-3, 9))


def long_number(rng):
    """More digits than a double tells."""
    digits = "".join(rng.choices(string.digits, k=rng.randrange(16, 40)))
    at = rng.randrange(len(digits))
    return digits[:at] + "." + digits[at:]


def date(rng):
    return (f"{rng.randrange(1, 10000):04}-{rng.randrange(1, 13):02}-"
            f"{rng.randrange(1, 29):02}")


def clock(rng):
    return (f"{rng.randrange(24):02}:{rng.randrange(60):02}:"
            f"{rng.randrange(60):02}")


def time(digits, offset):
    def cell(rng):
        text = (f"{rng.randrange(1700, 2200):04}" + date(rng)[4:]
                + rng.choice("T ") + clock(rng))
        if digits:
            text += "." + "".join(rng.choices(
                string.digits, k=rng.randrange(1, digits + 1)))
        return text + (rng.choice(["Z", "+01:00", "-0530", "+00"])
                       if offset else "")
    return cell


def word(rng):
    return rng.choice(WORDS)


def unique(rng):
    length = rng.choice(EDGES[:9]) if rng.one_in(3) else rng.randrange(1, 30)
    return "w" + "".join(rng.choices(string.ascii_letters + ' ,"', k=length))


def huge(rng):
    return "h" * (rng.choice(EDGES) + rng.randrange(-2, 3))


def column(rng):
    """A function of one cell."""
    few = [rng.choice(WORDS) for _ in range(rng.randrange(1, 6))]
    return rng.choice([
        whole, whole, real, real, long_number, date, word, unique,
        lambda r: r.choice(few), lambda r: r.choice(["true", "False", "TRUE"]),
        lambda r: f"{r.randrange(1000):05}", lambda r: "",
        lambda r: r.choice(["12", "1.5", "7"]),
        lambda r: r.choice([date(r), "1999-12-31 10:11"]),
        time(0, False), time(rng.choice([3, 6, 9]), rng.one_in(2)),
        huge if rng.one_in(4) else word])


def name(rng, i):
    if rng.one_in(8):
        return rng.choice(["", "dup", "dup", "a b", 'q"', "x,y", "line\n2"])
    return f"c{i}"


class Table:
    """names (None: no header), rows of cells as they are to be read, text as
    bytes, options, words for missing cells."""

    def __init__(self, seed):
        rng = Rare(seed)
        width = rng.choice([1, 2, 3, 5, 8]) if seed % 50 else 300
        height = rng.choice([0, 1, 2, 10, 60, 400]) if seed % 50 else 20
        if seed % 97 == 0:
            width, height = 4, 20000
        self.width = width
        self.mode = rng.choice(["plain"] * 8 + [
            "found", "trim", "comma", "pad", "drop", "utf-16", "latin-1",
            "na"])
        if self.mode == "found" and width == 1:
            self.mode = "plain"
        self.piece = rng.choice([1 << 20, 1 << 16, 4096, 997, 61])
        self.threads = rng.choice(["1", "2", "3"])
        self.missing = MISSING + (["none", "-"] if self.mode == "na" else [])
        columns = [column(rng) for _ in range(width)]
        share = rng.choice([0, .02, .3])
        self.delimiter = rng.choice(DELIMITERS)
        if self.mode == "comma" and self.delimiter == ",":
            self.delimiter = ";"
        self.names = None
        if not rng.one_in(4) or height == 0:
            self.names = [name(rng, i) for i in range(width)]
        self.rows = [[self.fit(rng.choice(self.missing)
                               if rng.random() < share else cell(rng))
                      for cell in columns] for _ in range(height)]
        self.set_options()
        self.text = self.encode(self.write(rng))

    def fit(self, cell):
        """A cell that the mode can have."""
        if self.mode == "trim":
            return cell.strip(" \t")
        if self.mode == "latin-1":
            return cell.encode("latin-1", "replace").decode("latin-1")
        return cell

    def set_options(self):
        self.options = [] if self.mode == "found" else ["--delimiter", {
            ",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}[
                self.delimiter]]
        self.options += [] if self.names else ["--no-header"]
        self.options += {
            "trim": ["--trim"], "comma": ["--decimal", ","],
            "pad": ["--ragged", "pad"], "drop": ["--ragged", "drop"],
            "utf-16": ["--encoding", "utf-16"],
            "latin-1": ["--encoding", "latin1"],
            "na": ["--na", "none", "--na", "-"]}.get(self.mode, [])

    def encode(self, text):
        if self.mode == "latin-1":
            return text.removeprefix("\ufeff").encode("latin-1")
        if self.mode == "utf-16":
            return text.removeprefix("\ufeff").encode("utf-16")
        return text.encode()

    def write(self, rng):
        end = rng.choice(["\n", "\n", "\r\n", "\r", "\r\r\n"])
        quoted = rng.choice([0, 0, .1, 1])
        text = ["\ufeff" if rng.one_in(5) else ""]
        if self.names:
            text += self.lines(rng, self.names, quoted, end)
        first = self.names is None
        for row in self.rows:
            if self.mode == "drop" and not first and rng.one_in(9):
                text += self.lines(rng, row + ["more"], quoted, end)
            if self.mode == "pad" and not first and rng.one_in(9):
                n = rng.randrange(1, self.width + 1)
                # In a first cell blanks alone would be no record.
                row[n:] = [""] * (self.width - n)
                row[0] = row[0] if row[0].strip() else "x"
                row = row[:n]
            text += self.lines(rng, row, quoted, end)
            first = False
        if len(text) > 1 and rng.one_in(3):
            text.pop()
        return "".join(text)

    def lines(self, rng, row, quoted, end):
        text = []
        if rng.one_in(40):
            blank = "  " if len(row) > 1 and rng.one_in(3) else ""
            text.append(blank + end)
        cells = [self.cell(rng, cell, quoted, len(row)) for cell in row]
        return text + [self.delimiter.join(cells), end]

    def cell(self, rng, cell, quoted, width):
        if self.mode == "comma":
            cell = cell.replace(".", ",") if REAL.fullmatch(cell) else cell
        must = (self.delimiter in cell or "\n" in cell or "\r" in cell
                or cell.startswith('"') or (width == 1 and not cell.strip()))
        if must or rng.random() < quoted:
            cell = '"' + cell.replace('"', '""') + '"'
        if self.mode == "trim" and self.delimiter != "\t":
            cell = rng.choice(["", " ", "\t "]) + cell + rng.choice(["", "  "])
        return cell
