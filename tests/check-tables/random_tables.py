"""csv2bin on random tables against Python's csv module and pyarrow.csv.

    random_tables.py A:B    tables of the seeds A to B-1

Each is read from a pipe that gives odd pieces, compared cell by cell with
model.py, and, where their rules are the same, with pyarrow.csv; then bin2csv
writes it, and what csv2bin and pandas read in that is compared again.
"""

import concurrent.futures
import io
import os
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


def check_cells(got, table):
    """Against model.py: None, or what is wrong."""
    rows = model.records(table.text.decode("utf-8-sig"), table.delimiter)
    # A line of blanks is a record to Python, unless it is wholly empty.
    rows = [row for row in rows if len(row) > 1 or table.width == 1
            or row[0].strip() != ""]
    if table.names:
        rows = rows[1:]
    if rows != table.rows:
        return "Python reads another table than was made"
    for i in range(got.num_columns):
        kind, values = model.column(f"column {i + 1}",
                                    [row[i] for row in table.rows])
        wrong = arrow.differs(got.column(i), kind, values)
        if wrong:
            return f"column {i + 1}: {wrong}"
    return None


def same_rules(kind):
    return kind in (pa.int64(), pa.float64(), pa.string())


def check_pyarrow(got, table):
    """Of the columns whose type both tell by the same rule."""
    if b"  " in table.text or table.names is None or not table.rows:
        return None
    options = {
        "parse_options": pyarrow.csv.ParseOptions(
            delimiter=table.delimiter, newlines_in_values=True),
        "read_options": pyarrow.csv.ReadOptions(block_size=64 << 20),
        "convert_options": pyarrow.csv.ConvertOptions(
            null_values=["", *model.MISSING], strings_can_be_null=True,
            quoted_strings_can_be_null=True)}
    if b"\r\r" in table.text:
        return None
    try:
        other = pyarrow.csv.read_csv(io.BytesIO(table.text), **options)
    except pa.ArrowInvalid:
        return None
    for i in range(got.num_columns):
        one, two = got.column(i), other.column(i)
        kind = arrow.kind_of(one.type)
        if not same_rules(two.type) or kind != {
                "int64": "int64", "double": "double", "string": "text"}[
                    str(two.type)]:
            continue
        wrong = arrow.differs(one, kind, two.to_pylist())
        if wrong:
            return f"pyarrow, column {i + 1}: {wrong}"
    return None


def plain(values):
    return [None if v is None or v != v else v for v in values]


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
                            na_values=[""], dtype=str)
    for i in range(got.num_columns):
        one, two = (instants(t.column(i)) for t in (got, again))
        if one != two:
            return f"bin2csv's text, column {i + 1}"
        if arrow.kind_of(got.column(i).type) == "text" and plain(
                frame.iloc[:, i].tolist()) != one:
            return f"pandas in bin2csv's text, column {i + 1}"
    return None


def names_mixture(table):
    """Whether model.py refuses a column."""
    try:
        for i in range(table.width if table.rows else 0):
            model.column("", [row[i] for row in table.rows])
    except model.Refused:
        return True
    return False


def check(seed):
    table = make_tables.Table(seed)
    piece = [1 << 16, 4096, 61, 1 << 20][seed % 4]
    threads = "1" if seed % 2 else "2"
    status, stream, errors = pipe(
        ["csv2bin", "-q", "-t", threads, *table.options], table.text,
        max(piece, len(table.text) // 1000))
    if status == 65 and names_mixture(table):
        return None
    if status != 0:
        return errors.decode().strip()
    if names_mixture(table):
        return "a mixture is not refused"
    got = arrow.read(stream)
    return (check_cells(got, table) or check_pyarrow(got, table)
            or check_round(got, stream))


def main(span):
    first, end = map(int, span.split(":"))
    n_wrong = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for seed, wrong in zip(range(first, end), pool.map(
                check, range(first, end), chunksize=20)):
            if wrong:
                n_wrong += 1
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{end - first} tables, {n_wrong} wrong")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
