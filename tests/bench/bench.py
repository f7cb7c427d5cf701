"""CPU speed of our tools beside peers, same cores, same data, in one run.

    bench.py [--rows 40000] [--test 100000] [--megabytes 500]

Training is rf-fit reading a data stream from a file and writing the forest;
peers get arrays in memory.  100 fully grown trees.  Prediction is measured
like for like twice:

    stage    rows in memory through a forest in memory, to the answers: our
             ranks, walk and vote (predict.c), the peer's predict()
    process  from start to end, model and rows read from files, answers written
             to one: rf-predict | rf-vote, and peer_process.py

and once not, our whole process against the peer's call in memory.  The peers
are scikit-learn and, where installed, scikit-learn-intelex (oneDAL).  Exit
status 1 where a target is missed: training 4 and prediction 5 times
scikit-learn's speed, csv2bin's of csv_speed.py, streams read at 3 GB/s, one row
in 15 ms.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import joblib
import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import covertype_like
import csv_speed

HERE = os.path.dirname(os.path.abspath(__file__))
N_CORES = len(os.sched_getaffinity(0))
missed = []


def sh(command):
    return subprocess.run(["bash", "-ec", "-o", "pipefail", command],
                          check=True, stdout=subprocess.PIPE).stdout


def best(function, times=3):
    """Shortest of some runs, in seconds, and the last result."""
    shortest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        result = function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def report(what, value, target=None, at_least=True):
    line = f"{what:82} {value}"
    if target is not None:
        number = float(str(value).split()[0])
        holds = number >= target if at_least else number <= target
        line += f"   target {'>=' if at_least else '<='} {target}"
        if not holds:
            line += "   MISSED"
            missed.append(what)
    print(line, flush=True)


def write(path, x, y):
    names = ",".join([f"x{i}" for i in range(x.shape[1])] + ["label"])
    np.savetxt(path, np.column_stack([x, y]), "%.9g", ",", header=names,
               comments="")


def stage_seconds(times=5):
    """Of the stage, by predict.c, for m.rfb and test.arrows."""
    lines = sh(f"{os.environ['RF_BENCH_PREDICT']} m.rfb test.arrows "
               f"{N_CORES} {times}").decode().splitlines()
    return float(next(line.split()[1] for line in lines
                      if line.startswith("predict ")))


def ours(task, train, test):
    """Seconds of training, of prediction's stage and process; the score."""
    write("train.csv", *train)
    write("test.csv", *test)
    sh(f"csv2bin -q --task {task} -l label train.csv -o train.arrows")
    fit = best(lambda: sh(f"rf-fit -q --device cpu -t {N_CORES} -n 100 "
                          "train.arrows -o forest.arrows"))[0]
    sh("rf-pack -q forest.arrows -o m.rfb")
    sh("csv2bin -q --like m.rfb test.csv -o test.arrows")
    process = best(lambda: sh(
        f"rf-predict -q --device cpu -t {N_CORES} m.rfb test.arrows | "
        "rf-vote -q >decided.arrows"), 5)[0]
    found = json.loads(sh("rf-score -q --json decided.arrows"))
    return (fit, stage_seconds(), process,
            found.get("accuracy", found.get("r2")))


def theirs(kind, train, test):
    """As ours."""
    model = kind(100, n_jobs=N_CORES, random_state=0)
    fit = best(lambda: model.fit(*train), 1)[0]
    stage = best(lambda: model.predict(test[0]))[0]
    joblib.dump(model, "model.joblib")
    np.save("rows.npy", test[0])
    process = best(lambda: subprocess.run(
        [sys.executable, f"{HERE}/peer_process.py", "model.joblib", "rows.npy",
         "answers.npy"], check=True))[0]
    return fit, stage, process, model.score(*test)


def peers(task):
    classes = task == "classification"
    yield "scikit-learn", (RandomForestClassifier if classes
                           else RandomForestRegressor)
    try:
        from sklearnex import ensemble
        yield "oneDAL", (ensemble.RandomForestClassifier if classes
                         else ensemble.RandomForestRegressor)
    except ImportError:
        pass


def forests(name, task, train, test):
    what = "train, predict stage, predict process, s; score"
    form = "{:.3f} {:.4f} {:.3f} {:.4f}"
    mine = ours(task, train, test)
    report(f"{name}: ours: {what}", form.format(*mine))
    for peer, kind in peers(task):
        other = theirs(kind, train, test)
        is_target = peer == "scikit-learn"
        report(f"{name}: {peer}: {what}", form.format(*other))
        report(f"{name}: training against {peer}",
               f"{other[0] / mine[0]:.2f} x", 4 if is_target else None)
        report(f"{name}: prediction, stage against {peer}'s stage",
               f"{other[1] / mine[1]:.2f} x", 5 if is_target else None)
        report(f"{name}: prediction, process against {peer}'s process",
               f"{other[2] / mine[2]:.2f} x", 5 if is_target else None)
        report(f"{name}: prediction, our process against {peer}'s stage",
               f"{other[1] / mine[2]:.2f} x")


def stream_speed():
    """Of streams in the page cache, by stream.c."""
    for line in sh(os.environ["RF_BENCH_STREAM"]).decode().splitlines():
        what, value, unit = line.rsplit(maxsplit=2)
        report(f"streams: {what}", f"{value} {unit}",
               3 if what.endswith("used") else None)


def one_row(train, test):
    """A forest of 100 trees of about 1000 nodes, one row."""
    write("train.csv", *train)
    write("row.csv", test[0][:1], test[1][:1])
    sh("csv2bin -q --task classification -l label train.csv | "
       "rf-fit -q -n 100 --min-samples-leaf 5 -o f.arrows")
    sh("rf-pack -q f.arrows -o m.rfb; csv2bin -q --like m.rfb row.csv "
       "-o row.arrows")
    seconds = best(lambda: sh(
        "rf-predict -q m.rfb row.arrows | rf-vote -q >/dev/null"), 20)[0]
    report("rf-predict | rf-vote, one row",
           f"{seconds * 1000:.1f} ms", 15, at_least=False)


def california():
    place = os.path.join(os.environ.get("RF_DATASETS", "."),
                         "california_housing.csv")
    if not os.path.exists(place):
        return None
    import pandas
    table = pandas.read_csv(place).fillna(-999)
    table["ocean_proximity"] = table["ocean_proximity"].astype(
        "category").cat.codes
    y = table.pop("median_house_value").to_numpy(float)
    x = table.to_numpy(np.float32)
    order = np.random.default_rng(0).permutation(len(y))
    cut = len(y) * 4 // 5
    return [(x[part], y[part]) for part in (order[:cut], order[cut:])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=40000)
    parser.add_argument("--test", type=int, default=100000)
    parser.add_argument("--megabytes", type=int, default=500)
    arguments = parser.parse_args()
    x, y = covertype_like.make()
    end = arguments.rows + arguments.test
    train = x[:arguments.rows], y[:arguments.rows]
    test = x[arguments.rows:end], y[arguments.rows:end]
    housing = california()
    print(f"{N_CORES} cores; "
          + sh("rf-fit --version").decode().strip())
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        forests("covertype-like", "classification", train, test)
        if housing is not None:
            forests("california_housing", "regression", *housing)
        csv_speed.measure(arguments.megabytes * 1_000_000, report)
        stream_speed()
        one_row((train[0][:10000], train[1][:10000]), test)
        os.chdir("/")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
