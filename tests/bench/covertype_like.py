"""A made table like UCI Covertype: 581 012 rows, 54 columns, 7 classes.

Ten rounded numbers, 4 + 40 one-hot columns, labels by smooth random functions
of them with noise; the same at every call.
"""

import numpy as np


def smooth(x, rng, n_out, n_waves, scale):
    """A smooth random function of the rows of x, n_out values each."""
    width = x.shape[1]
    weights = (rng.standard_normal((width, n_waves)) * scale).astype("f4")
    phase = rng.uniform(0, 6.28, n_waves).astype("f4")
    mix = rng.standard_normal((n_waves, n_out)).astype("f4")
    mix /= np.sqrt(n_waves)
    out = np.empty((len(x), n_out), "f4")
    for i in range(0, len(x), 100000):
        out[i:i + 100000] = np.cos(x[i:i + 100000] @ weights + phase) @ mix
    return out


def numbers(rng, n):
    z = rng.standard_normal((n, 10)).astype("f4")
    z[:, 1] = .6 * z[:, 0] + .8 * z[:, 1]
    z[:, 5] = .8 * z[:, 3] + .6 * z[:, 5]
    z[:, 9] = np.abs(z[:, 9])
    return z


def make(n=581012):
    """X (float32, n x 54) and y (0 to 6)."""
    rng = np.random.default_rng(1)
    z = numbers(rng, n)
    spread = np.array([280, 112, 7.5, 212, 58, 1559, 26, 20, 38, 1324], "f4")
    soil = smooth(z[:, :6], rng, 40, 24, .5)
    soil += .25 * rng.gumbel(size=soil.shape).astype("f4")
    soil += rng.standard_normal(40).astype("f4") * .5
    soil = soil.argmax(1)
    area = smooth(z[:, [0, 5, 9]], rng, 4, 16, .7)
    area = (area + .2 * rng.gumbel(size=area.shape).astype("f4")).argmax(1)
    hot = np.zeros((n, 44), "f4")
    hot[np.arange(n), area] = 1
    hot[np.arange(n), 4 + soil] = 1
    g = smooth(z[:, [0, 1, 3, 5, 9]], rng, 7, 32, .30) * 2.2
    g += .8 * smooth(z[:, :1], rng, 7, 8, 1.2) * 4
    g += (rng.standard_normal((40, 7)).astype("f4") * .5)[soil]
    g += (rng.standard_normal((4, 7)).astype("f4") * .4)[area]
    g += np.array([1.1, 1.5, .1, -1.2, -.7, -.1, .0], "f4")
    y = g.argmax(1)
    flipped = rng.random(n) < .03
    other = (g + rng.gumbel(size=g.shape).astype("f4")).argmax(1)
    y[flipped] = other[flipped]
    x = np.concatenate([np.round(z * spread + 3 * spread), hot], 1)
    order = rng.permutation(n)
    return x[order].astype("f4"), y[order].astype("i4")
