"""Every file of $RF_DATASETS through csv2bin, against Python's csv module.

    sweep.py [FILE ..]      by default all that DATASETS.md lists

Counts of rows and columns are those of DATASETS.md; cells are those of
model.py; a file that is to be refused has the message that says why.
"""

import gzip
import os
import pathlib
import re
import subprocess
import sys

import arrow
import model

PLACE = pathlib.Path(os.environ["RF_DATASETS"])


class Table:
    """How a file is read here and there."""

    def __init__(self, *options, delimiter=",", encoding="utf-8-sig",
                 header=True, skip=0, na=(), decimal=".", thousands="",
                 trim=False, drops_ragged=False, only_na=False):
        self.options = list(options)
        self.delimiter, self.encoding = delimiter, encoding
        self.header, self.skip = header, skip
        self.na, self.trim = na, trim
        self.decimal, self.thousands = decimal, thousands
        self.drops_ragged, self.only_na = drops_ragged, only_na
        self.options += ["--only-na"] if only_na else []
        self.options += [] if header else ["--no-header"]
        self.options += ["--skip-lines", str(skip)] if skip else []
        self.options += ["--trim"] if trim else []
        self.options += ["--ragged", "drop"] if drops_ragged else []
        self.options += [w for word in na for w in ("--na", word)]
        if decimal != ".":
            self.options += ["--decimal", decimal]
        if thousands:
            self.options += ["--thousands", thousands]


PLAIN = Table()
BARE = Table(header=False)
LATIN1 = {"encoding": "latin-1"}
TABLES = {
    "iris.csv": BARE, "digits.csv.gz": BARE, "sonar.csv": BARE,
    "wine.csv": Table(header=False, skip=1),
    "breast_cancer_wisconsin.csv": BARE, "german_credit.csv": BARE,
    "abalone.csv": BARE, "forest_fires.csv": BARE, "pima_diabetes.csv": BARE,
    "mnist_test.csv.gz": BARE,
    "adult_train.csv.gz": Table(header=False, trim=True),
    "satellite_trn.csv": Table(delimiter="\t"),
    "airfoil.csv": Table(delimiter="\t", header=False),
    "higgs_7k.csv": Table(delimiter="\t", header=False),
    "boston_housing.data.csv": Table("--delimiter", "spaces", delimiter=None,
                                     header=False),
    "concrete.csv": Table(delimiter=";"),
    "verkaufsdaten.csv": Table(delimiter=";", decimal=","),
    "gdp_per_capita.csv": Table(
        "--encoding", "latin1", delimiter="\t", na=("n/a",), thousands=",",
        drops_ragged=True, **LATIN1),
    "sms_spam.csv": Table("--encoding", "latin1", **LATIN1),
    "sleeping_alone.csv": Table("--encoding", "latin1", na=("n/a",), **LATIN1),
    # "?" is a level.
    "mushroom.csv": Table(only_na=True),
    "police_killings.csv": Table("--encoding", "latin1", na=("-", "Unknown"),
                                 **LATIN1),
    "russell_crcrlf.csv": Table("--encoding", "latin1", **LATIN1),
}
REFUSED = {
    "a9a_colons_lost.libsvm.gz": r"line 1: .*INDEX:VALUE",
}


def listed():
    """Names with rows and columns."""
    text = (PLACE / "DATASETS.md").read_text()
    shapes = {name: (int(rows), int(columns)) for name, rows, columns in
              re.findall(r"^\| (\S+) \| \d+ \| (\d+) x (\d+) \|", text, re.M)}
    there = {path.name for path in PLACE.iterdir()} - {"DATASETS.md"}
    assert shapes and set(shapes) == there, set(shapes) ^ there
    return shapes


def content(name):
    data = (PLACE / name).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def convert(name, options):
    return subprocess.run(["csv2bin", *options, PLACE / name],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def number(table, cell):
    """The cell as model.py knows it."""
    if table.thousands and re.fullmatch(
            r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?", cell):
        cell = cell.replace(",", "")
    if table.decimal == "," and re.fullmatch(r"[+-]?[0-9]*,[0-9]*", cell):
        cell = cell.replace(",", ".")
    return cell


def records(table, data):
    text = data.decode(table.encoding)
    if table.delimiter is None:
        return [line.split() for line in text.splitlines() if line.strip()]
    # CR CR LF is one line end; a blank line more is none of a record.
    rows = model.records(text, table.delimiter)[table.skip:]
    if table.trim:
        rows = [[cell.strip(" \t") for cell in row] for row in rows]
    return rows


def check_table(name, table, shape):
    run = convert(name, table.options)
    assert run.returncode == 0, run.stderr.decode()
    got = arrow.read(run.stdout)
    rows = records(table, content(name))
    names = rows.pop(0) if table.header else None
    width = len(names or rows[0])
    assert (len(rows), got.num_columns) == shape, (len(rows), got.shape)
    if table.drops_ragged:
        n = len(rows)
        rows = [row for row in rows if len(row) == width]
        assert f"{n - len(rows)} ragged row" in run.stderr.decode()
    assert got.num_rows == len(rows), (got.num_rows, len(rows))
    if names is not None:
        assert got.column_names == model.names(names), got.column_names
    words = set(table.na) | (set() if table.only_na else model.MISSING)
    for i in range(width):
        cells = [row[i] for row in rows]
        kind, values = model.column(
            f"column {i + 1}", [number(table, c) for c in cells], words)
        if kind == "text":
            values = [None if v is None else c for v, c in zip(values, cells)]
        wrong = arrow.differs(got.column(i), kind, values)
        assert wrong is None, f"column {i + 1}: {wrong}"


def check_libsvm(name, shape):
    run = convert(name, ["--task", "classification", "--layout", "dense"])
    assert run.returncode == 0, run.stderr.decode()
    got = arrow.read(run.stdout)
    assert (got.num_rows, got.num_columns) == (shape[0], shape[1] + 1)
    cells = [[0.0] * shape[0] for _ in range(shape[1])]
    labels = []
    for row, line in enumerate(content(name).decode().splitlines()):
        label, *pairs = line.split()
        labels.append(int(label))
        for pair in pairs:
            index, value = pair.split(":")
            cells[int(index) - 1][row] = float(value)
    wrong = arrow.differs(got.column(0), "int64", labels)
    for i, values in enumerate(cells, 1):
        wrong = wrong or arrow.differs(got.column(i), "double", values)
    assert wrong is None, wrong


def check(name, shape):
    if name in REFUSED:
        run = convert(name, ["--format", "libsvm"])
        assert run.returncode == 65, run.returncode
        assert re.search(REFUSED[name], run.stderr.decode()), run.stderr
    elif ".libsvm" in name:
        check_libsvm(name, shape)
    else:
        check_table(name, TABLES.get(name, PLAIN), shape)


def main(*names):
    shapes = listed()
    n_wrong = 0
    for name in names or shapes:
        try:
            check(name, shapes[name])
        except (AssertionError, model.Refused) as error:
            n_wrong += 1
            print(f"{name}: {type(error).__name__}: {error}")
    print(f"{len(names or shapes)} files, {n_wrong} wrong")
    sys.exit(n_wrong > 0)


main(*sys.argv[1:])
