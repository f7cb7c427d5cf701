"""Writes the data sets of check_splits.py for machines without Python.

make_sets.py DIRECTORY A:B [ROWS]   N.arrows and N.args, a word a line;
                                    tests/check-splits/compare reads them
"""

import pathlib
import sys

import sets


def main(directory, span, most_rows=sets.MOST_ROWS):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for seed in range(*map(int, span.split(":"))):
        data = sets.make(seed, int(most_rows))
        (directory / f"{seed}.arrows").write_bytes(sets.stream(data))
        (directory / f"{seed}.args").write_text(
            "".join(word + "\n" for word in data.options))


if __name__ == "__main__":
    main(*sys.argv[1:])
