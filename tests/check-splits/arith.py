"""Draws and scores of rf-forest(5) in numpy, written from that page alone.

Arrays are uint64 unless said otherwise; their overflow is meant.
"""

import numpy as np

U = np.uint64
GOLDEN = U(0x9E3779B97F4A7C15)
MASK32 = U(0xFFFFFFFF)


def u(x):
    return np.asarray(x).astype(np.uint64)


def mix(key, value):
    """The finaliser of SplitMix64 on key xor (value + 1) * golden ratio."""
    with np.errstate(over="ignore"):
        z = u(key) ^ (u(value) + U(1)) * GOLDEN
        z = (z ^ z >> U(30)) * U(0xBF58476D1CE4E5B9)
        z = (z ^ z >> U(27)) * U(0x94D049BB133111EB)
    return z ^ z >> U(31)


def below(random, n):
    """floor(random * n / 2^64) for n < 2^32."""
    n = u(n)
    high = (random >> U(32)) * n
    low = (random & MASK32) * n
    return (high + (low >> U(32))) >> U(32)


def tree_key(seed, tree, use):
    return mix(mix(mix(0x72662d746f6f6c73, seed), tree), use)


def bag(seed, tree, n_rows, n_draws):
    """How often each row is drawn: draws to blocks of 4096, then in them."""
    draws = np.arange(n_draws, dtype=np.uint64)
    blocks = below(mix(tree_key(seed, tree, 2), draws), n_rows) // U(4096)
    counts = np.zeros(n_rows, np.int64)
    for block, n in enumerate(np.bincount(blocks.astype(np.int64))):
        first = 4096 * block
        size = min(4096, n_rows - first)
        key = mix(tree_key(seed, tree, 3), block)
        rows = below(mix(key, np.arange(n, dtype=np.uint64)), size)
        counts[first:first + size] = np.bincount(
            rows.astype(np.int64), minlength=size)
    return counts


def feistel(keys, x, bits):
    """One pass for each key; x below 2^bits."""
    low_bits = bits // 2
    low_mask = U((1 << low_bits) - 1)
    high_mask = U((1 << (bits - low_bits)) - 1)
    low, high, key = x & low_mask, x >> U(low_bits), keys & MASK32
    for turn in range(20 if bits < 5 else 8):
        key = key * U(0x9E3779B1) + U(0x85EBCA6B) & MASK32
        half = high if turn % 2 == 0 else low
        f = (half ^ key) * U(0x7FEB352D) & MASK32
        f = ((f ^ f >> U(15)) * U(0x846CA68B) & MASK32) >> U(16)
        if turn % 2 == 0:
            low = low ^ f & low_mask
        else:
            high = high ^ f & high_mask
    return high << U(low_bits) | low


def draw(node_keys, k, n):
    """Element k of the permutation of 0..n-1, of each node; int64."""
    bits = max(1, int(n - 1).bit_length())
    keys = (node_keys ^ node_keys >> U(32)) & MASK32
    x = feistel(keys, np.full(len(keys), k, np.uint64), bits)
    while (outside := x >= U(n)).any():
        x[outside] = feistel(keys[outside], x[outside], bits)
    return x.astype(np.int64)


def bit_length(x):
    """Of each uint64; int64."""
    x = u(x).copy()
    bits = np.zeros(x.shape, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        big = x >> U(step) != 0
        bits[big] += step
        x[big] >>= U(step)
    return bits + (x != 0)


def shift_of(w):
    return np.maximum(0, bit_length(w) - 32)


def log2(n):
    """n >= 1: the series of rf_log2, in its order of operations."""
    k = bit_length(n) - 1
    m = n.astype(np.float64) / (U(1) << u(k)).astype(np.float64)
    big = m > 4.0 / 3.0
    m = np.where(big, m * 0.5, m)
    k = k + big
    t = (m - 1.0) / (m + 1.0)
    z = t * t
    total = np.full(n.shape, 1.0 / 23.0)
    for i in range(21, 0, -2):
        total = total * z + 1.0 / i
    return k.astype(np.float64) + 2.8853900817779268 * (t * total)


def entropy_term(n, bits):
    """floor(n log2 n 2^bits); 0 below 2.  int64."""
    n = u(n)
    at_least_1 = np.maximum(n, U(1))
    x = at_least_1.astype(np.float64) * log2(at_least_1)
    term = (x * (U(1) << u(bits)).astype(np.float64)).astype(np.int64)
    return np.where(n < 2, 0, term)


def fraction_key(num, den):
    """Two words ordered exactly as num / den, num < 2^37 and den < 2^24."""
    q, r = num // den, num % den
    second, r = (r << U(40)) // den, (r << U(40)) % den
    return q << U(40) | second, (r << U(40)) // den


def share_key(part, whole):
    """Two words ordered exactly as part / whole, part <= whole < 2^32."""
    whole = np.maximum(whole, U(1))
    first, rest = (part << U(31)) // whole, (part << U(31)) % whole
    second, rest = (rest << U(31)) // whole, (rest << U(31)) % whole
    return first << U(31) | second, (rest << U(31)) // whole


def mean_key(total, w):
    """Four words ordered exactly as total / w; int64, w < 2^36."""
    words = [total // w]
    rest = total % w
    for _ in range(3):
        words.append((rest << 27) // w)
        rest = (rest << 27) % w
    return words


def gini_side(s, w):
    with np.errstate(invalid="ignore", divide="ignore"):
        share = s.astype(np.float64) / w.astype(np.float64)
    return np.where(s == w * w, w.astype(np.float64), share)


def gini_keys(left, right):
    """Order keys of the rule's score; left, right: shifted sums, x C."""
    wl, wr = left.sum(1), right.sum(1)
    sl, sr = (left * left).sum(1), (right * right).sum(1)
    score = gini_side(sl, wl) + gini_side(sr, wr)
    key1, key2 = score.view(np.uint64).copy(), np.zeros(len(wl), np.uint64)
    small = wl + wr < U(1 << 13)
    num = sl[small] * wr[small] + sr[small] * wl[small]
    key1[small], key2[small] = fraction_key(num, wl[small] * wr[small])
    return key1, key2


def entropy_keys(left, right):
    wl, wr = left.sum(1), right.sum(1)
    bits = 54 - bit_length(wl + wr)
    score = entropy_term(wl + wr, bits)
    for side, w in ((left, wl), (right, wr)):
        terms = entropy_term(side, bits[:, None]).sum(1)
        score = score - (entropy_term(w, bits) - terms)
    return u(np.maximum(score, 0)), np.zeros(len(wl), np.uint64)


def squared_keys(mean, left, wl, right, wr):
    """int64 all; mean: floor of the node's mean."""
    d = (left - mean * wl).astype(np.float64)
    e = (right - mean * wr).astype(np.float64)
    score = d * d / wl.astype(np.float64) + e * e / wr.astype(np.float64)
    return score.view(np.uint64).copy(), np.zeros(len(wl), np.uint64)
