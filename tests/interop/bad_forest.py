"""Forest streams with one value changed: a line of standard input makes one,
number N into bad.N.

    COLUMN ROW VALUE    VALUE as JSON, NaN and Infinity too; row "leaf" is the
                        first leaf
    drop COLUMN
    filter              loses the end batch
    recut ROWS CODEC    nothing: batches of so many rows, compressed

    bad_forest.py FOREST.arrows <CASES
"""

import json
import sys

import pyarrow as pa


def read(path):
    """The table and the metadata of the end batch."""
    stream = pa.ipc.open_stream(path)
    batches = []
    while True:
        try:
            batches.append(stream.read_next_batch_with_custom_metadata())
        except StopIteration:
            break
    return pa.Table.from_batches([b for b, _ in batches]), batches[-1][1]


def change(table, words):
    if words[0] == "drop":
        return table.drop_columns([words[1]])
    if words[0] in ("filter", "recut"):
        return table
    name, row, value = words[0], words[1], json.loads(words[2])
    if row == "leaf":
        row = table.column("leaf").is_valid().to_pylist().index(True)
    i = table.schema.get_field_index(name)
    values = table.column(name).to_pylist()
    values[int(row)] = value
    field = table.schema.field(i)
    return table.set_column(i, field, pa.array(values, field.type))


def main():
    table, end = read(sys.argv[1])
    for number, line in enumerate(sys.stdin):
        words = line.split()
        changed = change(table, words)
        schema = changed.schema.with_metadata(table.schema.metadata)
        options, rows = None, None
        if words[0] == "recut":
            rows = int(words[1])
            options = pa.ipc.IpcWriteOptions(compression=words[2])
        with pa.ipc.new_stream("bad.%d" % number, schema,
                               options=options) as writer:
            writer.write_table(changed, rows)
            if words[0] != "filter":
                empty = pa.RecordBatch.from_pylist([], schema=schema)
                writer.write_batch(empty, custom_metadata=end)


main()
