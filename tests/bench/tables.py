"""Tables for csv2bin.

    tables.py numeric|mixed MEGABYTES    such a table to stdout

numeric has 54 columns of %.6f.  mixed has reals, whole numbers, categories,
texts in quotes, a date, a time and a flag, and of each 100 cells some are
empty; 16 MB of it are written again and again.
"""

import sys

import numpy as np

PIECE = 16_000_000  # bytes
WORDS = ("alder birch cedar fir hazel larch maple oak pine rowan spruce "
         "willow").split()


def numeric(rng, n):
    names = [f"x{i}" for i in range(54)]
    return names, ["%.6f" % v for v in rng.standard_normal(n * 54) * 100]


def dates(rng, n, form):
    days = rng.integers(0, 20000, n).astype("datetime64[D]")
    if form == "D":
        return days.astype(str)
    return (days.astype("datetime64[s]")
            + rng.integers(0, 86400, n)).astype(str)


def mixed(rng, n):
    towns = [f"town {i:04d}" for i in range(2000)]
    columns = {
        "price": ["%.2f" % v for v in rng.lognormal(4, 1, n)],
        "size": ["%.4f" % v for v in rng.standard_normal(n)],
        "ratio": ["%.9g" % v for v in rng.random(n)],
        "count": rng.integers(0, 1000, n).astype(str),
        "serial": rng.integers(0, 10**9, n).astype(str),
        "kind": [WORDS[i] for i in rng.integers(0, len(WORDS), n)],
        "town": [towns[i] for i in rng.integers(0, len(towns), n)],
        "grade": ["ABCDEF"[i] for i in rng.integers(0, 6, n)],
        "note": [f'"{WORDS[i]}, {WORDS[j]} {k}"' for i, j, k in zip(
            rng.integers(0, 12, n), rng.integers(0, 12, n),
            rng.integers(0, 10**6, n))],
        "day": dates(rng, n, "D"),
        "moment": dates(rng, n, "s"),
        "is_new": np.where(rng.random(n) < .3, "true", "false"),
    }
    for i, name in enumerate(columns):
        cells = np.array(columns[name], object)
        if i % 2 == 1:
            cells[rng.random(n) < .03] = ""
        columns[name] = cells
    return list(columns), np.column_stack(list(columns.values())).ravel()


def write(kind, n_bytes, out):
    """Rows of the kind, n_bytes of them or a little more."""
    rng = np.random.default_rng(7)
    names, cells = kind(rng, 2000)
    length = sum(map(len, cells)) / 2000 + len(names)
    names, cells = kind(rng, int(min(PIECE, n_bytes) / length) + 1)
    width = len(names)
    piece = "".join(",".join(cells[i:i + width]) + "\n"
                    for i in range(0, len(cells), width)).encode()
    out.write((",".join(names) + "\n").encode())
    for _ in range(max(1, round(n_bytes / len(piece)))):
        out.write(piece)


KINDS = {"numeric": numeric, "mixed": mixed}


def main(kind, megabytes):
    write(KINDS[kind], int(megabytes) * 1_000_000, sys.stdout.buffer)


if __name__ == "__main__":
    main(*sys.argv[1:])
