"""csv2bin on random tables against Python's csv module and pyarrow.csv.

    random_tables.py A:B    tables of the seeds A to B-1

Each is read from a pipe that gives odd pieces, compared cell by cell with
model.py, and, where their rules are the same, with pyarrow.csv; then bin2csv
writes it, and what csv2bin and pandas read in that is compared again.
"""

import concurrent.futures
import io
import os
import re
import subprocess
import sys

import pandas
import pyarrow as pa
import pyarrow.csv

import arrow
import make_tables
import model


def pipe(command, data, piece=1 << 16):
    """Runs it with data in pieces; status, stdout, stderr."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        def feed():
            try:
                for at in range(0, len(data), piece):
                    process.stdin.write(data[at:at + piece])
                    process.stdin.flush()
                process.stdin.close()
            except BrokenPipeError:
                pass
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            fed = pool.submit(feed)
            errors = pool.submit(process.stderr.read)
            out = process.stdout.read()
            fed.result()
            return process.wait(), out, errors.result()


def words_of(table):
    return model.MISSING | {w for w in table.missing if w.strip()}


def columns_of(table):
    """Types and values by model.py; Refused, with the column's number."""
    for i in range(table.width if table.rows else 0):
        yield model.column(f"column {i + 1}", [row[i] for row in table.rows],
                           words_of(table))


def is_as_made(table):
    """Whether Python's csv module reads the table that was made."""
    if table.mode not in ("plain", "na"):
        return True
    rows = model.records(table.text.decode("utf-8-sig"), table.delimiter)
    # A line of blanks is a record to Python, unless it is wholly empty.
    rows = [row for row in rows if len(row) > 1 or table.width == 1
            or row[0].strip() != ""]
    return rows[1 if table.names else 0:] == table.rows


def check_cells(got, table):
    """Against model.py: None, or what is wrong."""
    if not is_as_made(table):
        return "Python reads another table than was made"
    for i, (kind, values) in enumerate(columns_of(table)):
        wrong = arrow.differs(got.column(i), kind, values)
        if wrong:
            return f"column {i + 1}: {wrong}"
    return None


def same_rules(kind):
    return kind in (pa.int64(), pa.float64(), pa.string())


def check_pyarrow(got, table):
    """Of the columns whose type both tell by the same rule; a cell or line of
    blanks is text to pyarrow, and CR CR LF two ends.  What is wrong, and how
    many columns were compared."""
    if (table.mode not in ("plain", "found") or table.names is None
            or not table.rows or b"\r\r" in table.text
            or re.search(rb"(^|[^ ])  ([^ ]|$)", table.text)):
        return None, 0
    options = {
        "parse_options": pyarrow.csv.ParseOptions(
            delimiter=table.delimiter, newlines_in_values=True),
        "read_options": pyarrow.csv.ReadOptions(block_size=64 << 20),
        "convert_options": pyarrow.csv.ConvertOptions(
            null_values=["", *model.MISSING], strings_can_be_null=True,
            quoted_strings_can_be_null=True)}
    try:
        other = pyarrow.csv.read_csv(io.BytesIO(table.text), **options)
    except pa.ArrowInvalid:
        # It has no CR alone at an end, and one guess of a type a block.
        return None, 0
    n = 0
    for i in range(got.num_columns):
        one, two = got.column(i), other.column(i)
        kind = arrow.kind_of(one.type)
        if not same_rules(two.type) or kind != {
                "int64": "int64", "double": "double", "string": "text"}[
                    str(two.type)]:
            continue
        n += 1
        wrong = arrow.differs(one, kind, two.to_pylist())
        if wrong:
            return f"pyarrow, column {i + 1}: {wrong}", n
    return None, n


def instants(column):
    """Times in nanoseconds: bin2csv writes no fraction of nothing, so the unit
    may become coarser."""
    values = arrow.values_of(column)
    if not pa.types.is_timestamp(column.type):
        return values
    scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[column.type.unit]
    return [None if v is None else v * scale for v in values]


def check_round(got, stream):
    """bin2csv's text, read by csv2bin and by pandas."""
    status, text, errors = pipe(["bin2csv"], stream)
    if status != 0:
        return errors.decode()
    status, again, errors = pipe(["csv2bin", "-q", "--delimiter", "comma"],
                                 text)
    if status != 0:
        return f"bin2csv's text: {errors.decode()}"
    again = arrow.read(again)
    if again.column_names != got.column_names:
        return f"bin2csv's names: {again.column_names}"
    frame = pandas.read_csv(io.BytesIO(text), keep_default_na=False,
                            na_values=[""], dtype=str, encoding="utf-8")
    for i in range(got.num_columns):
        one, two = (instants(t.column(i)) for t in (got, again))
        kind = arrow.kind_of(got.column(i).type)
        # A column of reals that are all whole is written as such, 3.0 as 3
        # and -0.0 as -0.
        is_same = (one == two if again.column(i).type != got.column(i).type
                   else list(map(arrow.bits, one)) == list(map(
                       arrow.bits, two)))
        if not is_same:
            return f"bin2csv's text, column {i + 1}"
        parse = {"text": str, "int64": int, "double": float}.get(kind)
        cells = [None if c != c else c for c in frame.iloc[:, i].tolist()]
        if parse and [c if c is None else arrow.bits(parse(c))
                      for c in cells] != list(map(arrow.bits, one)):
            return f"pandas in bin2csv's text, column {i + 1}"
    return None


def refused_column(table):
    """The name of a column that model.py refuses, or None."""
    try:
        list(columns_of(table))
    except model.Refused as refused:
        number = int(str(refused).split()[1]) - 1
        return table.names[number] if table.names else f"V{number + 1}"
    return None


def check(seed):
    """What is wrong or None, and how many columns pyarrow has read too."""
    table = make_tables.Table(seed)
    status, stream, errors = pipe(
        ["csv2bin", "-q", "-t", table.threads, *table.options], table.text,
        max(table.piece, len(table.text) // 3000))
    errors = errors.decode().strip()
    refused = refused_column(table)
    if refused is not None:
        # Which of equal names was given another is csv2bin's.
        named = f"column '{refused}'" if refused.isalnum() else "column"
        is_told = status == 65 and "among them" in errors and named in errors
        return (None if is_told else f"not refused by name: {errors}"), 0
    if status == 65 and table.mode == "found" and "delimiter" in errors:
        return None, 0
    if status != 0:
        return errors, 0
    got = arrow.read(stream)
    if table.mode == "found" and got.num_columns != table.width:
        # Another delimiter gives all records the same count as well.
        return None, 0
    wrong, n = check_pyarrow(got, table)
    return check_cells(got, table) or wrong or check_round(got, stream), n


def main(span):
    first, end = map(int, span.split(":"))
    n_wrong = n_compared = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for seed, (wrong, n) in zip(range(first, end), pool.map(
                check, range(first, end), chunksize=20)):
            n_compared += n
            if wrong:
                n_wrong += 1
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{end - first} tables, {n_wrong} wrong; {n_compared} columns read "
          "by pyarrow too")
    sys.exit(n_wrong > 0 or (end - first >= 100
                             and n_compared < (end - first) // 10))


if __name__ == "__main__":
    main(*sys.argv[1:])
