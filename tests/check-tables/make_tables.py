"""Random tables as text, a seed each: types, quotes, line ends, missing cells,
widths, and cells across the edges of a reader's buffers."""

import random
import string

DELIMITERS = ",\t;|"
MISSING = ["", "", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", "  "]
WORDS = ["alder", "birch tree", "Kiefer, rot", "tab\there", 'a "quoted" one',
         "naïve", "日本", "line\nbreak", "cr\rhere", "crlf\r\nhere", "x;y|z",
         " padded", "trailing ", "-", "--", "yes", "no", "+", ".", "e5", "inch",
         "#1", "'", "\\", "\\n", "%", "truest", "0x1F", "1_0", "12%", "T",
         'ends in "', '""', "\u00a0", "a" * 40]
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
    """names (None: no header), rows of cells, text as bytes, options."""

    def __init__(self, seed):
        rng = Rare(seed)
        width = rng.choice([1, 2, 3, 5, 8]) if seed % 50 else 300
        height = rng.choice([0, 1, 2, 10, 60, 400]) if seed % 50 else 20
        if seed % 97 == 0:
            width, height = 4, 20000
        self.width = width
        columns = [column(rng) for _ in range(width)]
        missing = rng.choice([0, .02, .3])
        self.delimiter = rng.choice(DELIMITERS)
        self.names = None
        if rng.one_in(4) is False or height == 0:
            self.names = [name(rng, i) for i in range(width)]
        self.rows = [[rng.choice(MISSING) if rng.random() < missing else
                      cell(rng) for cell in columns] for _ in range(height)]
        self.options = ["--delimiter", {
            ",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}[
                self.delimiter]]
        self.options += [] if self.names else ["--no-header"]
        self.text = self.write(rng).encode()

    def write(self, rng):
        end = rng.choice(["\n", "\n", "\r\n", "\r", "\r\r\n"])
        quoted = rng.choice([0, 0, .1, 1])
        lines = [self.names] if self.names else []
        text = ["\ufeff" if rng.one_in(5) else ""]
        for row in lines + self.rows:
            if rng.one_in(40):
                blank = "  " if len(row) > 1 and rng.one_in(3) else ""
                text.append(blank + end)
            cells = [self.cell(rng, cell, quoted, len(row)) for cell in row]
            text += [self.delimiter.join(cells), end]
        if len(text) > 1 and rng.one_in(3):
            text.pop()
        return "".join(text)

    def cell(self, rng, cell, quoted, width):
        must = (self.delimiter in cell or "\n" in cell or "\r" in cell
                or cell.startswith('"') or (width == 1 and not cell.strip()))
        if not must and rng.random() >= quoted:
            return cell
        return '"' + cell.replace('"', '""') + '"'
