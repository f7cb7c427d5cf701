"""Small streams for the tests of rf-predict and rf-vote.

    streams.py tally JSON          a prediction stream: {"meta": {..},
                                   "columns": {"rf.row": [..], ..}}; metadata
                                   of a whole forest of 4 trees, 2 classes is
                                   the default, a null there takes an entry out
    streams.py data JSON           a data stream: {"columns": {..}}
    streams.py recut FILE ROWS     the same stream in batches of ROWS rows
    streams.py drop FILE           the same without schema metadata
    streams.py select FILE ROWS    without metadata of the end; rows A:B
    streams.py show FILE COLUMN..  the columns, as JSON
    streams.py cuts FILE           rows of each batch
    streams.py meta FILE KEY       an entry of the schema's metadata
"""

import json
import sys

import pyarrow as pa

META = {
    "rf.version": "1", "rf.kind": "prediction", "rf.task": "classification",
    "rf.mode": "tally", "rf.vote": "hard", "rf.tree.ranges": "0:4",
    "rf.trees.total": "4", "rf.forest": "0" * 32, "rf.schema.hash": "1" * 32,
    "rf.label.type": "text", "rf.classes": '["a","b"]', "rf.row0": "0",
}


def write(table, rows=None, end=True):
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
        for batch in table.to_batches(max_chunksize=rows):
            out.write_batch(batch)
        if end:
            empty = pa.RecordBatch.from_pylist([], table.schema)
            out.write_batch(empty, custom_metadata={
                "rf.end.rows": str(table.num_rows)})


def read(path):
    return pa.ipc.open_stream(pa.OSFile(path)).read_all()


def tally(text):
    asked = json.loads(text)
    meta = {**META, **asked.get("meta", {})}
    meta = {k: v for k, v in meta.items() if v is not None}
    types = {"rf.row": pa.int64(), "rf.n": pa.int32()}
    default = pa.int32() if meta.get("rf.vote") == "hard" else pa.int64()
    fields, arrays = [], []
    for name, values in asked["columns"].items():
        is_ours = name.startswith("rf.")
        kind = types.get(name, default) if is_ours else None
        arrays.append(pa.array(values, kind))
        fields.append(pa.field(name, arrays[-1].type))
    write(pa.table(arrays, pa.schema(fields, meta)))


def main():
    what, path, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    if what == "tally":
        tally(path)
    elif what == "data":
        columns = json.loads(path)["columns"]
        columns = {k: pa.array([float(x) if isinstance(x, str) and
                                x in ("inf", "-inf", "-0.0") else x
                                for x in v]) for k, v in columns.items()}
        write(pa.table(columns), end=False)
    elif what == "recut":
        write(read(path), int(rest[0]))
    elif what == "drop":
        write(read(path).replace_schema_metadata(None), end=False)
    elif what == "select":
        first, last = map(int, rest[0].split(":"))
        write(read(path).slice(first, last - first))
    elif what == "show":
        table = read(path)
        print(json.dumps([table[name].to_pylist() for name in rest]))
    elif what == "cuts":
        stream = pa.ipc.open_stream(pa.OSFile(path))
        print(*[batch.num_rows for batch in stream if batch.num_rows > 0])
    elif what == "meta":
        meta = pa.ipc.open_stream(pa.OSFile(path)).schema.metadata or {}
        print(meta.get(rest[0].encode(), b"").decode())


main()
