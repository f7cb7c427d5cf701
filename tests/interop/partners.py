"""Other readers and writers of Arrow at an end of a pipe with our tools.

    partners.py PARTNER write CASE [lz4|zstd]   a stream to stdout
    partners.py PARTNER check CASE STREAM CSV   what it wrote has the values
                                handed over; CSV is as bin2csv(1) says
    partners.py PARTNER same FILE               it reads in stdin what
                                pyarrow reads in FILE
    partners.py PARTNER table CSV COLUMN..      its own reading of a CSV file

PARTNER is pyarrow, pandas, polars, duckdb, arro3, nanoarrow or chdb.  A CASE
is all, one, none or batches.  `write` hands the columns of COLUMNS to the
partner and has it write them; columns of types that it lacks are left out.
What a partner reads goes on to pyarrow by the C data interface.
"""
import csv
import datetime
import decimal
import io
import json
import os
import sys
import tempfile

import numpy as np
import pyarrow as pa

WORDS = ["a", None, "", "ein längeres Wort als zwölf Byte", 'q"\n, ']
BIG = 2**63 - 1


def decimals(kind):
    return pa.array([None if d is None else decimal.Decimal(d) for d in
                     ("1.25", None, "-0.05", "0", "-99999.99")], kind)


def columns():
    yield "bool", pa.array([True, None, False, True, False])
    for bits in (8, 16, 32, 64):
        low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        yield f"int{bits}", pa.array([low, None, 0, high, 1],
                                     getattr(pa, f"int{bits}")())
        yield f"uint{bits}", pa.array([0, None, 7, 2**bits - 1, 1],
                                      getattr(pa, f"uint{bits}")())
    yield "float16", pa.array([1.5, None, -2, 65504, 0.1], pa.float16())
    yield "float32", pa.array([0.1, None, -1e30, 16777216, 0], pa.float32())
    yield "float64", pa.array([0.1, None, float("-inf"), 5e-324, 1e16])
    yield "nan", pa.array([float("nan"), None, -0.0, 1, 2])
    for name in ("string", "large_string", "string_view"):
        yield name, pa.array(WORDS, getattr(pa, name)())
    raw = [None if w is None else b"\0\xff" + w.encode() for w in WORDS]
    for name in ("binary", "large_binary", "binary_view"):
        yield name, pa.array(raw, getattr(pa, name)())
    yield "fixed", pa.array([b"abc", None, b"\0\1\2", b"xyz", b"   "],
                            pa.binary(3))
    days = [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31),
            datetime.date(1970, 1, 1), datetime.date(1999, 12, 31)]
    yield "date32", pa.array(days, pa.date32())
    yield "date64", pa.array(days, pa.date64())
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Berlin"):
            yield f"timestamp_{unit}_{zone}", pa.array(
                [-1, None, 0, 1, 10**9], pa.timestamp(unit, zone))
        yield f"duration_{unit}", pa.array([-1, None, 0, 1, 10**9],
                                           pa.duration(unit))
    yield "time32_s", pa.array([0, None, 86399, 1, 2], pa.time32("s"))
    yield "time32_ms", pa.array([0, None, 86399999, 1, 2], pa.time32("ms"))
    yield "time64_us", pa.array([0, None, 86399999999, 1, 2], pa.time64("us"))
    yield "time64_ns", pa.array([0, None, 1, 2, 3], pa.time64("ns"))
    for name in ("decimal32", "decimal64", "decimal128", "decimal256"):
        yield name, decimals(getattr(pa, name)(9, 2))
    yield "dictionary", pa.array(WORDS).dictionary_encode()
    yield "dictionary_int8", pa.array(WORDS).dictionary_encode().cast(
        pa.dictionary(pa.int8(), pa.string()))
    yield "dictionary_of_int64", pa.array(
        [5, None, -7, 5, BIG]).dictionary_encode()
    yield "null", pa.nulls(5)
    yield "list", pa.array([[1, None], None, [], [3], [4, 5]])
    yield "struct", pa.array([{"p": 1, "q": "x"}, None, {"p": None, "q": ""},
                              {"p": 4, "q": 'a"b'}, {"p": 5, "q": "é"}])
    yield "bool8", pa.ExtensionArray.from_storage(
        pa.bool8(), pa.array([1, None, 0, 0, 1], pa.int8()))


# Beginnings of names: what a partner has no type for, refuses, or gives
# another value (chdb: dates of 64 bits, null lists).
LACKS = {
    "pyarrow": (),
    "pandas": (),
    "polars": ("decimal256",),
    "duckdb": ("float16", "duration", "decimal256"),
    "arro3": (),
    "nanoarrow": ("string_view", "binary_view", "dictionary"),
    "chdb": ("binary", "large_binary", "date64", "null", "list"),
}


def source(partner, case):
    """The rows of a case as a pyarrow table."""
    table = pa.table({name: array for name, array in columns()
                      if not name.startswith(LACKS[partner])})
    if case == "one":
        # Written and read, so that it begins its buffers: nanoarrow asks so.
        sink = io.BytesIO()
        pyarrow_write(table.slice(3, 1), sink, None)
        return pa.ipc.open_stream(sink.getvalue()).read_all()
    if case == "none":
        return table.slice(0, 0)
    if case == "batches":
        return pa.concat_tables([table] * 200).combine_chunks()
    return table


def pyarrow_write(table, out, compression, size=None):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(out, table.schema, options=options) as writer:
        if size is not None:
            writer.write_table(table.slice(0, 0))
        writer.write_table(table, max_chunksize=size)


class Pyarrow:
    def write(self, table, out, compression):
        pyarrow_write(table, out, compression,
                      301 if table.num_rows > 300 else None)

    def read(self, stream):
        return pa.ipc.open_stream(stream).read_all()

    def table(self, path, names):
        import pyarrow.csv

        options = pyarrow.csv.ConvertOptions(
            include_columns=names, strings_can_be_null=True)
        return pyarrow.csv.read_csv(path, convert_options=options)


class Pandas:
    def write(self, table, out, compression):
        import pandas

        frame = table.to_pandas(types_mapper=pandas.ArrowDtype)
        pyarrow_write(pa.Table.from_pandas(frame), out, compression)

    def read(self, stream):
        import pandas

        frame = pa.ipc.open_stream(stream).read_pandas(
            types_mapper=pandas.ArrowDtype)
        return pa.Table.from_pandas(frame, preserve_index=False)

    def table(self, path, names):
        import pandas

        return pa.Table.from_pandas(pandas.read_csv(path)[names])


class Polars:
    def write(self, table, out, compression):
        import polars

        frame = table
        if not isinstance(table, polars.DataFrame):
            frame = polars.from_arrow(table)
        frame.write_ipc_stream(out, compression=compression or "uncompressed")

    def read(self, stream):
        import polars

        return polars.read_ipc_stream(stream).to_arrow()

    def table(self, path, names):
        import polars

        return polars.read_csv(path).select(names)


class Duckdb:
    def write(self, table, out, compression):
        import duckdb

        reader = duckdb.connect().from_arrow(table).to_arrow_reader(300)
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.ipc.new_stream(out, reader.schema, options=options) as writer:
            for batch in reader:
                writer.write_batch(batch)

    def read(self, stream):
        import duckdb

        return duckdb.connect().from_arrow(
            pa.ipc.open_stream(stream)).to_arrow_table()

    def table(self, path, names):
        import duckdb

        return duckdb.connect().read_csv(path).select(*names).to_arrow_table()


class Arro3:
    def write(self, table, out, compression):
        import arro3.core
        import arro3.io

        arro3.io.write_ipc_stream(arro3.core.Table.from_arrow(table), out,
                                  compression=compression)

    def read(self, stream):
        import arro3.io

        # It seeks, so a pipe is read to its end first.
        return pa.table(arro3.io.read_ipc_stream(io.BytesIO(stream.read())))

    def table(self, path, names):
        import arro3.core
        import arro3.io

        schema = arro3.io.infer_csv_schema(path, has_header=True)
        whole = arro3.core.Table(arro3.io.read_csv(path, schema,
                                                   has_header=True))
        return whole.select(names)


class Nanoarrow:
    def write(self, table, out, compression):
        import nanoarrow.ipc

        with nanoarrow.ipc.StreamWriter.from_writable(out) as writer:
            writer.write_stream(table)

    def read(self, stream):
        import nanoarrow
        import nanoarrow.ipc

        return pa.table(nanoarrow.c_array_stream(
            nanoarrow.ipc.InputStream.from_readable(stream)))

    def table(self, path, names):
        """It reads no CSV, and makes columns of lists."""
        import nanoarrow

        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        whole = Pyarrow().table(path, names)
        kinds = {pa.int64(): nanoarrow.int64, pa.float64(): nanoarrow.float64,
                 pa.string(): nanoarrow.string}
        made = {}
        for field in whole.schema:
            make = {pa.int64(): int, pa.float64(): float}.get(field.type, str)
            values = [make(r[field.name]) if r[field.name] else None
                      for r in rows]
            made[field.name] = nanoarrow.c_array(values, kinds[field.type]())
        return nanoarrow.c_array_stream(nanoarrow.c_array_from_buffers(
            nanoarrow.struct({f.name: kinds[f.type]() for f in whole.schema}),
            length=len(rows), buffers=[None], children=made.values()))


class Chdb:
    """ClickHouse reads and writes files; its own query stands between."""

    def query(self, data, compression):
        import chdb

        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "in.arrows")
            with open(path, "wb") as file:
                file.write(data)
            return chdb.query(
                f"SELECT * FROM file('{path}', 'ArrowStream') "
                "SETTINGS output_format_arrow_compression_method="
                f"'{compression}'", "ArrowStream").bytes()

    def write(self, table, out, compression):
        sink = io.BytesIO()
        pyarrow_write(table, sink, None)
        out.write(self.query(sink.getvalue(),
                             {"lz4": "lz4_frame", None: "none"}.get(
                                 compression, compression)))

    def read(self, stream):
        return pa.ipc.open_stream(
            self.query(stream.read(), "none")).read_all()

    def table(self, path, names):
        import chdb

        columns = ", ".join(f'"{n}"' for n in names)
        return pa.ipc.open_stream(chdb.query(
            f"SELECT {columns} FROM file('{path}', 'CSVWithNames')",
            "ArrowStream").bytes()).read_all()


PARTNERS = {"pyarrow": Pyarrow, "pandas": Pandas, "polars": Polars,
            "duckdb": Duckdb, "arro3": Arro3, "nanoarrow": Nanoarrow,
            "chdb": Chdb}
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def plain(array):
    """A chunk without dictionary and extension type."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            return pa.concat_arrays([plain(c) for c in array.chunks])
    if isinstance(array, pa.ExtensionArray):
        is_bool = array.type == pa.bool8()
        return array.storage.cast(pa.bool_()) if is_bool else array.storage
    if pa.types.is_dictionary(array.type):
        values = plain(array.dictionary)
        if values.type == pa.string_view():
            values = values.cast(pa.string())
        return values.take(array.indices)
    return array


def units(array):
    """Dates and times as whole numbers and their parts in a second; days
    have 0."""
    kind = array.type
    if pa.types.is_date(kind):
        values = array.cast(pa.date32()).cast(pa.int32())
        return values.to_pylist(), 0
    width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
    return array.cast(width).to_pylist(), PER_SECOND[kind.unit]


def show_value(value):
    """One form for what partners have several types for."""
    if isinstance(value, str):
        return value.encode().hex()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, decimal.Decimal):
        return str(value.normalize() + 0)
    if isinstance(value, dict):
        return {k: show_value(v) for k, v in value.items()}
    if isinstance(value, list):
        return [show_value(v) for v in value]
    return None if value is None else str(int(value))


def shown(array):
    array = plain(array)
    if not pa.types.is_temporal(array.type) or pa.types.is_interval(array.type):
        return [show_value(v) for v in array.to_pylist()]
    values, per = units(array)
    scale = 86400 * 10**9 if per == 0 else 10**9 // per
    return [None if v is None else str(v * scale) for v in values]


def check_same(got, want):
    assert got.column_names == want.column_names, got.column_names
    for name in want.column_names:
        one, other = shown(got[name]), shown(want[name])
        assert one == other, (name, one[:9], other[:9])


def part(fraction, per):
    return f".{fraction:0{len(str(per)) - 1}}" if fraction else ""


def clock(value, per):
    seconds, fraction = divmod(value, per)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return text + part(fraction, per)


def time_cell(kind, value, per):
    epoch = datetime.date(1970, 1, 1)
    if per == 0:
        return str(epoch + datetime.timedelta(days=value))
    if pa.types.is_timestamp(kind):
        days, rest = divmod(value, 86400 * per)
        return (f"{epoch + datetime.timedelta(days=days)}T{clock(rest, per)}"
                + ("Z" if kind.tz else ""))
    if pa.types.is_duration(kind):
        seconds, fraction = divmod(abs(value), per)
        sign = "-" if value < 0 else ""
        return f"{sign}PT{seconds}{part(fraction, per)}S"
    return clock(value, per)


def cell(kind, value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if kind == pa.float32():
            value = float(str(np.float32(value)))
        return repr(value).removesuffix(".0")
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def cells(array):
    array = plain(array)
    if not pa.types.is_temporal(array.type):
        return [None if v is None else cell(array.type, v)
                for v in array.to_pylist()]
    values, per = units(array)
    return [None if v is None else time_cell(array.type, v, per)
            for v in values]


def quoted(text):
    if text is None:
        return ""
    if text and text.strip(" \t") == text and not set(text) & set(',"\n\r'):
        return text
    return '"' + text.replace('"', '""') + '"'


def csv_of(table):
    rows = zip(*(cells(table[name]) for name in table.column_names))
    return "".join(",".join(map(quoted, row)) + "\n"
                   for row in [table.column_names, *rows]).encode()


def load(path):
    with open(path, "rb") as file:
        return pa.ipc.open_stream(file).read_all()


def main(name, verb, *words):
    partner = PARTNERS[name]()
    if verb == "write":
        partner.write(source(name, words[0]), sys.stdout.buffer,
                      words[1] if len(words) > 1 else None)
    elif verb == "source":
        pyarrow_write(source(name, words[0]), sys.stdout.buffer, None)
    elif verb == "check":
        came = load(words[1])
        check_same(came, source(name, words[0]))
        with open(words[2], "rb") as file:
            assert file.read() == csv_of(came)
    elif verb == "same":
        check_same(partner.read(sys.stdin.buffer), load(words[0]))
    else:
        PARTNERS[name if name != "chdb" else "pyarrow"]().write(
            partner.table(words[0], list(words[1:])), sys.stdout.buffer, None)


if __name__ == "__main__":
    main(*sys.argv[1:])
