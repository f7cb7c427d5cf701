"""Weights, targets and codes of rf-forest(5), from the values of a data set."""

import math
from fractions import Fraction

import numpy as np


def floor_log2(x):
    """Of a positive Fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def round_half_away(x):
    """Of a Fraction."""
    whole = math.floor(abs(x) + Fraction(1, 2))
    return whole if x >= 0 else -whole


def two_to(s):
    return Fraction(2) ** s


def whole_weights(weights, n_draws, bits):
    """Integers W and the shift s; weights are positive."""
    shift = None
    for w in set(weights.tolist()):
        w = Fraction(w)
        odd = w.numerator & -w.numerator
        least = w.denominator.bit_length() - odd.bit_length()
        shift = least if shift is None else max(shift, least)
    most = floor_log2(two_to(bits) / (n_draws * Fraction(weights.max())))
    shift = min(shift, most)
    units = {w: round_half_away(Fraction(w) * two_to(shift))
             for w in set(weights.tolist())}
    return np.array([units[w] for w in weights.tolist()], np.int64), shift


def whole_targets(y, n_draws, max_weight):
    """Integers t, midrange and shift."""
    midrange = y.min() / 2 + y.max() / 2 if y.min() < y.max() else y[0]
    off = y - midrange
    most = Fraction(float(np.abs(off).max()))
    if y.min() == y.max() or most == 0:
        return np.zeros(len(y), np.int64), midrange, 0
    limit = two_to(62) / (n_draws * int(max_weight) * most)
    shift = floor_log2(limit)
    if two_to(shift) == limit:
        shift -= 1
    shift = min(shift, 1000)
    t = [round_half_away(Fraction(d) * two_to(shift)) for d in off.tolist()]
    return np.array(t, np.int64), midrange, shift


class Feature:
    """codes (missing = n_values), and what the forest stream calls them."""

    def __init__(self, name):
        self.name = name
        self.edges = None  # numeric
        self.levels = None  # categorical, or the texts of an ordinal

    @property
    def is_categorical(self):
        return self.edges is None


def middle(a, b, is_int):
    if is_int:
        return a + (b - a) // 2
    m = a / 2 + b / 2
    return m if a <= m < b else a


def own_bins(counts, n, bins):
    """Indices of the values that have a bin of their own."""
    big = [i for i, c in enumerate(counts) if c * bins >= n]
    big.sort(key=lambda i: (-counts[i], i))
    return set(big[:max(0, bins // 2 - 1)])


def cut_positions(counts, bins):
    """Indices i of distinct values such that an edge lies below value i."""
    n_values, n = len(counts), sum(counts)
    if n_values <= bins:
        return list(range(1, n_values))
    own = own_bins(counts, n, bins)
    cuts = set()
    for i in own:
        cuts |= {i, i + 1}
    others = np.repeat([i for i in range(n_values) if i not in own],
                       [counts[i] for i in range(n_values) if i not in own])
    b = bins - 2 * len(own)
    cuts |= {int(others[k * len(others) // b]) for k in range(1, b)
             if len(others)}
    return sorted(c for c in cuts if 0 < c < n_values)


def numeric(name, values, missing, bins, is_int=False):
    """values: float64 or int64; missing: bool."""
    feature = Feature(name)
    distinct, counts = np.unique(values[~missing], return_counts=True)
    distinct = distinct.tolist()
    cuts = cut_positions(counts.tolist(), bins)
    edges = [middle(distinct[i - 1], distinct[i], is_int) for i in cuts]
    feature.edges = np.array(edges, np.int64 if is_int else np.float64)
    feature.n_values = len(cuts) + 1 if distinct else 0
    codes = np.searchsorted(np.array([distinct[i] for i in cuts],
                                     feature.edges.dtype), values, "right")
    feature.codes = np.where(missing, feature.n_values, codes)
    return feature


def categorical(name, texts, min_rows, max_levels):
    """texts: list with None.  None where no level is kept."""
    feature = Feature(name)
    counts = {}
    for text in texts:
        if text is not None:
            counts[text] = counts.get(text, 0) + 1
    kept = [t for t, n in counts.items() if n >= min_rows]
    kept.sort(key=lambda t: (-counts[t], t.encode()))
    feature.levels = sorted(kept[:max_levels], key=str.encode)
    if not feature.levels:
        return None
    index = {t: i for i, t in enumerate(feature.levels)}
    feature.n_values = len(index)
    feature.codes = np.array([index.get(t, len(index)) for t in texts])
    return feature


def ordinal(name, texts, all_texts, bins):
    """all_texts: of dropped rows too."""
    levels = sorted({t for t in all_texts if t is not None}, key=str.encode)
    index = {t: float(i) for i, t in enumerate(levels)}
    missing = np.array([t is None for t in texts])
    values = np.array([index.get(t, 0.0) for t in texts])
    feature = numeric(name, values, missing, bins)
    feature.levels = levels
    return feature
