"""Seeded random data sets with options of rf-fit, and their data streams."""

import io

import numpy as np
import pyarrow as pa

MOST_ROWS = 20000


class Column:
    def __init__(self, name, kind, array, values, missing=None, texts=None):
        # kind: numeric, int64, categorical, ordinal
        self.name, self.kind, self.array = name, kind, array
        self.values, self.missing, self.texts = values, missing, texts


class DataSet:
    def __init__(self):
        self.columns, self.options, self.label = [], [], None
        self.weight, self.rules = None, {}


def numeric(rng, n, name):
    kind = rng.integers(7)
    if kind == 0:
        values = rng.normal(size=n)
    elif kind == 1:  # many of one value, which has a bin of its own
        values = np.where(rng.random(n) < .7, 0.0, rng.normal(size=n))
    elif kind == 2:
        values = rng.integers(-3, 4, n).astype(np.float64)
    elif kind == 3:
        values = np.round(rng.exponential(30, n))
    elif kind == 4:
        values = rng.normal(size=n).astype(np.float32).astype(np.float64)
    elif kind == 5:
        values = (rng.random(n) < .4).astype(np.float64)
    else:  # neighbouring doubles, infinities, both zeros
        values = 1 + rng.integers(0, 5, n) * 2.0 ** -52
        values = np.where(rng.random(n) < .1, np.inf, values)
        values = np.where(rng.random(n) < .1, -0.0, values)
        values = np.where(rng.random(n) < .1, -np.inf, values)
    missing = missing_rows(rng, n)
    if kind == 4:
        array = pa.array(values.astype(np.float32), mask=missing)
    elif kind == 5:
        array = pa.array(values > 0, mask=missing)
    elif kind in (2, 3) and rng.random() < .5:
        kinds = (np.int16, np.int32, np.int64)
        array = pa.array(values.astype(kinds[rng.integers(3)]), mask=missing)
    elif rng.random() < .5:
        array = pa.array(np.where(missing, np.nan, values))
    else:
        array = pa.array(values, mask=missing)
    return Column(name, "numeric", array, values + 0.0, missing)


def missing_rows(rng, n):
    if rng.random() < .6:
        return np.zeros(n, bool)
    return rng.random(n) < rng.choice([.02, .3, .9])


def whole(rng, n, name):
    """Whole numbers beyond 2^53."""
    values = (1 << 60) + rng.integers(0, rng.choice([20, 5000]), n)
    missing = missing_rows(rng, n)
    if missing.all():
        missing[0] = False
    return Column(name, "int64", pa.array(values, mask=missing), values,
                  missing)


def category(rng, n, name, kind="categorical"):
    n_levels = int(rng.choice([2, 3, 8, 40, 400]))
    share = rng.dirichlet(np.full(n_levels, rng.choice([.3, 3])))
    level = rng.choice(n_levels, n, p=share)
    missing = missing_rows(rng, n)
    texts = [None if m else f"l{v}é" if v % 7 == 0 else f"L{v}"
             for v, m in zip(level, missing)]
    array = pa.array(texts, pa.string())
    if rng.random() < .7 and not missing.all():
        array = array.dictionary_encode()
    values = rng.permutation(n_levels)[level].astype(np.float64)
    return Column(name, kind, array, values, missing, texts)


def one_hot(rng, n, name):
    size = int(rng.integers(3, 25))
    level = rng.integers(0, size, n)
    none = np.zeros(n, bool)
    return [Column(f"{name}.{k}", "numeric",
                   pa.array((level == k).astype(np.int8)),
                   (level == k).astype(np.float64), none)
            for k in range(size)]


def signal(rng, columns, n):
    """What labels follow: some columns, and noise."""
    total = rng.normal(size=n) * rng.choice([0, .3, 2])
    for column in columns:
        values = np.where(np.isfinite(column.values), column.values, 0)
        values = np.asarray(values, np.float64)
        spread = values.std()
        if spread > 0 and rng.random() < .7:
            part = (values - values.mean()) / spread
            part = np.where(column.missing, 1, part)
            total = total + rng.normal() * part
    return total


def class_labels(rng, total, n_classes):
    edges = np.quantile(total, rng.dirichlet(np.ones(n_classes)).cumsum()[:-1])
    labels = np.searchsorted(edges, total)
    wild = rng.random(len(total)) < rng.choice([0, .1])
    return np.where(wild, rng.integers(0, n_classes, len(total)), labels)


def add_label(rng, data, n):
    total = signal(rng, data.columns, n)
    data.is_regression = rng.random() < .25
    if data.is_regression:
        y = total * rng.choice([1, 1e-3, 1e6]) + rng.choice([0, 1e5])
        if rng.random() < .3:
            y = np.round(y)
        data.y, data.label = y, pa.array(y)
        return
    n_classes = int(rng.integers(2, 21))
    labels = class_labels(rng, total, n_classes)
    kind = rng.integers(3)
    if kind == 0 and n_classes == 2:
        data.label = pa.array(labels > 0)
        data.y = [str(x > 0).lower() for x in labels]
    elif kind == 1:
        data.label = pa.array(labels * 3 - 4)
        data.y = [str(x * 3 - 4) for x in labels]
    else:
        data.y = [f"class {x}" for x in labels]
        data.label = pa.array(data.y).dictionary_encode()


def add_weight(rng, data, n):
    kind = rng.integers(6)
    if kind > 2:
        return
    if kind == 0:
        w = rng.integers(0, 5, n).astype(np.float64)
    elif kind == 1:
        w = rng.random(n) + 1e-3
    else:
        w = np.exp(rng.normal(size=n) * 3)
        w[rng.random(n) < .2] = 0
    if not (w > 0).any():
        w[0] = 1
    data.weight = w


def add_rules(rng, data, n):
    rules = data.rules = {
        "max_depth": None, "min_samples_split": 2, "min_samples_leaf": 1,
        "min_impurity_decrease": 0.0, "count_constant": False,
        "bootstrap": True, "max_samples": None, "class_weight": None,
        "bins": 254, "min_category_rows": 5, "max_categories": 253}

    def sometimes(share, name, value):
        if rng.random() < share:
            rules[name] = value
            option = "--" + name.replace("_", "-")
            data.options += [option, str(value)]

    sometimes(.2, "max_depth", int(rng.integers(0, 8)))
    sometimes(.15, "min_samples_split", int(rng.integers(2, 30)))
    sometimes(.25, "min_samples_leaf", int(rng.integers(2, 20)))
    sometimes(.15, "min_impurity_decrease",
              float(rng.choice([1e-4, 1e-2])))
    sometimes(.2, "bins", int(rng.choice([2, 3, 17, 1000])))
    sometimes(.2, "min_category_rows", int(rng.choice([1, 30])))
    sometimes(.2, "max_categories", int(rng.choice([1, 2, 20])))
    if rng.random() < .2:
        rules["count_constant"] = True
        data.options.append("--count-constant")
    kind = rng.random()
    if kind < .15:
        rules["bootstrap"] = False
        data.options.append("--no-bootstrap")
    elif data.weight is None:
        sometimes(.2, "max_samples", int(rng.integers(1, n + 1)))
    rules["criterion"] = "squared_error" if data.is_regression else "gini"
    if not data.is_regression and rng.random() < .3:
        rules["criterion"] = "entropy"
        data.options += ["--criterion", "entropy"]
    if not data.is_regression and rng.random() < .15:
        rules["class_weight"] = "balanced"
        data.options += ["--class-weight", "balanced"]


def make(seed, most_rows=MOST_ROWS):
    rng = np.random.default_rng(seed)
    data = DataSet()
    data.seed = seed
    n = int(np.exp(rng.uniform(0, np.log(most_rows + 1))))
    data.n = n
    for k in range(int(rng.integers(1, 10))):
        kind = rng.random()
        if kind < .6:
            data.columns.append(numeric(rng, n, f"x{k}"))
        elif kind < .68:
            data.columns.append(whole(rng, n, f"x{k}"))
        elif kind < .88:
            data.columns.append(category(rng, n, f"x{k}"))
        elif kind < .92:
            data.columns.append(category(rng, n, f"x{k}", "ordinal"))
            data.options += ["--ordinal", f"x{k}"]
        else:
            data.columns += one_hot(rng, n, f"x{k}")
    add_label(rng, data, n)
    add_weight(rng, data, n)
    add_rules(rng, data, n)
    data.trees = int(rng.integers(1, 4))
    data.options += ["-n", str(data.trees), "-s", str(seed * 7919)]
    data.max_features = None
    if rng.random() < .5:
        data.max_features = str(rng.choice(["1", "2", "all", "0.5", "log2"]))
        data.options += ["--max-features", data.max_features]
    data.batch = int(rng.integers(1, n + 1))
    return data


def field(name, array, role):
    return pa.field(name, array.type, metadata={"rf.role": role})


def stream(data):
    """The bytes of the data stream."""
    arrays = [c.array for c in data.columns]
    fields = [field(c.name, c.array, "feature") for c in data.columns]
    arrays.append(data.label)
    fields.append(field("y", data.label, "label"))
    if data.weight is not None:
        arrays.append(pa.array(data.weight))
        fields.append(field("w", arrays[-1], "weight"))
    task = "regression" if data.is_regression else "classification"
    schema = pa.schema(fields, {"rf.version": "1", "rf.kind": "data",
                                "rf.task": task})
    table = pa.Table.from_arrays(arrays, schema=schema)
    out = io.BytesIO()
    with pa.ipc.new_stream(out, schema) as writer:
        for part in table.to_batches(max_chunksize=max(1, data.batch)):
            writer.write_batch(part)
        end = pa.RecordBatch.from_arrays(
            [a.slice(0, 0) for a in arrays], schema=schema)
        writer.write_batch(end, custom_metadata={
            "rf.end.rows": str(table.num_rows)})
    return out.getvalue()
