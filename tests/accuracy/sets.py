"""The data sets of `make accuracy`, read as their reference figures were.

Reference: scikit-learn RandomForest(n_estimators=100, random_state=0), 5 folds
(StratifiedKFold or KFold, shuffle=True, random_state=0), mean and standard
deviation over the folds of accuracy or R2.  Cells that are empty, ?, NA or nan
became -999; a column holding any other word was replaced by the number of its
level, levels sorted; rows without label were dropped; all other columns were
used.

The four of data/ are always there; the others are public files, looked for in
the directory $RF_DATASETS under the names below.
"""

import csv
import gzip
import io
import os
import re
from pathlib import Path

import numpy as np

MISSING = {"", "?", "NA", "nan"}
SHIPPED = Path(__file__).resolve().parents[2] / "data"


class Set:
    """One file: where its label is, how it is cut, what the reference got."""

    def __init__(self, file, task, label, mean, sd, shape, header=False,
                 delimiter=",", skip=0, drop=(), decimal="."):
        self.file, self.task, self.label = file, task, label
        self.mean, self.sd, self.shape = mean, sd, shape
        self.header, self.delimiter, self.skip = header, delimiter, skip
        self.drop, self.decimal = drop, decimal
        self.name = file.split(".")[0]

    def path(self):
        for place in (SHIPPED, Path(os.environ.get("RF_DATASETS", "."))):
            for name in (self.file, self.file.replace("_6k.csv", ".csv.gz")):
                if (place / name).exists():
                    return place / name
        return None


C, R = "classification", "regression"
SETS = [
    Set("iris.csv", C, -1, .9400, .0249, (150, 4)),
    Set("digits.csv.gz", C, -1, .9733, .0067, (1797, 64)),
    Set("concrete.csv", R, -1, .9118, .0091, (1030, 8), True, ";"),
    Set("titanic.csv", C, "Survived", .8215, .0138, (891, 11), True),
    Set("covtype_6k.csv", C, -1, .8596, .0109, (5999, 54), True),
    Set("wine.csv", C, -1, .9719, .0176, (178, 13), skip=1),
    Set("breast_cancer_wisconsin.csv", C, -1, .9671, .0107, (699, 10)),
    Set("letter_recognition.csv", C, 0, .9639, .0031, (20000, 16), True),
    Set("satellite_trn.csv", C, -1, .9112, .0133, (4435, 36), True, "\t"),
    Set("sonar.csv", C, -1, .8416, .0529, (208, 60)),
    Set("spambase.csv", C, -1, .9522, .0043, (4601, 57), True),
    Set("adult_train.csv.gz", C, -1, .8583, .0036, (32561, 14)),
    Set("german_credit.csv", C, -1, .7720, .0163, (1000, 20)),
    Set("mushroom.csv", C, 0, 1., 0., (8124, 22), True),
    Set("california_housing.csv", R, "median_house_value", .8178, .0034,
        (20640, 9), True),
    Set("boston_housing.data.csv", R, -1, .8210, .0838, (506, 13),
        delimiter=" "),
    Set("abalone.csv", R, -1, .5358, .0297, (4177, 8)),
    Set("bike_hour.csv", R, "cnt", .9498, .0008, (17379, 14), True,
        drop=("casual", "registered")),
    Set("winequality_white.csv", R, -1, .5192, .0338, (4898, 11), True),
    Set("airfoil.csv", R, -1, .9342, .0054, (1503, 5), delimiter="\t"),
    Set("forest_fires.csv", R, 12, -.4777, .7834, (517, 12), drop=(13,)),
    Set("pima_diabetes.csv", C, -1, .7409, .0241, (768, 8)),
    Set("flights_10k.csv", C, -1, .8087, .0027, (10000, 8), True),
    Set("higgs_7k.csv", C, 0, .6964, .0111, (7000, 28), delimiter="\t"),
    Set("creditcard_5k.csv", C, -1, .9522, .0022, (4999, 17), True),
    Set("poker_train.csv", C, -1, .6023, .0041, (25010, 10), True),
    Set("ames.csv", R, "SalePrice", .8913, .0209, (2930, 81), True),
    Set("a9a.libsvm.gz", C, 0, .8328, .0012, (48842, 123)),
    Set("heart_scale.libsvm", C, 0, .8222, .0148, (270, 13)),
    Set("verkaufsdaten.csv", R, "Total_Sales", .9985, .0011, (1000, 6), True,
        ";", decimal=","),
    Set("oecd_bli_2015.csv", R, "Value", .9129, .0179, (3292, 16), True),
    Set("police_killings.csv", C, "armed", .4540, .0314, (467, 33), True),
    Set("agaricus.libsvm", C, 0, 1., 0., (6513, 126)),
    Set("ozone.csv", R, "V4", .6941, .0676, (361, 12), True),
    Set("soybean.csv", C, "Class", .9415, .0248, (683, 35), True),
]


def text_of(path):
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def records(data_set, text):
    if data_set.delimiter == " ":
        return [line.split() for line in text.splitlines() if line.strip()]
    reader = csv.reader(io.StringIO(text, newline=""),
                        delimiter=data_set.delimiter)
    return [row for row in reader if row]


def libsvm(data_set, text):
    n_features = data_set.shape[1]
    labels, rows = [], []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        row = np.zeros(n_features)
        for word in words[1:]:
            index, value = word.split(":")
            row[int(index) - 1] = float(value)
        labels.append(words[0])
        rows.append(row)
    return np.array(rows), labels


def number(cell, decimal):
    return float(cell.replace(decimal, "."))


def column_of(cells, decimal):
    """Numbers, or the numbers of the sorted levels; -999 for missing."""
    present = [cell for cell in cells if cell not in MISSING]
    try:
        known = {cell: number(cell, decimal) for cell in set(present)}
    except ValueError:
        known = {cell: i for i, cell in enumerate(sorted(set(present)))}
    return [known.get(cell, -999.) for cell in cells]


def table_of(data_set):
    """Rows of cells, their labels, the places of the features."""
    rows = records(data_set, text_of(data_set.path()))[data_set.skip:]
    rows = [[cell.strip() for cell in row] for row in rows]
    names = rows.pop(0) if data_set.header else None
    width = len(rows[0])
    rows = [row for row in rows if len(row) == width]
    place = (names.index(data_set.label) if isinstance(data_set.label, str)
             else data_set.label % width)
    drop = [names.index(d) if isinstance(d, str) else d for d in data_set.drop]
    rows = [row for row in rows if row[place] not in MISSING]
    features = [i for i in range(width) if i != place and i not in drop]
    return rows, [row[place] for row in rows], features


def targets(data_set, labels):
    if data_set.task == R:
        return np.array([number(cell, data_set.decimal) for cell in labels])
    return np.array([re.sub(r"[\r\n,]", "_", cell) for cell in labels])


def load(data_set):
    """X (float64), y (labels as text, or float64), checked for their shape."""
    if ".libsvm" in data_set.file:
        x, labels = libsvm(data_set, text_of(data_set.path()))
    else:
        rows, labels, features = table_of(data_set)
        x = np.array([column_of([row[i] for row in rows], data_set.decimal)
                      for i in features]).T
    if x.shape != data_set.shape:
        raise SystemExit(f"{data_set.file}: read as {x.shape}, the reference "
                         f"had {data_set.shape}")
    return x, targets(data_set, labels)


def cells(data_set):
    """The features' cells as they stand, decimal commas as points; labels."""
    rows, labels, features = table_of(data_set)
    if data_set.decimal != ".":
        rows = [[re.sub(r"^(-?[0-9]+),([0-9]+)$", r"\1.\2", cell)
                 for cell in row] for row in rows]
    return ([[row[i] for i in features] for row in rows],
            targets(data_set, labels))
