"""Writes the seeds of tests/fuzz/corpus: small inputs of every kind.

    make_corpus.py          beside itself, by pyarrow and by hand
"""

import pathlib
import sys

import pyarrow as pa

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "interop"))
import partners  # noqa: E402

# Three bytes of options, as csv.c has them, and the text.
CSV = {
    "plain": (0, 0, 0, "a,b,c\n1,2.5,x\n-3,1e5,\"q,\"\"r\"\n,,NA\n"),
    "bare": (4, 0, 0, "1;2\n3;4\n"),
    "crlf": (0, 0, 0, "\ufeffa\tb\r\n1\t\"x\r\ny\"\r\n\r\r\n2\t z \r\n"),
    "comma": (16, 0, 0, "a;b\n1,5;2\n-0,25;3\n"),
    "label": (3, 0, 0, "y,x\n1,2\n0,3\n"),
    "pad": (32, 0, 0, "a,b,c\n1\n1,2,3,\n"),
    "drop": (64, 64, 0, "a,b\n1,2\nx\n1,y,3\n"),
    "describe": (128, 0, 0, "d,t,b\n2024-02-29,2024-02-29T10:20:30Z,true\n"
                 "1999-12-31,1999-12-31 23:59:59.5+01:00,False\n"),
    "trim": (8, 0, 0, " a , \"b\" \n 1 , \" x \" \n"),
    "latin1": (0, 5, 0, b"name,x\nna\xefve,1\n\xff,2\n"),
    "utf16": (0, 2, 0, "a,b\n1,na\u00efve\n2,\U0001f600\n".encode("utf-16")),
    "utf16be": (0, 4, 0, "a,b\n1,2\n".encode("utf-16-be")),
    "cp1252": (0, 6, 0, "a,b\n1,\u20ac\n".encode("cp1252")),
    "runs": (4, 56, 0, "  1  2   3 \n 4 5  \"6 7\"\n"),
    "pipe": (0, 40, 0, "a|b\n1|x,y\n"),
    "groups": (0, 0, 2, "a;b\n1,234;5\n12,345,678.5;6\n"),
    "skip": (0, 0, 8, "a note\na,b\n1,2\n"),
    "date": (0, 64, 64, "d,x\n2024-02-29,1\nword,2\n"),
    "files": (0, 0, 128, "a,b\n1,2\na,b\n3,4\n"),
    "codes": (0, 128, 0, "zip,x\n00712,-\n10001,?\n"),
}
LIBSVM = {
    "one": b"\1+1 1:0.5 4:2 # a\r\n-1 qid:3\n",
    "qid": b"\2+1 qid:1 1:.5 3:nan\n2 qid:2 2:-inf\n",
    "zero": b"\0041.5 0:1e-3 99:7\n\n2\n",
}


def put(entry, name, data):
    place = HERE / "corpus" / entry
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)


def arrow(table, maker, batches=1, **options):
    sink = pa.BufferOutputStream()
    with maker(sink, table.schema,
               options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for _ in range(batches):
            writer.write_table(table)
    return sink.getvalue().to_pybytes()


def groups_of_columns(table):
    """Few columns a table, so that a mutation hits what matters."""
    for i in range(0, table.num_columns, 4):
        yield i, table.select(range(i, min(i + 4, table.num_columns)))


def deltas():
    first = pa.array(["a", "b", "a"]).dictionary_encode()
    more = pa.array(["a", "b", "c"]).dictionary_encode()
    table = pa.Table.from_batches([pa.record_batch({"d": first}),
                                   pa.record_batch({"d": more})])
    return (arrow(table, pa.ipc.new_stream, emit_dictionary_deltas=True),
            arrow(table, pa.ipc.new_stream))


def main():
    table = partners.source("pyarrow", "all")
    for i, part in groups_of_columns(table):
        put("arrow_read", f"types{i:02}", arrow(part, pa.ipc.new_stream, 2))
        put("arrow_file", f"types{i:02}", arrow(part, pa.ipc.new_file, 2))
    part = table.select(["int64", "string", "dictionary", "string_view"])
    for codec in "lz4", "zstd":
        for entry, maker in (("arrow_read", pa.ipc.new_stream),
                             ("arrow_file", pa.ipc.new_file)):
            put(entry, codec, arrow(part, maker, compression=codec))
    for name, data in zip(("delta", "replaced"), deltas()):
        put("arrow_read", name, data)
    put("arrow_read", "legacy", arrow(part, pa.ipc.new_stream,
                                      use_legacy_format=True))
    for name, (*options, text) in CSV.items():
        text = text.encode() if isinstance(text, str) else text
        put("csv", name, bytes(options) + text)
    for name, data in LIBSVM.items():
        put("libsvm", name, data)


main()
