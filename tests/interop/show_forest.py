"""Prints a value of a forest stream, for tests.

show_forest.py FILE EXPR: EXPR sees t (the table as a list of rows), meta (its
metadata as texts), cols (its column names) and json.
"""

import json
import sys

import pyarrow as pa

table = pa.ipc.open_stream(sys.argv[1]).read_all()
meta = {k.decode(): v.decode() for k, v in table.schema.metadata.items()}
print(eval("(" + sys.argv[2] + ")", {"t": table.to_pylist(), "meta": meta, "json": json,
                         "cols": table.column_names}))
