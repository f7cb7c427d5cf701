"""Writes a large data stream, for tests.

make_wide.py ROWS COLUMNS [KIND]

Columns c0, c1 .. of int8 codes, or of float32 with KIND few (as few distinct
values) or many; only the last decides the label y: p where above 0, else n.
KIND noise: int8, and one label of five is the other.
"""

import sys

import numpy as np
import pyarrow as pa

CELLS = 1 << 27  # of a batch


def block(rng, shape, kind):
    if kind == "many":
        return rng.standard_normal(shape, np.float32)
    codes = rng.integers(-8, 9, shape, np.int8)
    return codes.astype(np.float32) if kind == "few" else codes


def main(n_rows, n_columns, kind="codes"):
    rng = np.random.default_rng(1)
    kind_of_column = pa.float32() if kind in ("few", "many") else pa.int8()
    fields = [pa.field(f"c{i}", kind_of_column) for i in range(n_columns)]
    label = pa.field("y", pa.dictionary(pa.int8(), pa.string()),
                     metadata={"rf.role": "label"})
    schema = pa.schema([*fields, label])
    rows_a_batch = min(n_rows, max(1, CELLS // n_columns))
    with pa.ipc.new_stream(sys.stdout.buffer, schema) as out:
        for first in range(0, n_rows, rows_a_batch):
            n = min(rows_a_batch, n_rows - first)
            cells = block(rng, (n_columns, n), kind)
            y = cells[-1] > 0
            if kind == "noise":
                y ^= rng.random(n) < .2
            labels = pa.DictionaryArray.from_arrays(
                pa.array(y.astype(np.int8)), pa.array(["n", "p"]))
            out.write_batch(pa.record_batch(
                [*map(pa.array, cells), labels], schema=schema))


main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
