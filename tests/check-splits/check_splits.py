"""Checks every node of random forests against the rules of rf-forest(5).

check_splits.py A:B [ROWS] [OPTION ..]   data sets A to B-1, at most ROWS rows
                                         each; options go to rf-fit

What rf-fit grew is redone from the data: codes, bags, draws.  Each split must
be the one that the rule's own arithmetic picks, and its exact score within a
tolerance of the best there is.  Exit 1 with the first fault of each forest.
"""

import json
import math
import subprocess
import sys

import numpy as np
import pyarrow as pa

import arith
import codes
import exact
import sets
from search import PRESENT, SET, Level, Search

# Of the best exact score.  With weights, sums lose what is below 2^-32.
TOLERANCE = {"gini": 1e-14, "squared_error": 1e-14, "entropy": 1e-12}
WEIGHT_TOLERANCE = 1e-8


class Fault(Exception):
    pass


class Problem:
    """Codes, weights and labels of a data set under its options."""

    def __init__(self, data, seed):
        self.rules, self.seed = data.rules, seed
        self.is_regression = data.is_regression
        self.max_features = data.max_features
        keep = np.ones(data.n, bool)
        if data.weight is not None:
            keep = data.weight > 0
        self.keep = np.nonzero(keep)[0]
        if not self.is_regression:
            self.set_classes(data)
        self.set_weights(data)
        self.n = len(self.keep)
        self.n_draws = self.rules["max_samples"] or self.n
        if self.is_regression:
            self.n_classes = 0
            self.targets, self.midrange, self.target_shift = (
                codes.whole_targets(data.y[self.keep], self.n_draws,
                                    self.weights.max()))
        self.set_features(data)

    def set_features(self, data):
        rules, keep = self.rules, self.keep
        self.features = []
        for column in data.columns:
            if column.kind in ("categorical", "ordinal"):
                texts = [column.texts[i] for i in keep]
            if column.kind == "categorical":
                feature = codes.categorical(
                    column.name, texts, rules["min_category_rows"],
                    rules["max_categories"])
            elif column.kind == "ordinal":
                feature = codes.ordinal(
                    column.name, texts, column.texts, rules["bins"])
            else:
                feature = codes.numeric(
                    column.name, column.values[keep], column.missing[keep],
                    rules["bins"], column.kind == "int64")
            if feature is not None:
                self.features.append(feature)
        f = len(self.features)
        self.codes = np.array(
            [x.codes for x in self.features], np.int64).reshape(f, self.n)
        self.n_values = np.array([x.n_values for x in self.features], int)
        self.is_categorical = np.array(
            [x.is_categorical for x in self.features], bool)
        self.n_codes = int(self.codes.max()) + 1 if self.codes.size else 1
        self.active = np.array(
            [i for i, c in enumerate(self.codes)
             if self.rules["count_constant"] or (c != c[0]).any()], int)

    def set_weights(self, data):
        """Drops the rows whose weight rounds to 0 by the scale of all."""
        n = len(self.keep)
        weight = np.ones(n)
        if data.weight is not None:
            weight = data.weight[self.keep]
        if self.rules["class_weight"] == "balanced":
            n_of = np.bincount(self.classes, minlength=self.n_classes)
            weight = weight * (n / (self.n_classes * n_of[self.classes]))
        self.is_weighted = bool((weight != 1).any())
        weights, self.weight_shift = codes.whole_weights(
            weight, self.rules["max_samples"] or n,
            36 if self.is_regression else 62)
        left = weights > 0
        self.weights, self.keep = weights[left], self.keep[left]
        if not self.is_regression:
            self.classes = self.classes[left]

    def set_classes(self, data):
        def by_value(text):
            try:
                return (0, int(text), "")
            except ValueError:
                return (1, 0, text)
        self.class_names = sorted(set(data.y), key=by_value)
        index = {name: i for i, name in enumerate(self.class_names)}
        self.n_classes = len(index)
        self.classes = np.array([index[data.y[i]] for i in self.keep])


class Forest:
    """The forest stream that rf-fit wrote."""

    def __init__(self, payload):
        with pa.ipc.open_stream(payload) as reader:
            self.table = reader.read_all()
        meta = self.table.schema.metadata
        self.meta = {k.decode(): v.decode() for k, v in meta.items()}
        self.features = json.loads(self.meta["rf.features"])

        def get(name, empty):
            column = self.table.column(name).combine_chunks()
            return column.fill_null(empty).to_numpy(zero_copy_only=False)
        names = self.table.column_names
        self.tree, self.node = get("tree", 0), get("node", 0)
        self.feature, self.left = get("feature", -1), get("left", -1)
        self.threshold = get("threshold", math.nan)
        self.has_threshold = ~self.is_null("threshold")
        self.threshold_int = self.has_int = None
        if "threshold_int" in names:
            self.threshold_int = get("threshold_int", 0)
            self.has_int = ~self.is_null("threshold_int")
        self.missing_left = get("missing_left", False)
        self.gain, self.cover = get("gain", 0.0), get("cover", 0.0)
        self.cats = [None] * len(self.tree)
        if "cats" in names:
            self.cats = self.table.column("cats").to_pylist()
        self.leaf = self.table.column("leaf").to_pylist()

    def is_null(self, name):
        return self.table.column(name).is_null().to_numpy()


class Checker:
    def __init__(self, problem, forest):
        self.problem, self.forest = problem, forest
        self.check_header()
        self.first = np.searchsorted(
            forest.tree, np.arange(int(forest.meta["rf.trees"]) + 1))
        self.check_numbering()

    def check_header(self):
        problem, meta = self.problem, self.forest.meta
        wanted = {"rf.criterion": problem.rules["criterion"],
                  "rf.rows": str(problem.n),
                  "rf.weight.shift": str(problem.weight_shift)}
        for key, value in wanted.items():
            if meta.get(key) != value:
                raise Fault(f"{key} is {meta.get(key)!r}, not {value!r}")
        names = [f["name"] for f in self.forest.features]
        if names != [f.name for f in problem.features]:
            raise Fault(f"features are {names}")
        for f in problem.features:
            key = f"rf.vocab.{f.name}"
            if f.levels is not None and json.loads(meta[key]) != f.levels:
                raise Fault(f"{key} is {meta[key]}")
        if not problem.is_regression:
            if json.loads(meta["rf.classes"]) != problem.class_names:
                raise Fault(f"rf.classes is {meta['rf.classes']}")
        n, wanted = self.n_looked_at(), int(meta["rf.max_features"])
        if n != wanted:
            raise Fault(f"rf.max_features is {wanted}, not {n}")
        problem.rules["max_features"] = n

    def n_looked_at(self):
        """--max-features as a number; scikit-learn's defaults."""
        n, given = len(self.problem.features), self.problem.max_features
        if given is None:
            given = "all" if self.problem.is_regression else "sqrt"
        if given.isdigit():
            return max(1, min(n, int(given)))
        kinds = {"all": n, "sqrt": math.isqrt(n),
                 "log2": max(1, n).bit_length() - 1, "0.5": n // 2}
        return max(1, kinds[given])

    def check_numbering(self):
        """left = 2k + 1, k counting inner nodes in pre-order."""
        forest = self.forest
        for tree, first in enumerate(self.first[:-1]):
            end = self.first[tree + 1]
            if (forest.node[first:end] != np.arange(end - first)).any():
                raise Fault(f"tree {tree}: nodes are not 0, 1, ..")
            left = forest.left[first:end].tolist()
            stack, k = [0], 0
            while stack:
                v = stack.pop()
                if left[v] < 0:
                    continue
                if left[v] != 2 * k + 1:
                    raise Fault(f"tree {tree} node {v}: left is {left[v]}, "
                                f"not {2 * k + 1}")
                k += 1
                stack += [left[v] + 1, left[v]]
            if end - first != 2 * k + 1:
                raise Fault(f"tree {tree}: {end - first} nodes, "
                            f"{k} of them inner")

    def run(self):
        """All trees at once, level by level."""
        problem, seed = self.problem, self.problem.seed
        row, count, at, keys = [], [], [], []
        for tree in range(len(self.first) - 1):
            n_of = np.ones(problem.n, np.int64)
            if problem.rules["bootstrap"]:
                n_of = arith.bag(seed, tree, problem.n, problem.n_draws)
            rows = np.nonzero(n_of)[0]
            row.append(rows)
            count.append(n_of[rows])
            at.append(np.full(len(rows), self.first[tree]))
            keys.append(arith.tree_key(seed, tree, 1))
        nodes, self.depth = self.first[:-1], 0
        row, count, at = map(np.concatenate, (row, count, at))
        keys = np.array(keys, np.uint64)
        root = np.zeros(len(nodes), np.int64)
        np.add.at(root, np.searchsorted(nodes, at),
                  count * problem.weights[row])
        self.root_weight = root
        while len(nodes):
            nodes, keys, row, count, at = self.check_level(
                nodes, keys, row, count, at)
            self.depth += 1

    def check_level(self, nodes, keys, row, count, at):
        """nodes: rows of the stream, ascending; at: each pair's node."""
        rules, forest = self.problem.rules, self.forest
        order = np.argsort(at, kind="stable")
        row, count, at = row[order], count[order], at[order]
        v = np.searchsorted(nodes, at)
        level = Level(self.problem, v, row, count, len(nodes))
        self.current = level
        self.index = {node: i for i, node in enumerate(nodes.tolist())}
        self.starts = np.searchsorted(v, np.arange(len(nodes) + 1))
        self.check_cover(level, nodes)
        is_open = ((level.n_rows >= rules["min_samples_split"]) &
                   ~level.is_pure())
        if rules["max_depth"] is not None and self.depth >= rules["max_depth"]:
            is_open[:] = False
        search = Search(level, keys, is_open)
        is_inner = forest.feature[nodes] >= 0
        for i in np.nonzero(is_inner & ~search.is_found)[0]:
            self.fault(nodes[i], "is split, where it may not be")
        self.set_gains(level, search, nodes)
        self.check_leaves(level, nodes, search, is_inner)
        turn, where = search.best_turn.copy(), search.best_at.copy()
        turn[~is_inner] = -1
        set_sides = {}
        for i in np.nonzero(is_inner)[0]:
            set_sides[i] = self.check_split(level, search, nodes[i], i)
        tolerance = TOLERANCE[rules["criterion"]]
        if self.problem.is_weighted:
            tolerance = WEIGHT_TOLERANCE
        for i in exact.failures(search, turn, where, tolerance):
            self.fault(nodes[i], "is not split at the best score")
        return self.descend(level, nodes, keys, count, v, is_inner, set_sides)

    def fault(self, node, text):
        raise Fault(f"tree {self.forest.tree[node]} node "
                    f"{self.forest.node[node]}, depth {self.depth}: {text}")

    def check_cover(self, level, nodes):
        scale = self.problem.weight_shift
        for w, cover, node in zip(level.w, self.forest.cover[nodes], nodes):
            if math.ldexp(float(w), -scale) != cover:
                self.fault(node, f"cover is {cover}, "
                           f"not {w} * 2^-{scale}")

    def check_leaves(self, level, nodes, search, is_inner):
        for i in np.nonzero(~is_inner)[0]:
            node = nodes[i]
            most = self.least[i] * (1 + 1e-9) + self.slack[i]
            if search.is_found[i] and (
                    self.least[i] == 0 or self.gain[i] > most):
                self.fault(node, "is a leaf; its best split gains "
                           f"{self.gain[i]}")
            entries = [(e["class"], e["value"]) for e in self.forest.leaf[node]]
            wanted = self.leaf_entries(level, i)
            if entries != wanted:
                self.fault(node, f"leaf is {entries}, not {wanted}")

    def leaf_entries(self, level, i):
        problem = self.problem
        if not problem.is_regression:
            return [(c, math.ldexp(float(s), -problem.weight_shift))
                    for c, s in enumerate(level.sums[i].tolist()) if s > 0]
        total, w = int(level.sums[i, 0]), int(level.w[i])
        floor = total // w
        mean = float(floor) + float(total - floor * w) / float(w)
        return [(0, float(problem.midrange) +
                 math.ldexp(mean, -problem.target_shift))]

    def set_gains(self, level, search, nodes):
        """self.gain: decrease of impurity times weight of each node, in units
        of the data; self.slack: what cancels in its float64 terms."""
        problem = self.problem
        shift = -problem.weight_shift
        self.slack = level.w.astype(np.float64)
        if problem.is_regression:
            shift -= 2 * problem.target_shift
            self.slack *= float(np.abs(problem.targets).max()) ** 2
        elif problem.rules["criterion"] == "entropy":
            self.slack *= np.log2(np.maximum(2, level.w))
        unit = math.ldexp(1.0, shift)
        self.gain = exact.gains(search) * unit
        self.slack *= unit * (
            WEIGHT_TOLERANCE if problem.is_weighted else 1e-13)
        root = self.root_weight[self.forest.tree[nodes]]
        self.least = self.problem.rules["min_impurity_decrease"] * np.ldexp(
            root.astype(np.float64), -problem.weight_shift)

    def check_gain(self, node, i):
        """To float32's digits, or to what cancels."""
        wanted, got = self.gain[i], float(self.forest.gain[node])
        if abs(got - wanted) > 1e-6 * abs(wanted) + self.slack[i]:
            self.fault(node, f"gain is {got}, not {wanted}")
        if wanted + self.slack[i] < self.least[i] * (1 - 1e-9):
            self.fault(node, f"is split for a gain of {wanted}")

    def check_split(self, level, search, node, i):
        """Compares with the rule's choice; the codes or cut that go left."""
        forest, problem = self.forest, self.problem
        found, at = search.best(i)
        f = search.best_feature[i]
        if forest.feature[node] != f:
            self.fault(node, f"feature is {forest.feature[node]}, not {f}")
        missing_left = bool(found.missing_left[at])
        if bool(forest.missing_left[node]) != missing_left:
            self.fault(node, f"missing_left is not {missing_left}")
        self.check_gain(node, i)
        cut = int(found.cut[at])
        if problem.is_categorical[f]:
            return self.check_set(found, at, node, f, missing_left)
        self.check_threshold(node, problem.features[f], cut)
        return cut

    def check_threshold(self, node, feature, cut):
        forest = self.forest
        is_int = feature.edges.dtype == np.int64
        column = forest.threshold_int if is_int else forest.threshold
        has = forest.has_int if is_int else forest.has_threshold
        if cut == PRESENT:
            wanted = np.iinfo(np.int64).max if is_int else math.inf
        else:
            wanted = feature.edges[cut]
        if not has[node] or column[node] != wanted:
            self.fault(node, f"threshold is {column[node]}, not {wanted}")

    def check_set(self, found, at, node, f, missing_left):
        """Levels by the rule; those absent from the node go with missing."""
        present = self.present_codes(node, f)
        if found.cut[at] == PRESENT:
            chosen = set(present)
        else:
            assert found.cut[at] == SET
            chosen = set(found.sorted_codes[
                found.first[at]:found.end[at]].tolist())
        n = int(self.problem.n_values[f])
        bits = np.full(n, missing_left)
        bits[present] = [c in chosen for c in present]
        packed = self.forest.cats[node]
        got = np.unpackbits(np.frombuffer(packed or b"", np.uint8),
                            bitorder="little").astype(bool)
        if len(packed or b"") > (n + 7) // 8 or got[n:].any():
            self.fault(node, "cats has bits past the levels")
        got = np.concatenate([got, np.zeros(n, bool)])[:n]
        if (got != bits).any():
            self.fault(node, f"cats is {np.nonzero(got)[0]}, "
                       f"not {np.nonzero(bits)[0]}")
        return bits

    def present_codes(self, node, f):
        level, i = self.current, self.index[node]
        rows = level.row[self.starts[i]:self.starts[i + 1]]
        present = np.unique(self.problem.codes[f, rows])
        return present[present < self.problem.n_values[f]]

    def descend(self, level, nodes, keys, count, v, is_inner, split_of):
        """The pairs and keys of the next level."""
        forest, problem = self.forest, self.problem
        if not is_inner.any():
            return nodes[:0], keys[:0], level.row[:0], count[:0], v[:0]
        f = forest.feature[nodes]
        code = problem.codes[np.maximum(f, 0)[v], level.row]
        missing = code == problem.n_values[np.maximum(f, 0)[v]]
        cut = np.full(len(nodes), -1)
        width = max(1, problem.n_codes)
        sets_left = {}
        for i, split in split_of.items():
            if isinstance(split, np.ndarray):
                sets_left[i] = split
            else:
                cut[i] = width if split == PRESENT else split
        goes_left = code <= cut[v]
        for i, bits in sets_left.items():
            part = slice(self.starts[i], self.starts[i + 1])
            goes_left[part] = np.append(bits, False)[code[part]]
        goes_left = np.where(missing, forest.missing_left[nodes][v],
                             goes_left).astype(bool)
        inner = np.nonzero(is_inner)[0]
        root = self.first[forest.tree[nodes]]
        left = root + forest.left[nodes]
        stays = is_inner[v]
        at = np.where(goes_left, left[v], left[v] + 1)[stays]
        children = np.concatenate([left[inner], left[inner] + 1])
        child_keys = np.concatenate([arith.mix(keys[inner], 0),
                                     arith.mix(keys[inner], 1)])
        order = np.argsort(children)
        return (children[order], child_keys[order], level.row[stays],
                count[stays], at)


def fit(data, options):
    command = ["rf-fit", "-q", *data.options, *options]
    got = subprocess.run(command, input=sets.stream(data),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if got.returncode != 0:
        raise Fault(f"{' '.join(command)}: {got.returncode} "
                    f"{got.stderr.decode()}")
    return Forest(got.stdout)


def check(seed, most_rows, options):
    data = sets.make(seed, most_rows)
    try:
        problem = Problem(data, seed * 7919)
        Checker(problem, fit(data, options)).run()
    except Fault as fault:
        print(f"set {seed} ({data.n} rows, {' '.join(data.options)}): {fault}")
        return False
    return True


def main(span, most_rows=sets.MOST_ROWS, *options):
    first, end = map(int, span.split(":"))
    bad = sum(not check(seed, int(most_rows), options)
              for seed in range(first, end))
    print(f"{end - first} forests checked, {bad} with faults")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
