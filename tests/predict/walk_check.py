"""Redoes rf-predict by rf-forest(5), Prediction, row by row in Python.

    walk_check.py FOREST DATA TALLIES

FOREST is the forest stream that the model was packed of.  Every row of DATA is
walked through every tree by its values (no ranks, no packed nodes); the sums of
the votes, or the leaves, must be those of TALLIES.  Exit 1 with the first row
that differs.
"""

import json
import math
import struct
import sys
from fractions import Fraction

import pyarrow as pa

SHARE = 1 << 40


def read(path):
    with pa.OSFile(path) as file:
        stream = pa.ipc.open_stream(file)
        meta = {k.decode(): v.decode()
                for k, v in (stream.schema.metadata or {}).items()}
        return stream.read_all().combine_chunks(), meta


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def shares(values):
    """Largest remainder; ties to the lower class."""
    total = math.fsum(values)
    exact = [v / total * SHARE for v in values]
    floors = [math.floor(x) for x in exact]
    order = sorted(range(len(values)), key=lambda i: (floors[i] - exact[i], i))
    for i in order[:SHARE - sum(floors)]:
        floors[i] += 1
    for value, share in zip(values, floors):
        assert abs(Fraction(share, SHARE) - Fraction(value) / Fraction(total)) \
            < Fraction(2, SHARE)
    return floors


class Forest:
    def __init__(self, path):
        table, meta = read(path)
        self.meta = meta
        self.features = json.loads(meta["rf.features"])
        self.levels = [json.loads(meta.get("rf.vocab." + f["name"], "[]"))
                       for f in self.features]
        columns = {name: table[name].to_pylist() for name in
                   table.column_names}
        self.trees = {}
        for at, tree in enumerate(columns["tree"]):
            row = {name: column[at] for name, column in columns.items()}
            self.trees.setdefault(tree, []).append(row)

    def goes_left(self, node, row):
        feature = self.features[node["feature"]]
        x = row[feature["name"]]
        if isinstance(x, float) and math.isnan(x):
            x = None
        levels = self.levels[node["feature"]]
        if feature["type"] == "categorical":
            if x is None or x not in levels:
                return node["missing_left"]
            code = levels.index(x)
            bits = node["cats"]
            return code // 8 < len(bits) and bits[code // 8] >> code % 8 & 1
        if levels and x is not None:
            x = levels.index(x) if x in levels else None
        if x is None:
            return node["missing_left"]
        if feature["precision"] == "int64":
            return math.floor(x) <= node["threshold_int"]
        if feature["precision"] == "float32":
            x = single(x)
        return x <= node["threshold"]

    def leaf(self, tree, row):
        nodes, at = self.trees[tree], 0
        while nodes[at]["feature"] is not None:
            left = self.goes_left(nodes[at], row)
            at = nodes[at]["left"] + (0 if left else 1)
        return at

    def votes(self, tree, at, vote):
        leaf = self.trees[tree][at]["leaf"]
        values = [entry["value"] for entry in leaf]
        if vote == "value":
            exponent = int(self.meta["rf.unit"][4:])
            x = Fraction(values[0]) / Fraction(2) ** exponent
            half = math.floor(abs(x) + Fraction(1, 2))
            return {0: half if x >= 0 else -half}
        if vote == "hard":
            best = max(range(len(values)), key=lambda i: (values[i], -i))
            return {leaf[best]["class"]: 1}
        return {entry["class"]: share
                for entry, share in zip(leaf, shares(values))}


def found_sums(row):
    if "rf.sums" in row:
        return {e["class"]: e["sum"] for e in row["rf.sums"]}
    return {int(name[7:]): value for name, value in row.items()
            if name.startswith("rf.sum.") and value != 0}


def main():
    forest = Forest(sys.argv[1])
    data, _ = read(sys.argv[2])
    tallies, meta = read(sys.argv[3])
    vote = meta.get("rf.vote", "value")
    trees = [t for part in meta["rf.tree.ranges"].split(",")
             for t in range(*map(int, part.split(":")))]
    assert data.num_rows == tallies.num_rows, "rows"
    for number, (row, found) in enumerate(
            zip(data.to_pylist(), tallies.to_pylist())):
        leaves = {t: forest.leaf(t, row) for t in trees}
        if meta["rf.mode"] == "leaf":
            expected = {f"rf.leaf.{t}": leaf for t, leaf in leaves.items()}
            found = {k: v for k, v in found.items() if k in expected}
        else:
            expected = {}
            for t, leaf in leaves.items():
                for k, amount in forest.votes(t, leaf, vote).items():
                    expected[k] = expected.get(k, 0) + amount
            expected = {k: v for k, v in expected.items() if v != 0}
            found = found_sums(found)
        if expected != found:
            sys.exit(f"row {number}: expected {expected}, found {found}")


main()
