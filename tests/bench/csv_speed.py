"""csv2bin beside other readers of CSV, on files in the page cache.

csv2bin is measured as a whole process that writes a stream, peers from the
call to the table in memory.
"""

import os
import subprocess
import sys
import time
import zlib

import tables

HERE = os.path.dirname(os.path.abspath(__file__))
# GB/s on one core and on two.
TARGETS = {"numeric": (.75, 1.4), "mixed": (.6, 1.1)}
PEERS = "pandas", "polars", "pyarrow", "duckdb"


def seconds_of(command, times):
    shortest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def peer_seconds(name, path, n_threads):
    """None where it is not installed."""
    run = subprocess.run(
        [sys.executable, f"{HERE}/csv_peer.py", name, path, str(n_threads)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return float(run.stdout) if run.returncode == 0 else None


def beside_peers(kind, path, n_threads, report):
    size = os.path.getsize(path) / 1e9
    ours = seconds_of(
        ["csv2bin", "-q", "-t", str(n_threads), path], 5)
    what = f"{kind} table, {n_threads} thread{'s' * (n_threads > 1)}"
    report(f"csv2bin, {what}", f"{size / ours:.3f} GB/s",
           TARGETS[kind][n_threads - 1])
    for name in PEERS:
        theirs = peer_seconds(name, path, n_threads)
        if theirs is not None:
            report(f"    {name}", f"{size / theirs:.3f} GB/s, csv2bin "
                   f"{theirs / ours:.1f} times as fast")


def inflate_seconds(path):
    start = time.perf_counter()
    with open(path, "rb") as file:
        inflate = zlib.decompressobj(31)
        while data := file.read(1 << 16):
            inflate.decompress(data)
    return time.perf_counter() - start


def gzipped(path, report):
    with open(path + ".gz", "wb") as out:
        subprocess.run(["gzip", "-c", "-1", path], check=True, stdout=out)
    ours = seconds_of(["csv2bin", "-q", "-t", "2", path + ".gz"], 3)
    least = min(inflate_seconds(path + ".gz") for _ in range(3))
    report("csv2bin, gzip, 2 threads, against zlib's inflate alone",
           f"{ours / least:.2f} times its time", 1.2, at_least=False)
    os.remove(path + ".gz")


def measure(n_bytes, report):
    for kind, make in tables.KINDS.items():
        path = kind + ".csv"
        with open(path, "wb") as file:
            tables.write(make, n_bytes, file)
        for n_threads in (1, 2):
            beside_peers(kind, path, n_threads, report)
        os.remove(path)
    with open("small.csv", "wb") as file:
        tables.write(tables.numeric, n_bytes // 5, file)
    gzipped("small.csv", report)
    os.remove("small.csv")
