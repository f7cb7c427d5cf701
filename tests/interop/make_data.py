"""Writes an Arrow stream of columns given as Python, for tests.

make_data.py [--batch N] [--meta KEY=VALUE] [--na] NAME[:TYPE][@KEY=VALUE]=EXPR ..

EXPR is a list, or an expression of np, rng (seeded) and the columns before.
TYPE is a pyarrow type (int32, float32, timestamp[us] ..), or "dictionary";
"dictionary(a,b)" has these entries, seen or not.  KEY=VALUE is metadata of
the column.
"""

import re
import sys

import numpy as np
import pyarrow as pa


def array_of(values, kind):
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if kind is None:
        return pa.array(values)
    if kind == "dictionary":
        return pa.array(values).dictionary_encode()
    if kind.startswith("dictionary("):
        texts = kind[len("dictionary("):-1].split(",")
        codes = [None if v is None else texts.index(v) for v in values]
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()),
                                              pa.array(texts))
    match = re.fullmatch(r"timestamp\[(\w+)\]", kind)
    if match:
        return pa.array(values, pa.timestamp(match[1]))
    return pa.array(values, getattr(pa, kind)())


def main(words):
    meta, batch, fields, arrays = {}, None, [], []
    known = {"np": np, "rng": np.random.default_rng(1)}
    while words and words[0].startswith("--"):
        option, value = words[0], words[1]
        words = words[2:]
        if option == "--batch":
            batch = int(value)
        else:
            meta.update([value.split("=", 1)])
    for word in words:
        head = re.match(r"([^:@=]+)(?::([^@=]+))?(?:@([^=]+)=([^=]+))?=", word)
        name, kind, key, value = head.groups()
        values = eval(word[head.end():], known)
        known[name] = values
        arrays.append(array_of(values, kind))
        fields.append(pa.field(name, arrays[-1].type,
                               metadata={key: value} if key else None))
    schema = pa.schema(fields, metadata=meta or None)
    table = pa.Table.from_arrays(arrays, schema=schema)
    with pa.ipc.new_stream(sys.stdout.buffer, schema) as out:
        out.write_table(table, max_chunksize=batch)


main(sys.argv[1:])
