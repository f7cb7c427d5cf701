"""Writes a decided stream, as rf-vote would, from columns given as JSON.

make_decided.py [--batch N] [--no-roles] [--meta KEY=VALUE] NAME[:TYPE]=JSON ..

truth, prediction, weight and probability.CLASS get their role; texts become
dictionaries, a prediction's with all classes in order and others' in order of
first sight, unless TYPE (utf8, int32, float32 ..) says otherwise.
"""

import json
import sys

import pyarrow as pa

ROLES = {"truth": "label", "weight": "weight", "prediction": "prediction"}
TYPES = {
    "utf8": pa.string(), "large_utf8": pa.large_string(),
    "utf8_view": pa.string_view(), "bool": pa.bool_(), "int8": pa.int8(),
    "int32": pa.int32(), "int64": pa.int64(), "uint64": pa.uint64(),
    "float32": pa.float32(), "float64": pa.float64(), "null": pa.null(),
}


def role_of(name):
    if name.startswith("probability."):
        return "probability"
    return ROLES.get(name)


def dictionary(values, texts):
    index = {text: i for i, text in enumerate(texts)}
    codes = [None if v is None else index[v] for v in values]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int32()), pa.array(texts, pa.string()))


def column(name, kind, values, classes):
    if kind is not None:
        return pa.array(values, TYPES[kind])
    present = [v for v in values if v is not None]
    if not present or not isinstance(present[0], str):
        return pa.array(values)
    if name == "prediction":
        return dictionary(values, sorted(set(present) | set(classes)))
    return dictionary(values, list(dict.fromkeys(present)))


def field(name, array, roles):
    role = role_of(name) if roles else None
    meta = {"rf.role": role} if role else None
    return pa.field(name, array.type, metadata=meta)


def write(out, columns, batch=1024, roles=True, meta=None):
    """columns: {NAME or (NAME, TYPE): values}."""
    names = [k if isinstance(k, tuple) else (k, None) for k in columns]
    classes = [n.split(".", 1)[1] for n, _ in names
               if n.startswith("probability.")]
    arrays = [column(n, kind, list(values), classes)
              for (n, kind), values in zip(names, columns.values())]
    meta = {"rf.version": "1", "rf.kind": "decided", **(meta or {})}
    schema = pa.schema(
        [field(n, a, roles) for (n, _), a in zip(names, arrays)], meta)
    table = pa.Table.from_arrays(arrays, schema=schema)
    n_batches = 0
    with pa.ipc.new_stream(out, schema) as stream:
        for part in table.to_batches(max_chunksize=batch):
            stream.write_batch(part)
            n_batches += 1
        end = pa.RecordBatch.from_arrays(
            [a.slice(0, 0) for a in arrays], schema=schema)
        stream.write_batch(end, custom_metadata={
            "rf.end.rows": str(table.num_rows),
            "rf.end.batches": str(n_batches)})


def main(arguments):
    options = {"meta": {}}
    columns = {}
    while arguments:
        argument = arguments.pop(0)
        if argument == "--batch":
            options["batch"] = int(arguments.pop(0))
        elif argument == "--no-roles":
            options["roles"] = False
        elif argument == "--meta":
            key, value = arguments.pop(0).split("=", 1)
            options["meta"][key] = value
        else:
            name, values = argument.split("=", 1)
            name, _, kind = name.partition(":")
            columns[(name, kind or None)] = json.loads(values)
    write(sys.stdout.buffer, columns, **options)


if __name__ == "__main__":
    main(sys.argv[1:])
