"""Runs a tool on a file cut off at every byte, for tests.

cut.py FILE COMMAND ..: a word {} of COMMAND is the cut file.  Each cut must
end with 65 and one line on standard error that names program and file, and
must leave nothing on standard output that ends as a stream does.  STRIDE in
the environment: every so many bytes, and the last 24 one by one.
"""

import os
import subprocess
import sys

END = bytes.fromhex("ffffffff00000000")


def fault_of(command, run):
    if run.returncode != 65:
        return f"ended with {run.returncode}"
    lines = run.stderr.decode().splitlines()
    if len(lines) != 1 or not lines[0].startswith(f"{command[0]}: "):
        return f"said {lines}"
    if run.stdout.endswith(END):
        return "left a whole stream"
    return None


def sizes(size):
    stride = int(os.environ.get("STRIDE", 1))
    return sorted({*range(0, size, stride), *range(max(0, size - 24), size)})


def main(path, command):
    whole = open(path, "rb").read()
    cut = path + ".cut"
    words = [cut if word == "{}" else word for word in command]
    faults = []
    for size in sizes(len(whole)):
        with open(cut, "wb") as out:
            out.write(whole[:size])
        run = subprocess.run(words, stdin=subprocess.DEVNULL,
                             capture_output=True)
        fault = fault_of(words, run)
        if fault:
            faults.append(f"{' '.join(command)}: cut at {size} of "
                          f"{len(whole)}: {fault}")
    print("\n".join(faults[:5]))
    return 1 if faults else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
