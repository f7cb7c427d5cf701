"""Runs a command and fails where its memory went past a limit.

peak.py KIB COMMAND ..		0 KIB: says the peak on stderr

From a small process: a child starts with its parent's peak.
"""

import resource
import subprocess
import sys

limit = int(sys.argv[1])
subprocess.run(sys.argv[2:], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if limit == 0:
    print("peak", peak, "KiB", file=sys.stderr)
elif peak > limit:
    sys.exit(f"{peak} KiB where {limit} are allowed: {sys.argv[2:]}")
