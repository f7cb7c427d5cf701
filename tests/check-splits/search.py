"""The best split of every node of a level, all nodes at once.

A problem holds codes (F x N), active features, weights W and classes or
targets; a level holds pairs (in-bag row of a node), sorted by node.  Every
candidate of rf-forest(5) is scored by the rule, to find what must have been
chosen, and in plain float64 from sums that were not shifted, for the exact
comparison afterwards.
"""

import numpy as np

import arith

NO_CLASS = -1


class Level:
    """Pairs of nodes 0..n-1 with their sums."""

    def __init__(self, problem, node, row, count, n):
        self.problem, self.node, self.row, self.n = problem, node, row, n
        self.weight = count * problem.weights[row]
        self.n_rows = np.bincount(node, minlength=n)
        self.sums, self.w = self.sum_by(node, n)
        self.shift = arith.shift_of(self.w)
        if problem.is_regression:
            self.mean = self.sums[:, 0] // self.w

    def sum_by(self, group, n, pairs=slice(None)):
        """Class sums (or the sum of targets), n x C, and weights."""
        problem, weight = self.problem, self.weight[pairs]
        row = self.row[pairs]
        w = np.zeros(n, np.int64)
        np.add.at(w, group, weight)
        if problem.is_regression:
            sums = np.zeros((n, 1), np.int64)
            np.add.at(sums[:, 0], group, weight * problem.targets[row])
            return sums, w
        c = problem.n_classes
        sums = np.zeros(n * c, np.int64)
        np.add.at(sums, group * c + problem.classes[row], weight)
        return sums.reshape(n, c), w

    def is_pure(self):
        if not self.problem.is_regression:
            return (self.sums > 0).sum(1) == 1
        first = np.searchsorted(self.node, np.arange(self.n))
        targets = self.problem.targets[self.row]
        return (np.minimum.reduceat(targets, first) ==
                np.maximum.reduceat(targets, first))


class Groups:
    """Pairs of some nodes by the code of one feature a node."""

    def __init__(self, level, feature_of):
        """feature_of: by node, -1 where the node is not looked at."""
        problem = level.problem
        pairs = np.nonzero(feature_of[level.node] >= 0)[0]
        node = level.node[pairs]
        feature = feature_of[node]
        code = problem.codes[feature, level.row[pairs]]
        key = node * problem.n_codes + code
        order = np.argsort(key, kind="stable")
        key, pairs = key[order], pairs[order]
        is_first = np.ones(len(key), bool)
        is_first[1:] = key[1:] != key[:-1]
        group = np.cumsum(is_first) - 1
        self.n = int(group[-1]) + 1
        self.node = key[is_first] // problem.n_codes
        self.code = key[is_first] % problem.n_codes
        self.feature = feature_of[self.node]
        self.is_missing = self.code == problem.n_values[self.feature]
        self.n_rows = np.bincount(group, minlength=self.n)
        self.sums, self.w = level.sum_by(group, self.n, pairs)


class Candidates:
    """Left sides, in the order in which ties are broken inside a node."""

    FIELDS = ("node", "order", "n_left", "w", "sums", "missing_left",
              "cut", "first", "end")

    def __init__(self, parts, sorted_codes):
        for name in self.FIELDS:
            setattr(self, name, np.concatenate([p[name] for p in parts]))
        order = np.lexsort((self.order, self.node))
        self.take(order)
        self.sorted_codes = sorted_codes

    def take(self, index):
        for name in self.FIELDS:
            setattr(self, name, getattr(self, name)[index])


PRESENT = -2  # as a cut: present values left, missing right
SET = -3  # as a cut: the levels sorted_codes[first:end] go left


def prefixes(groups, index, n_nodes):
    """Sums up to each of the groups of index, node by node."""
    node = groups.node[index]
    first = np.searchsorted(node, np.arange(n_nodes + 1))
    out = []
    for values in (groups.n_rows, groups.w, groups.sums):
        total = np.cumsum(values[index], axis=0)
        before = np.concatenate([np.zeros_like(total[:1]), total])[first[node]]
        out.append(total - before)
    return first, out


def candidates_between(level, groups, index, missing, first_order, cut_of,
                       first_of_codes):
    """Candidates behind each group of index but a node's last."""
    node = groups.node[index]
    first, (n_left, w, sums) = prefixes(groups, index, level.n)
    at = np.nonzero(node[1:] == node[:-1])[0]
    v = node[at]
    order = first_order + 2 * (at - first[v])
    base = {"node": v, "order": order, "n_left": n_left[at], "w": w[at],
            "sums": sums[at], "cut": cut_of(at),
            "first": first_of_codes + first[v], "end": first_of_codes + at + 1}
    base["missing_left"] = np.where(
        missing["n_rows"][v] > 0, False,
        n_left[at] > level.n_rows[v] - n_left[at])
    some = missing["n_rows"][v] > 0
    with_missing = {name: values[some] for name, values in base.items()}
    m = v[some]
    with_missing["order"] = with_missing["order"] + 1
    for name in ("n_rows", "w", "sums"):
        key = "n_left" if name == "n_rows" else name
        with_missing[key] = with_missing[key] + missing[name][m]
    with_missing["missing_left"] = np.ones(len(m), bool)
    return [base, with_missing]


def present_against_missing(level, groups, missing):
    v = np.unique(groups.node[~groups.is_missing])
    v = v[missing["n_rows"][v] > 0]
    zero = np.zeros(len(v), np.int64)
    return {"node": v, "order": zero + (1 << 40),
            "n_left": level.n_rows[v] - missing["n_rows"][v],
            "w": level.w[v] - missing["w"][v],
            "sums": level.sums[v] - missing["sums"][v],
            "missing_left": zero > 0, "cut": zero + PRESENT,
            "first": zero, "end": zero}


def missing_sums(level, groups):
    c = level.sums.shape[1]
    out = {"n_rows": np.zeros(level.n, np.int64),
           "w": np.zeros(level.n, np.int64),
           "sums": np.zeros((level.n, c), np.int64)}
    index = np.nonzero(groups.is_missing)[0]
    for name in out:
        out[name][groups.node[index]] = getattr(groups, name)[index]
    return out


def class_orders(level):
    """Classes that order the levels of each node, ascending, padded by -1."""
    present = (level.sums > 0).sum(1)
    most = np.where(level.n_rows > 512, 16,
                    np.where(level.n_rows > 32, 4, 1))
    n = np.minimum(most, present)
    shifted = level.sums >> level.shift[:, None]
    heaviness = np.where(level.sums > 0, shifted, -1)
    c = level.sums.shape[1]
    ranks = np.argsort(-heaviness, axis=1, kind="stable")[:, :16]
    keep = np.arange(ranks.shape[1]) < n[:, None]
    orders = np.sort(np.where(keep, ranks, c), axis=1)
    orders = np.where(orders == c, NO_CLASS, orders)
    highest = c - 1 - np.argmax(level.sums[:, ::-1] > 0, axis=1)
    orders[present == 2] = NO_CLASS
    orders[present == 2, 0] = highest[present == 2]
    return orders


def order_keys(level, groups, index, class_of):
    """Sort keys of levels, the most important last, as lexsort wants."""
    if level.problem.is_regression:
        return arith.mean_key(groups.sums[index, 0], groups.w[index])[::-1]
    v = groups.node[index]
    shifted = arith.u(groups.sums[index] >> level.shift[v][:, None])
    part = shifted[np.arange(len(v)), class_of[v]]
    return arith.share_key(part, shifted.sum(1))[::-1]


def level_candidates(level, groups, missing, is_categorical, orders):
    """Prefixes of the levels of categorical features, order by order."""
    parts, codes = [], []
    n_codes = 0
    for o in range(orders.shape[1]):
        class_of = orders[:, o]
        use = (~groups.is_missing & is_categorical &
               (class_of[groups.node] != NO_CLASS))
        index = np.nonzero(use)[0]
        if len(index) == 0:
            continue
        keys = order_keys(level, groups, index, class_of)
        index = index[np.lexsort(
            (groups.code[index], *keys, groups.node[index]))]
        parts += candidates_between(
            level, groups, index, missing, o << 20,
            lambda at: np.full(len(at), SET), n_codes)
        codes.append(groups.code[index])
        n_codes += len(index)
    return parts, np.concatenate(codes) if codes else np.zeros(0, np.int64)


def find_candidates(level, groups, orders):
    missing = missing_sums(level, groups)
    is_categorical = level.problem.is_categorical[groups.feature]
    index = np.nonzero(~groups.is_missing & ~is_categorical)[0]
    code = groups.code[index]
    parts = candidates_between(
        level, groups, index, missing, 0,
        lambda at: (code[at] + code[at + 1]) >> 1, 0)
    more, codes = level_candidates(
        level, groups, missing, is_categorical, orders)
    parts += more
    parts.append(present_against_missing(level, groups, missing))
    found = Candidates(parts, codes)
    least = level.problem.rules["min_samples_leaf"]
    n_right = level.n_rows[found.node] - found.n_left
    found.take(np.nonzero((found.n_left >= least) & (n_right >= least))[0])
    return found


def rule_keys(level, found):
    """Two words a candidate that order it as the rule does."""
    v = found.node
    if level.problem.is_regression:
        return arith.squared_keys(
            level.mean[v], found.sums[:, 0], found.w,
            level.sums[v, 0] - found.sums[:, 0], level.w[v] - found.w)
    shift = level.shift[v][:, None]
    left = arith.u(found.sums >> shift)
    right = arith.u(level.sums[v] >> shift) - left
    if level.problem.rules["criterion"] == "gini":
        return arith.gini_keys(left, right)
    return arith.entropy_keys(left, right)


def first_best(node, key1, key2):
    """Positions of the first of the greatest keys of each node present."""
    starts = np.nonzero(np.diff(node, prepend=-1))[0]
    which = np.cumsum(np.diff(node, prepend=-1) != 0) - 1
    best1 = np.maximum.reduceat(key1, starts)
    key2 = np.where(key1 == best1[which], key2, np.uint64(0))
    best2 = np.maximum.reduceat(key2, starts)
    is_best = (key1 == best1[which]) & (key2 == best2[which])
    position = np.where(is_best, np.arange(len(node)), len(node))
    return np.minimum.reduceat(position, starts)


class Search:
    """Draws features for the nodes of a level until each has its best."""

    def __init__(self, level, keys, is_open):
        self.level, self.keys = level, keys
        self.is_open = is_open.copy()
        n = level.n
        self.looked = np.zeros(n, np.int64)
        self.is_found = np.zeros(n, bool)
        self.best1 = np.zeros(n, np.uint64)
        self.best2 = np.zeros(n, np.uint64)
        self.best_turn = np.full(n, -1)
        self.best_at = np.full(n, -1)
        self.best_feature = np.full(n, -1)
        self.turns = []
        is_any = level.problem.is_categorical.any()
        if level.problem.is_regression or not is_any:
            self.orders = np.zeros((n, 1), np.int64)
        else:
            self.orders = class_orders(level)
        self.run()

    def run(self):
        problem = self.level.problem
        for k in range(len(problem.active)):
            if not self.is_open.any():
                break
            feature = np.full(self.level.n, -1)
            drawn = arith.draw(self.keys[self.is_open], k, len(problem.active))
            feature[self.is_open] = problem.active[drawn]
            self.look(k, feature)

    def look(self, k, feature):
        groups = Groups(self.level, feature)
        n_groups = np.bincount(groups.node, minlength=self.level.n)
        self.looked += n_groups > 1
        found = find_candidates(self.level, groups, self.orders)
        self.turns.append((feature, found))
        if len(found.node):
            self.keep_best(found, feature)
        rules = self.level.problem.rules
        if rules["count_constant"]:
            is_done = (self.looked > 0) & (k + 1 >= rules["max_features"])
        else:
            is_done = self.looked >= rules["max_features"]
        self.is_open &= ~is_done

    def keep_best(self, found, feature):
        key1, key2 = rule_keys(self.level, found)
        at = first_best(found.node, key1, key2)
        v, key1, key2 = found.node[at], key1[at], key2[at]
        is_better = (~self.is_found[v] | (key1 > self.best1[v]) |
                     ((key1 == self.best1[v]) & (key2 > self.best2[v])))
        v, at = v[is_better], at[is_better]
        self.is_found[v] = True
        self.best1[v], self.best2[v] = key1[is_better], key2[is_better]
        self.best_turn[v] = len(self.turns) - 1
        self.best_at[v] = at
        self.best_feature[v] = feature[v]

    def best(self, v):
        """Candidates and position of the best split of node v."""
        return self.turns[self.best_turn[v]][1], self.best_at[v]
