"""Columns of a stream in the form of model.py."""

import struct

import pyarrow as pa


def read(stream):
    return pa.ipc.open_stream(stream).read_all()


def kind_of(kind):
    if pa.types.is_dictionary(kind):
        return "text"
    if pa.types.is_string(kind):
        return "text"
    if pa.types.is_timestamp(kind):
        return f"timestamp[{kind.unit}]"
    return str(kind)


def values_of(column):
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.int32())
    return column.to_pylist()


def bits(value):
    """So that -0.0 is not 0.0, and NaN is itself."""
    return struct.pack("<d", value) if isinstance(value, float) else value


def differs(column, kind, values):
    """What is wrong with a column, or None."""
    if kind_of(column.type) != kind:
        return f"type {column.type}, not {kind}"
    got = values_of(column)
    if len(got) != len(values):
        return f"{len(got)} rows, not {len(values)}"
    for row, (one, other) in enumerate(zip(got, values), 1):
        if bits(one) != bits(other):
            return f"row {row}: {one!r}, not {other!r}"
    return None
