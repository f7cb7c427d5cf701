"""Reads a packed forest as rf-forest(5) describes it, and compares it with the
forest stream, as pyarrow reads that: every value, checksum and fingerprint.

    read_pack.py MODEL.rfb FOREST.arrows
"""

import ctypes
import json
import struct
import sys
import zlib

import numpy as np
import pyarrow as pa

NAMES = ["", "header", "trees", "feature", "threshold", "threshold_int",
         "left", "missing_left", "cats_first", "cats", "leaf_first",
         "leaf_class", "leaf_value", "gain", "cover"]
TYPES = {"trees": "<i8", "feature": "<i4", "threshold": "<f8",
         "threshold_int": "<i8", "left": "<i4", "missing_left": "u1",
         "cats_first": "<i8", "cats": "u1", "leaf_first": "<i8",
         "leaf_class": "<i4", "leaf_value": "<f8", "gain": "<f4",
         "cover": "<f8"}


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
xxhash.XXH3_128bits.restype = Hash128
xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def hash128(data):
    """Canonical: the high half first, big-endian."""
    h = xxhash.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", h.high, h.low)


def read_sections(data):
    assert data[:8] == b"\x89RFB\r\n\x1a\n"
    version, n, size, checksum = struct.unpack_from("<IIQQ", data, 8)
    assert version == 1 and size == len(data)
    end = 64 + 40 * n
    table = data[:24] + bytes(8) + data[32:end]
    assert xxhash.XXH3_64bits(table, len(table)) == checksum
    sections = {}
    for i in range(n):
        kind, encoding, offset, raw, stored, checksum = struct.unpack_from(
            "<IIQQQQ", data, 64 + 40 * i)
        assert offset % 64 == 0 and not any(data[end:offset])
        part = data[offset:offset + stored]
        assert xxhash.XXH3_64bits(part, len(part)) == checksum
        if encoding == 1:
            part = zlib.decompress(part)
        assert len(part) == raw
        sections[NAMES[kind]] = part
        end = offset + stored
    assert not any(data[end:]) and len(data) % 64 == 0
    return sections


def read_header(data):
    n, = struct.unpack_from("<I", data)
    at, entries = 4, {}
    for _ in range(n):
        key, value = struct.unpack_from("<II", data, at)
        at += 8
        entries[data[at:at + key].decode()] = data[
            at + key:at + key + value].decode()
        at += key + value
    assert at == len(data)
    return entries


def schema_text(header):
    features = json.loads(header["rf.features"])
    levels = [header.get("rf.vocab." + f["name"], "[]") for f in features]
    return ('{"task":"%s","features":%s,"levels":[%s],"classes":%s}' % (
        header["rf.task"], header["rf.features"], ",".join(levels),
        header.get("rf.classes", "[]"))).encode()


def tree_hash(number, n, arrays, has_stats):
    parts = [struct.pack("<qqq", number, n, has_stats)]
    order = ["feature", "threshold", "threshold_int", "left", "missing_left",
             "cats_first", "cats", "gain", "cover", "leaf_first",
             "leaf_class", "leaf_value"]
    parts += [arrays[k].tobytes() for k in order if k in arrays]
    return hash128(b"".join(parts))


def trees_of(arrays):
    """Each tree's part of the arrays."""
    node = offset = cats = entry = 0
    for number, n in arrays["trees"].reshape(-1, 2):
        tree = {k: arrays[k][node:node + n] for k in
                ("feature", "threshold", "threshold_int", "left",
                 "missing_left", "gain", "cover") if k in arrays}
        first = tree["leaf_first"] = arrays["leaf_first"][
            offset:offset + n + 1]
        for k in ("leaf_class", "leaf_value"):
            tree[k] = arrays[k][entry:entry + first[-1]]
        entry += first[-1]
        if "cats" in arrays:
            first = tree["cats_first"] = arrays["cats_first"][
                offset:offset + n + 1]
            tree["cats"] = arrays["cats"][cats:cats + first[-1]]
            cats += first[-1]
        node, offset = node + n, offset + n + 1
        yield int(number), int(n), tree
    assert node == len(arrays["feature"])
    assert entry == len(arrays["leaf_class"])


def row_of(features, tree, i):
    """The node as a row of the forest stream."""
    feature = int(tree["feature"][i])
    a, b = tree["leaf_first"][i:i + 2]
    row = {"node": i, "feature": None, "threshold": None, "left": None,
           "missing_left": None, "leaf": None, "gain": None,
           "cover": float(tree["cover"][i]) if "cover" in tree else None}
    if "threshold_int" in tree:
        row["threshold_int"] = None
    if "cats" in tree:
        row["cats"] = None
    if feature < 0:
        row["leaf"] = [{"class": int(c), "value": float(v)} for c, v in zip(
            tree["leaf_class"][a:b], tree["leaf_value"][a:b])]
        return row
    assert a == b
    kind = features[feature]
    row.update(feature=feature, left=int(tree["left"][i]),
               missing_left=bool(tree["missing_left"][i]))
    if "gain" in tree:
        row["gain"] = float(tree["gain"][i])
    if kind["type"] == "categorical":
        a, b = tree["cats_first"][i:i + 2]
        row["cats"] = tree["cats"][a:b].tobytes()
    elif kind["precision"] == "int64":
        row["threshold_int"] = int(tree["threshold_int"][i])
    else:
        row["threshold"] = float(tree["threshold"][i])
    return row


def main():
    sections = read_sections(open(sys.argv[1], "rb").read())
    header = read_header(sections.pop("header"))
    arrays = {k: np.frombuffer(v, TYPES[k]) for k, v in sections.items()}
    stream = pa.ipc.open_stream(sys.argv[2])
    metadata = {k.decode(): v.decode()
                for k, v in stream.schema.metadata.items()}
    rows, end = [], {}
    while True:
        try:
            batch, custom = stream.read_next_batch_with_custom_metadata()
        except StopIteration:
            break
        rows += batch.to_pylist()
        end = custom or end
    metadata["rf.forest"] = end[b"rf.forest"].decode()
    for key in ("rf.version", "rf.producer"):
        del metadata[key]
    assert header == metadata, (header, metadata)
    text = schema_text(header)
    assert hash128(text).hex() == header["rf.schema.hash"]
    features = json.loads(header["rf.features"])
    at, hashes = 0, []
    for number, n, tree in trees_of(arrays):
        hashes.append(tree_hash(number, n, tree, "gain" in arrays))
        for i in range(n):
            row = row_of(features, tree, i)
            row["tree"] = number
            assert row == rows[at], (row, rows[at])
            at += 1
    assert at == len(rows)
    whole = b"".join(hashes) + header["rf.schema.hash"].encode()
    assert hash128(whole).hex() == header["rf.forest"]
    print(len(hashes), "trees,", at, "nodes")


main()
