"""Compares rf-score --json with scikit-learn on a stream of rf-vote.

check_decided.py DECIDED SCORE   the stream and the line of JSON
"""

import json
import sys

import numpy as np
import pyarrow as pa

from check_score import classes_expected, differs, regression_expected


def by_role(table, role):
    return [(f.name, table.column(f.name).to_pylist()) for f in table.schema
            if (f.metadata or {}).get(b"rf.role") == role]


def main(decided, score):
    with open(decided, "rb") as stream:
        table = pa.ipc.open_stream(stream).read_all()
    with open(score) as line:
        got = json.load(line)
    y = np.array(by_role(table, b"label")[0][1])
    z = np.array(by_role(table, b"prediction")[0][1])
    shares = by_role(table, b"probability")
    if shares:
        names = [name.split(".", 1)[1] for name, _ in shares]
        labels = np.array(names).astype(y.dtype)
        p = np.array([values for _, values in shares]).T
        expected = classes_expected(y, z, p, labels, None)
    else:
        expected = regression_expected(y, z, None)
    for name, wanted in expected.items():
        if differs(got.get(name), wanted):
            sys.exit(f"{name} is {got.get(name)!r}, scikit-learn has "
                     f"{wanted!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
