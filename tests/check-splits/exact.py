"""Scores from sums that were not shifted: in float64, and exactly."""

from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np

mpmath.mp.dps = 50
# Of the best float64 score: what may be better in truth.
NEAR = 1e-9


@lru_cache(maxsize=1 << 20)
def n_log2_n(n):
    return n * mpmath.log(n, 2) if n > 1 else mpmath.mpf(0)


def exact_score(kind, mean, left, wl, right, wr):
    """left, right: lists of ints."""
    if kind == "squared_error":
        d, e = left[0] - mean * wl, right[0] - mean * wr
        return Fraction(d * d, wl) + Fraction(e * e, wr)
    if kind == "gini":
        return (Fraction(sum(x * x for x in left), wl) +
                Fraction(sum(x * x for x in right), wr))
    terms = [n_log2_n(x) for x in left + right if x > 1]
    return mpmath.fsum(
        terms + [n_log2_n(wl + wr), -n_log2_n(wl), -n_log2_n(wr)])


def float_scores(kind, mean, left, wl, right, wr):
    """The same over arrays; left, right: n x C."""
    wl, wr = wl.astype(np.float64), wr.astype(np.float64)
    if kind == "squared_error":
        d = left[:, 0].astype(np.float64) - mean * wl
        e = right[:, 0].astype(np.float64) - mean * wr
        return d * d / wl + e * e / wr
    left, right = left.astype(np.float64), right.astype(np.float64)
    if kind == "gini":
        return (left ** 2).sum(1) / wl + (right ** 2).sum(1) / wr

    def f(n):
        return n * np.log2(np.maximum(n, 1))
    return (f(wl + wr) - f(wl) + f(left).sum(1) - f(wr) + f(right).sum(1))


def candidate_scores(search, found, at=slice(None)):
    """float_scores of candidates."""
    level, v = search.level, found.node[at]
    mean = level.mean[v] if level.problem.is_regression else 0
    left, wl = found.sums[at], found.w[at]
    return float_scores(level.problem.rules["criterion"], mean, left, wl,
                        level.sums[v] - left, level.w[v] - wl)


def node_scores(level):
    """float_scores of the unsplit nodes."""
    w = level.w.astype(np.float64)
    if level.problem.is_regression:
        return (level.sums[:, 0] - level.mean * level.w) ** 2.0 / w
    sums = level.sums.astype(np.float64)
    if level.problem.rules["criterion"] == "gini":
        return (sums ** 2).sum(1) / w
    return (sums * np.log2(np.maximum(sums, 1))).sum(1)


def gains(search):
    """Decrease of weighted impurity at each node's best split, in the units
    of the integers; 0 where there is none."""
    out = np.zeros(search.level.n)
    for turn, (_, found) in enumerate(search.turns):
        v = np.nonzero(search.best_turn == turn)[0]
        out[v] = candidate_scores(search, found, search.best_at[v])
    out[search.is_found] -= node_scores(search.level)[search.is_found]
    return out


def score_of(search, found, at):
    level, v = search.level, int(found.node[at])
    kind = level.problem.rules["criterion"]
    mean = int(level.mean[v]) if level.problem.is_regression else 0
    left = [int(x) for x in found.sums[at]]
    node = [int(x) for x in level.sums[v]]
    right = [n - x for n, x in zip(node, left)]
    wl = int(found.w[at])
    return exact_score(kind, mean, left, wl, right, int(level.w[v]) - wl)


def near_candidates(search):
    """(node, float score, turn, position) of all near the best of a node."""
    level = search.level
    kind = level.problem.rules["criterion"]
    node, score, turn, at = [], [], [], []
    for t, (_, found) in enumerate(search.turns):
        node.append(found.node)
        score.append(candidate_scores(search, found))
        turn.append(np.full(len(found.node), t))
        at.append(np.arange(len(found.node)))
    node, score, turn, at = map(np.concatenate, (node, score, turn, at))
    best = np.full(level.n, -np.inf)
    np.maximum.at(best, node, score)
    # Entropy cancels: what is near is so by the size of its terms.
    size = np.abs(best)
    if kind == "entropy":
        size = np.maximum(size, level.w * np.log2(np.maximum(level.w, 2)))
    near = score >= (best - NEAR * size)[node]
    return node[near], score[near], turn[near], at[near]


def distinct_scores(search, chosen_turn, chosen_at):
    """Near candidates of distinct float64 score; has: nodes whose chosen one
    is near; those of equal score differ by less than any tolerance here."""
    node, score, turn, at = near_candidates(search)
    order = np.lexsort((score, node))
    node, score, turn, at = (x[order] for x in (node, score, turn, at))
    has = np.zeros(search.level.n, bool)
    has[node[(turn == chosen_turn[node]) & (at == chosen_at[node])]] = True
    is_new = np.ones(len(node), bool)
    is_new[1:] = (node[1:] != node[:-1]) | (score[1:] != score[:-1])
    return node[is_new], turn[is_new], at[is_new], has


def failures(search, chosen_turn, chosen_at, tolerance):
    """Nodes whose chosen candidate is not the best within the tolerance."""
    if not search.turns:
        return []
    node, turn, at, has = distinct_scores(search, chosen_turn, chosen_at)
    n_scores = np.bincount(node, minlength=search.level.n)
    bad = set(np.nonzero((chosen_turn >= 0) & ~has)[0].tolist())
    share = 1 - Fraction(tolerance)
    if search.level.problem.rules["criterion"] == "entropy":
        share = mpmath.mpf(1) - mpmath.mpf(tolerance)
    several = (chosen_turn[node] >= 0) & (n_scores[node] > 1)
    chosen = {}
    for i in np.nonzero(several)[0]:
        v = int(node[i])
        if v not in chosen:
            chosen[v] = score_of(
                search, search.turns[chosen_turn[v]][1], chosen_at[v])
        other = score_of(search, search.turns[turn[i]][1], at[i])
        if chosen[v] < other * share:
            bad.add(v)
    return sorted(bad)
