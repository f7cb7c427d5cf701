"""Streams of cases G, by pyarrow, into the current directory: streams.py"""
import struct

import pyarrow as pa

HEAD = b"\xff\xff\xff\xff"
END = HEAD + b"\0\0\0\0"


def put(name, data):
    with open(name, "wb") as out:
        out.write(data)


def stream(batches, schema=None, maker=pa.ipc.new_stream, **options):
    sink = pa.BufferOutputStream()
    with maker(sink, schema or batches[0].schema,
               options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def batch(**columns):
    return pa.record_batch(columns)


def messages(data):
    at, parts = 0, []
    while data[at + 4:at + 8] != b"\0\0\0\0":
        size = struct.unpack_from("<i", data, at + 4)[0]
        body = pa.ipc.read_message(pa.BufferReader(data[at:])).body
        end = at + 8 + size + (body.size if body else 0)
        parts.append(data[at:end])
        at = end
    return parts


def body_length(data, start):
    """Where bodyLength (slot 3) of the message at start stands."""
    first = start + 8
    table = first + struct.unpack_from("<I", data, first)[0]
    slots = table - struct.unpack_from("<i", data, table)[0]
    return table + struct.unpack_from("<H", data, slots + 4 + 2 * 3)[0]


def slot(data, table, number):
    """Where a slot of the table stands."""
    slots = table - struct.unpack_from("<i", data, table)[0]
    at = struct.unpack_from("<H", data, slots + 4 + 2 * number)[0]
    assert at != 0
    return table + at


def follow(data, at):
    return at + struct.unpack_from("<I", data, at)[0]


def shared(whole):
    """A stream of one batch without nulls, with all values those of the first
    column."""
    schema, message = messages(whole)
    size = struct.unpack_from("<i", message, 4)[0]
    data = bytearray(message[:8 + size])
    root = follow(data, 8)
    buffers = follow(data, slot(data, follow(data, slot(data, root, 2)), 2))
    n = struct.unpack_from("<I", data, buffers)[0]
    place = struct.unpack_from("<qq", data, buffers + 4 + 16)
    for i in range(n):
        struct.pack_into("<qq", data, buffers + 4 + 16 * i, 0,
                         place[1] * (i % 2))
    body = message[8 + size + place[0]:][:place[1]]
    body += bytes(-len(body) % 64)
    struct.pack_into("<q", data, slot(data, root, 3), len(body))
    return schema + bytes(data) + body + END


def codes(indices, words):
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, pa.int32()), pa.array(words))


def main():
    three = batch(x=pa.array([1, 2, 3]))
    put("bare", stream([], three.schema))
    put("empty_first", stream([three.slice(0, 0), three, three.slice(0, 0)]))
    whole = stream([three])
    size = struct.unpack_from("<i", whole, 4)[0]
    for name, claim in (("most", 0x7fffffff), ("negative", -2)):
        put("metadata_" + name, whole[:4] + struct.pack("<i", claim)
            + whole[8:])
    at = body_length(whole, 8 + size)
    for name, claim in (("huge", 2**62), ("negative", -64)):
        put("body_" + name, whole[:at] + struct.pack("<q", claim)
            + whole[at + 8:])
    first, second = codes([0, 1], ["a", "b"]), codes([0, 1], ["c", "d"])
    put("replaced", stream([batch(d=first), batch(d=second)]))
    grown = codes([0, 2], ["a", "b", "e"])
    delta = stream([batch(d=first), batch(d=grown)],
                   emit_dictionary_deltas=True)
    put("delta", delta)
    parts = messages(delta)
    put("delta_first", parts[0] + parts[3] + parts[4] + END)
    numbers = pa.array([None if i % 3 == 0 else i for i in range(40)])
    columns = {"i": numbers, "f": numbers.cast(pa.float64()),
               "b": pa.array([None if i % 5 == 0 else i % 2 == 0
                              for i in range(40)]),
               "t": pa.array([None if i % 7 == 0 else "w" * i
                              for i in range(40)]),
               "c": pa.array(list("abcde") * 8).dictionary_encode()}
    put("sliced", stream([batch(**columns).slice(3, 10)]))
    put("dense", stream([batch(**{
        k: pa.array(v.to_pylist()[3:13]) for k, v in columns.items()})]))
    # few bytes do not shrink: pyarrow keeps them raw, with -1 in front
    mixed = batch(x=pa.array(list(range(1000))), y=pa.array([0.5] * 1000))
    for codec in ("lz4", "zstd"):
        put(codec, stream([mixed], compression=codec))
        put(codec + "_empty", stream([mixed.slice(0, 0)], compression=codec))
        bomb = stream([batch(x=pa.array([0] * 2**22))], compression=codec)
        says = struct.pack("<q", 8 * 2**22)
        at = bomb.rindex(says)
        for name, claim in (("_bomb", 8), ("_claim", 2**62)):
            put(codec + name, bomb[:at] + struct.pack("<q", claim)
                + bomb[at + 8:])
    put("plain", stream([mixed]))
    for codec, n_rows in (None, 2000), ("lz4", 20000), ("zstd", 20000):
        zeros = pa.array([0] * n_rows)
        for n in 8, 500:
            wide = batch(**{f"x{i}": zeros for i in range(n)})
            put(f"shared_{n}_{codec}", shared(stream([wide],
                                                     compression=codec)))
    put("file", stream([three], maker=pa.ipc.new_file))
    # 3 rows, 0 nulls: the node; then a node that cannot be
    node = struct.pack("<qq", 3, 0)
    assert whole.count(node) == 1
    for name, rows, nulls in (("nulls", 3, 4), ("rows", -3, 0),
                              ("more", 2**62, 0)):
        put("node_" + name, whole.replace(node, struct.pack("<qq", rows,
                                                            nulls)))
    put("legacy", stream([three], use_legacy_format=True))
    # Schema.endianness is slot 0, an int16: 0 is left out, so the table is
    # made by hand: Message {V5, Schema, body 0} of Schema {1, no fields}
    put("columns_few", many_columns(3))
    put("columns_many", many_columns(1_000_000))
    put("columns_claim", many_columns(3, 1_000_000_000))
    put("dictionaries", many_dictionaries(100_000))
    put("deep_few", deep(3))
    put("deep_many", deep(40))
    table = big_endian()
    put("big", HEAD + struct.pack("<i", len(table)) + table + END)


class Flat:
    """A FlatBuffers buffer of tables by hand, written from its begin, so that
    one may be referred to many times; references are filled in later."""

    def __init__(self):
        self.data = bytearray(8)

    def table(self, *slots):
        """slots: (offset in the table, form, value); a value None is to be
        filled in.  Returns where the table begins."""
        size = 4 + 4 * len(slots)
        at = len(self.data) + 4 + 2 * len(slots)
        at += -at % 4
        vtable = struct.pack(f"<{2 + len(slots)}H", 4 + 2 * len(slots), size,
                             *(4 + 4 * i if form else 0
                               for i, (form, _) in enumerate(slots)))
        self.data += bytes(at - len(vtable) - len(self.data)) + vtable
        self.data += struct.pack("<i", len(vtable))
        for form, value in slots:
            self.data += struct.pack("<" + (form or "I"),
                                     value or 0).ljust(4, b"\0")
        return at

    def vector(self, n, claim=None):
        at = len(self.data)
        self.data += struct.pack("<I", claim or n) + bytes(4 * n)
        return at

    def string(self, text):
        at = len(self.data)
        self.data += struct.pack("<I", len(text)) + text + b"\0"
        self.data += bytes(-len(self.data) % 4)
        return at

    def refer(self, place, target):
        struct.pack_into("<I", self.data, place, target - place)

    def message(self):
        self.data += bytes(-len(self.data) % 64 + 56)
        return HEAD + struct.pack("<i", len(self.data)) + bytes(self.data)


def schema_of(flat, n, claim=None):
    """A Schema message whose fields are to be filled in; returns the first
    field's place."""
    message = flat.table(("h", 4), ("B", 1), ("I", None))
    flat.refer(0, message)
    schema = flat.table((None, 0), ("I", None))
    flat.refer(message + 4 + 8, schema)
    fields = flat.vector(n, claim)
    flat.refer(schema + 4 + 4, fields)
    return fields + 4


def field_of(flat, wire, n_children):
    """A Field of a type without slots; returns it and its children's place."""
    slots = [("I", None), ("B", 1), ("B", wire), ("I", None), (None, 0)]
    field = flat.table(*slots, ("I", None) if n_children else (None, 0))
    flat.refer(field + 4, flat.string(b"x"))
    flat.refer(field + 4 + 12, flat.table())
    children = 0
    if n_children:
        children = flat.vector(n_children)
        flat.refer(field + 4 + 20, children)
    return field, children + 4


def many_columns(n, claim=None):
    """n references to one field of type bool."""
    flat = Flat()
    place = schema_of(flat, n, claim)
    field, _ = field_of(flat, 6, 0)
    for i in range(n):
        flat.refer(place + 4 * i, field)
    return flat.message() + END


def many_dictionaries(n):
    """n columns of texts by a dictionary each, whose ids fall."""
    flat = Flat()
    place = schema_of(flat, n)
    for i in range(n):
        field = flat.table(("I", None), ("B", 1), ("B", 5), ("I", None),
                           ("I", None))
        flat.refer(place + 4 * i, field)
        flat.refer(field + 4, flat.string(b"x"))
        flat.refer(field + 4 + 12, flat.table())
        # An id has 64 bits: the slot that is absent is its upper half.
        encoding = flat.table(("i", n - i), (None, 0))
        flat.refer(field + 4 + 16, encoding)
    return flat.message() + END


def deep(n):
    """A struct of two equal structs of two equal structs .., 2^n in all."""
    flat = Flat()
    places = [schema_of(flat, 1)]
    for level in range(n):
        field, children = field_of(flat, 13, 2)
        for place in places:
            flat.refer(place, field)
        places = [children, children + 4]
    field, _ = field_of(flat, 6, 0)
    for place in places:
        flat.refer(place, field)
    return flat.message() + END


def big_endian():
    data = bytearray(64)
    struct.pack_into("<I", data, 0, 16)               # root
    struct.pack_into("<5H", data, 4, 10, 12, 8, 10, 4)  # vtable of Message
    struct.pack_into("<iIhB", data, 16, 12, 20, 4, 1)  # -> header at 40
    struct.pack_into("<4H", data, 28, 8, 12, 8, 4)    # vtable of Schema
    struct.pack_into("<iIh", data, 40, 12, 8, 1)      # fields at 52, big
    return bytes(data)


main()
