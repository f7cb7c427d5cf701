"""Streams of pyarrow through our reader and writer, and back to pyarrow.

    arrow_stream.py echo ECHO   each case goes through `ECHO echo`; the values
                                that come back are compared
    arrow_stream.py skipped ECHO, refused ECHO
                                what is stepped over, and what is an error
    arrow_stream.py write DIR   the cases as files, for other tests
"""
import datetime
import decimal
import io
import os
import subprocess
import sys

import numpy
import pyarrow as pa

BIG = 2**63 - 1


def column(values, kind):
    return pa.array(values, kind)


def integers():
    yield from (
        (f"{kind}", column([low, None, 0, high, 1], getattr(pa, kind)()))
        for kind, low, high in (
            ("int8", -128, 127),
            ("int16", -(2**15), 2**15 - 1),
            ("int32", -(2**31), 2**31 - 1),
            ("int64", -BIG - 1, BIG),
            ("uint8", 0, 255),
            ("uint16", 0, 2**16 - 1),
            ("uint32", 0, 2**32 - 1),
            ("uint64", 0, 2**64 - 1),
        )
    )


def floats():
    nan, inf = float("nan"), float("inf")
    for kind in ("float16", "float32", "float64"):
        yield kind, column([1.5, None, -inf, 0.0, -2.0], getattr(pa, kind)())
    yield "float64nan", column([nan, 1.0, -0.0, None, inf], pa.float64())


def times():
    day = datetime.date(2024, 2, 29)
    old = datetime.date(1905, 1, 1)
    yield "date32", column([day, None, old, day, old], pa.date32())
    yield "date64", column([day, None, old, day, old], pa.date64())
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Berlin"):
            yield f"timestamp {unit} {zone}", column(
                [-1, None, 0, 1, 10**9], pa.timestamp(unit, zone)
            )
        yield f"duration {unit}", column(
            [-1, None, 0, 1, BIG], pa.duration(unit)
        )
    yield "time32 s", column([0, None, 86399, 1, 2], pa.time32("s"))
    yield "time32 ms", column([0, None, 86399999, 1, 2], pa.time32("ms"))
    yield "time64 us", column([0, None, 1, 2, 3], pa.time64("us"))
    yield "time64 ns", column([0, None, 1, 2, 3], pa.time64("ns"))
    yield "interval", column(
        [
            pa.MonthDayNano([1, 2, 3]),
            None,
            pa.MonthDayNano([0, 0, -1]),
            pa.MonthDayNano([0, 1, 0]),
            None,
        ],
        pa.month_day_nano_interval(),
    )


def decimals():
    values = [decimal.Decimal(x) for x in ("1.25", "-9.99", "0", "12.34")]
    values.insert(1, None)
    for name in ("decimal32", "decimal64", "decimal128", "decimal256"):
        if hasattr(pa, name):
            yield name, column(values, getattr(pa, name)(7, 2))


def texts():
    words = ["a", None, "", "ein längeres Wort als zwölf Byte", "zz\n"]
    raw = [None if w is None else w.encode() + b"\0\xff" for w in words]
    for name in ("string", "large_string", "string_view"):
        yield name, column(words, getattr(pa, name)())
    for name in ("binary", "large_binary", "binary_view"):
        yield name, column(raw, getattr(pa, name)())
    yield "fixed", column([b"abc", None, b"\0\1\2", b"xyz", b"   "], pa.binary(3))


def dictionaries():
    words = ["b", "a", None, "b", "c"]
    plain = pa.array(words)
    for index in ("int8", "int16", "int32", "int64", "uint8", "uint32"):
        yield f"dictionary {index}", plain.dictionary_encode().cast(
            pa.dictionary(getattr(pa, index)(), pa.string())
        )
    yield "dictionary ordered", pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0, 1], pa.int32()), ["low", "high"], ordered=True
    )
    yield "dictionary null entry", pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None, 1], pa.int32()), pa.array(["x", None, "y"])
    )
    yield "dictionary of int64", pa.array([5, None, 5, 7, BIG]).dictionary_encode()
    yield "dictionary of float64", pa.array([0.5, None, 0.5, 7, 1]).dictionary_encode()
    yield "dictionary of large_string", pa.array(
        words, pa.large_string()
    ).dictionary_encode()
    yield "dictionary all null", pa.DictionaryArray.from_arrays(
        pa.array([None] * 5, pa.int32()), pa.array([], pa.string())
    )


def nested():
    pair = pa.struct([("class", pa.int32()), ("value", pa.float64())])
    votes = pa.struct([("class", pa.int32()), ("sum", pa.int64())])
    yield "leaf", column(
        [
            [{"class": 0, "value": 0.5}],
            None,
            [],
            [{"class": 1, "value": 1.0}, {"class": 2, "value": -0.5}],
            [None, {"class": None, "value": 3.0}],
        ],
        pa.list_(pair),
    )
    yield "rf.sums", column(
        [
            [{"class": 0, "sum": 2**40}],
            None,
            [],
            [{"class": 1, "sum": 1}, {"class": 2, "sum": -BIG}],
            [],
        ],
        pa.list_(votes),
    )
    yield "large_list", column(
        [["a", None], None, [], ["b"], ["c", "dd"]], pa.large_list(pa.string())
    )
    yield "list of list", column(
        [[[1, 2], []], None, [], [None, [3]], [[4]]], pa.list_(pa.list_(pa.int8()))
    )
    yield "struct", column(
        [{"p": 1, "q": "x"}, None, {"p": None, "q": None}, {"p": 4, "q": ""}, None],
        pa.struct([("p", pa.int16()), ("q", pa.string())]),
    )
    yield "list of dictionary", pa.ListArray.from_arrays(
        pa.array([0, 1, 1, 3, 3, 4], pa.int32()),
        pa.array(["x", "y", "x", None]).dictionary_encode(),
    )


def others():
    yield "bool", column([True, None, False, True, True], pa.bool_())
    yield "null", pa.nulls(5)
    yield "no nulls", column([1, 2, 3, 4, 5], pa.int32())
    yield "all null", column([None] * 5, pa.float32())


def skipped():
    """Types that are stepped over; a column after them must be right."""
    yield "map", column(
        [[("k", 1)], None, [], [("a", 2), ("b", 3)], []],
        pa.map_(pa.string(), pa.int32()),
    )
    yield "fixed list", column(
        [[1, 2], None, [3, 4], [5, 6], [7, None]], pa.list_(pa.int8(), 2)
    )
    yield "sparse union", pa.UnionArray.from_sparse(
        pa.array([0, 1, 0, 1, 0], pa.int8()),
        [pa.array([1, 2, 3, 4, 5]), pa.array(list("abcde"))],
    )
    yield "dense union", pa.UnionArray.from_dense(
        pa.array([0, 1, 0, 1, 0], pa.int8()),
        pa.array([0, 0, 1, 1, 2], pa.int32()),
        [pa.array([1, 2, 3]), pa.array(["x", "y"])],
    )
    yield "run end", pa.RunEndEncodedArray.from_arrays(
        pa.array([2, 5], pa.int32()), pa.array(["x", "y"])
    )
    yield "list view", column([[1], None, [], [2, 3], [4]], pa.list_view(pa.int8()))
    yield "union of views", pa.UnionArray.from_sparse(
        pa.array([0, 1, 0, 1, 0], pa.int8()),
        [
            pa.array(["long enough for a buffer"] * 5, pa.string_view()),
            pa.array(list("abcde"), pa.string_view()),
        ],
    )
    yield "dictionary of structs", pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0, 1], pa.int8()),
        pa.array([{"p": 1}, {"p": 2}]),
    )


def table():
    parts = [integers, floats, times, decimals, texts, dictionaries, nested, others]
    pairs = [pair for part in parts for pair in part()]
    fields = [
        pa.field(n, a.type, nullable=n != "no nulls", metadata={"k": n, "v": b"\xff\0"})
        for n, a in pairs
    ]
    schema = pa.schema(fields, metadata={"ARROW:x": b"\0\xfe", "note": "größe"})
    return pa.Table.from_arrays([a for _, a in pairs], schema=schema)


def stream(data, chunk=None, maker=pa.ipc.new_stream, **options):
    sink = io.BytesIO()
    with maker(
        sink, data.schema, options=pa.ipc.IpcWriteOptions(**options)
    ) as writer:
        writer.write_table(data, max_chunksize=chunk)
    return sink.getvalue()


def cases():
    data = table()
    empty = data.slice(0, 0)
    yield "plain", stream(data), data
    yield "rows one by one", stream(data, 1), data
    yield "batches of two", stream(data, 2), data
    yield "lz4", stream(data, compression="lz4"), data
    yield "zstd", stream(data, 3, compression="zstd"), data
    yield "legacy framing", stream(data, 2, use_legacy_format=True), data
    yield "V4", stream(
        data, metadata_version=pa.ipc.MetadataVersion.V4
    ), data
    yield "no rows", stream(empty), empty
    yield "file", stream(data, maker=pa.ipc.new_file, unify_dictionaries=True), data
    yield "file lz4", stream(
        data, 2, maker=pa.ipc.new_file, unify_dictionaries=True, compression="lz4"
    ), data
    sliced = pa.concat_tables([data] * 4).combine_chunks().slice(3, 11)
    yield "a slice that starts inside a byte", stream(sliced), sliced
    yield "no columns", stream(pa.table({})), pa.table({})
    long = pa.table(
        {
            "x": pa.array([None if i % 7 == 0 else i for i in range(5000)]),
            "b": pa.array([None if i % 5 == 0 else i % 2 == 0 for i in range(5000)]),
            "t": pa.array([None if i % 3 == 0 else "w" * (i % 40) for i in range(5000)]),
        }
    )
    yield "long", stream(long, 999), long
    yield "long zstd", stream(long, 1777, compression="zstd"), long
    yield from growing()
    yield "empty batch in front", empty_first(data), data


def empty_first(data):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data.slice(0, 0))
        for batch in data.slice(0, 0).to_batches() or [
            pa.RecordBatch.from_arrays(
                [pa.array([], f.type) for f in data.schema], schema=data.schema
            )
        ]:
            writer.write_batch(batch)
        writer.write_table(data)
    return sink.getvalue()


def growing():
    """Dictionaries that are replaced, and that grow by deltas."""
    first = pa.array(["a", "b", "a"]).dictionary_encode()
    other = pa.array(["c", None, "d"]).dictionary_encode()
    kind = first.type
    more = pa.DictionaryArray.from_arrays(
        pa.array([0, 3, 2], pa.int32()), ["a", "b", "e", "f"]
    )
    schema = pa.schema([("d", kind)])
    for name, parts, deltas in (
        ("dictionary replaced", [first, other, first], False),
        ("dictionary grown by a delta", [first, more, other], True),
    ):
        sink = io.BytesIO()
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)
        with pa.ipc.new_stream(sink, schema, options=options) as writer:
            for part in parts:
                writer.write_batch(pa.record_batch([part], schema=schema))
        yield name, sink.getvalue(), pa.Table.from_batches(
            [pa.record_batch([p], schema=schema) for p in parts]
        )


def echo(program, data, pipe):
    """On a pipe, or as a file that stands still."""
    if pipe:
        done = subprocess.run([program, "echo"], input=data, capture_output=True)
    else:
        with open("input.arrow", "wb") as f:
            f.write(data)
        with open("input.arrow", "rb") as f:
            done = subprocess.run([program, "echo"], stdin=f, capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


def plain_type(kind):
    """What we write for a type: views become text."""
    if kind == pa.string_view():
        return pa.large_string()
    if kind == pa.binary_view():
        return pa.large_binary()
    return kind


def listed(column):
    """Python has no 64-bit durations and no nanoseconds: as numbers."""
    if pa.types.is_duration(column.type) or pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return str(column.to_pylist())


def same_values(a, b):
    return listed(a) == listed(b)


def compare(name, sent, got):
    problems = []
    if got.column_names != sent.column_names:
        return [f"{name}: columns {got.column_names}"]
    for field, back in zip(sent.schema, got.schema):
        if back.type != plain_type(field.type) or back.nullable != field.nullable:
            problems.append(f"{name}: {field} came back as {back}")
        if (back.metadata or {}) != (field.metadata or {}):
            problems.append(f"{name}: {field.name}: metadata {back.metadata}")
        if not same_values(sent[field.name], got[field.name]):
            problems.append(
                f"{name}: {field.name}: {listed(sent[field.name])[:200]}"
                f" came back as {listed(got[field.name])[:200]}"
            )
    kept = {k: v for k, v in (got.schema.metadata or {}).items()}
    if kept.pop(b"rf.version", None) != b"1" or b"rf.producer" not in kept:
        problems.append(f"{name}: no rf.version, rf.producer")
    kept.pop(b"rf.producer", None)
    if kept != (sent.schema.metadata or {}):
        problems.append(f"{name}: metadata {kept}")
    return problems


def read_back(data):
    """All of it, with the checks of libarrow; and the end batch."""
    reader = pa.ipc.open_stream(data)
    batches, last = [], None
    while True:
        try:
            batch, meta = reader.read_next_batch_with_custom_metadata()
        except StopIteration:
            break
        batch.validate(full=True)
        batches.append(batch)
        last = meta
    return pa.Table.from_batches(batches, schema=reader.schema), dict(last or {})


def check_echo(program):
    problems = []
    for name, data, sent in cases():
        for pipe in (True, False):
            status, out, message = echo(program, data, pipe)
            if status != 0 or message:
                problems.append(f"{name}: status {status}: {message}")
                continue
            got, end = read_back(out)
            problems += compare(name, sent, got)
            if end.get(b"rf.end.rows") != str(sent.num_rows).encode():
                problems.append(f"{name}: end batch {end}")
            again = echo(program, out, pipe)
            if again[0] != 0 or again[1] != out:
                problems.append(f"{name}: a second pass differs: {again[2]}")
    return problems


def check_skipped(program):
    """Not written, so the echo names the type; reading goes by it."""
    problems = []
    for name, array in skipped():
        data = pa.table({"skipped": array, "after": pa.array([1, 2, 3, 4, 5])})
        status, out, message = echo(program, stream(data, 3), True)
        if status != 65 or "column 'skipped': type" not in message:
            problems.append(f"{name}: {status} {message}")
        done = subprocess.run(
            [program, "sum"], input=stream(data, 3), capture_output=True
        )
        if done.stdout != b"after 15\n":
            problems.append(f"{name}: {done.stdout} {done.stderr}")
    return problems


def messages(data):
    """The parts of a stream: (kind, bytes)."""
    at, parts = 0, []
    while at < len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        if size == 0:
            parts.append(("end", data[at : at + 8]))
            at += 8
            continue
        message = pa.ipc.read_message(pa.BufferReader(data[at:]))
        end = at + 8 + size + (message.body.size if message.body else 0)
        parts.append((message.type, data[at:end]))
        at = end
    return parts


def refusals():
    """Input, whether on a pipe, and what the message says."""
    delta = [d for n, d, _ in growing() if "delta" in n][0]
    parts = messages(delta)
    yield "delta first", b"".join(
        part for i, (_, part) in enumerate(parts) if i not in (1, 2)
    ), True, "grows before it was sent"
    data = pa.table({"x": [1, 2, 3]})
    sink = pa.BufferOutputStream()
    pa.ipc.write_tensor(pa.Tensor.from_numpy(numpy.eye(2)), sink)
    tensor = sink.getvalue().to_pybytes()
    whole = stream(data)
    yield "tensor", tensor, True, "kind 4"
    yield "tensor inside", whole[:-8] + tensor, True, "kind 4"
    yield "twice", whole + whole, True, "data after the end"
    yield "text behind", whole + b"x", True, "data after the end"
    yield "body beyond the end", whole[:-100], True, "truncated"
    yield "empty", b"", True, "empty input"
    bad = stream(pa.table({"abc": [1]})).replace(b"abc", b"a\xffc")
    yield "name not UTF-8", bad, True, "column name 'a\\xffc' is not UTF-8"
    bad = stream(pa.table({"abc": [1]})).replace(b"abc", b"a\0c")
    yield "name with NUL", bad, True, "column name 'a\\x00c' is not UTF-8"
    held = stream(data, maker=pa.ipc.new_file)
    yield "file cut", held[:-1], False, "truncated Arrow file"
    yield "file of no footer", held[:-9], False, "truncated Arrow file"
    yield "file, a batch moved", held.replace(
        b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe"
    ), False, "message"
    yield "file without schema", b"ARROW1\0\0" + held[-300:], True, (
        "give it as a file, not on a pipe"
    )


def check_refusals(program):
    problems = []
    for name, data, pipe, says in refusals():
        status, out, message = echo(program, data, pipe)
        if status != 65 or says not in message or out.endswith(b"\xff" * 4 + b"\0" * 4):
            problems.append(f"{name}: {status} {message}")
    return problems


def write(directory):
    for name, data, _ in cases():
        if len(data) > 60000:
            continue
        with open(os.path.join(directory, name.replace(" ", "-")), "wb") as f:
            f.write(data)
    for name, array in skipped():
        data = stream(pa.table({"skipped": array, "after": pa.array([1] * 5)}))
        with open(os.path.join(directory, name.replace(" ", "-")), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
        sys.exit(0)
    check = {
        "echo": check_echo,
        "skipped": check_skipped,
        "refused": check_refusals,
    }[sys.argv[1]]
    found = check(sys.argv[2])
    print("\n".join(found), file=sys.stderr)
    sys.exit(1 if found else 0)
