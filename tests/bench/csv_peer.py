"""Seconds in which a peer reads a CSV file into its own table, best of two.

    csv_peer.py pandas|polars|pyarrow|duckdb FILE THREADS
"""

import os
import sys
import time


def reader(name, path, n_threads):
    if name == "pandas":
        import pandas
        return lambda: pandas.read_csv(path)
    if name == "polars":
        os.environ["POLARS_MAX_THREADS"] = str(n_threads)
        import polars
        return lambda: polars.read_csv(path, try_parse_dates=True)
    if name == "pyarrow":
        import pyarrow
        import pyarrow.csv
        pyarrow.set_cpu_count(n_threads)
        options = pyarrow.csv.ReadOptions(use_threads=n_threads > 1)
        return lambda: pyarrow.csv.read_csv(path, read_options=options)
    import duckdb
    base = duckdb.connect()
    base.execute(f"SET threads={n_threads}")
    return lambda: base.execute(
        f"CREATE OR REPLACE TEMP TABLE t AS FROM read_csv('{path}')")


def main(name, path, n_threads):
    read = reader(name, path, int(n_threads))
    shortest = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        read()
        shortest = min(shortest, time.perf_counter() - start)
    print(shortest)


main(*sys.argv[1:])
