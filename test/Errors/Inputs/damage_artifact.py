"""Damages of artifacts behind a checksum that fits, for damage.py.

Reads include/weir/Artifact/weir.fbs, so that it knows each field of the model.
A damaged model is written again as a well-formed FlatBuffer: what the reader
must find is that the numbers in it do not fit each other.

Machine code is left alone, and so are the kernels that call it: what it does to
memory is not in the file's power to say.
"""

import ctypes
import pathlib
import pickle
import random
import re
import struct

SCHEMA = (pathlib.Path(__file__).resolve().parents[3] / "include" / "weir"
          / "Artifact" / "weir.fbs")
SCALARS = {"bool": "?", "ubyte": "B", "byte": "b", "ushort": "H", "short": "h",
           "uint": "I", "int": "i", "ulong": "Q", "long": "q", "float": "f",
           "double": "d"}
HEADER, CHECKSUM_BEGIN, MODEL_BYTES, ALIGNMENT = 64, 16, 40, 256
CHECKSUM_LIBRARY = "libxxhash.so.0"
NUMBERS = [0, 1, 2, 3, 4, 7, 8, 16, 63, 64, 128, 255, 256, 4096, 65535,
           1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40,
           (1 << 47) + 64, (1 << 63) - 1, (1 << 64) - 1, -1, -2, -64,
           -(1 << 31), -(1 << 63)]


class Field:
    def __init__(self, owner, name, text):
        self.label = f"{owner}.{name}"
        self.name = name
        self.is_list = text.startswith("[")
        self.kind = text.strip("[]")


class Schema:
    """Tables and structs by name, each a list of fields."""

    def __init__(self, text):
        text = re.sub(r"//.*", "", text)
        self.scalars = dict(SCALARS)
        for name, base in re.findall(r"enum (\w+) : (\w+)", text):
            self.scalars[name] = SCALARS[base]
        self.tables, self.structs, self.defaults = {}, {}, {}
        for keyword, name, body in re.findall(
                r"(table|struct) (\w+) \{(.*?)\}", text, re.S):
            fields = []
            for field, kind, default in re.findall(
                    r"(\w+):([\w\[\]]+)(?: = (-?\d+))?[^;]*;", body):
                fields.append(Field(name, field, kind))
                self.defaults[f"{name}.{field}"] = int(default or 0)
            (self.tables if keyword == "table" else self.structs)[name] = fields
        self.root = re.search(r"root_type (\w+)", text)[1]
        self.layouts = {name: self.layout(fields)
                        for name, fields in self.structs.items()}

    def layout(self, fields):
        """The struct module's format, with C's padding at the end, too."""
        codes = "".join(self.scalars[field.kind] for field in fields)
        largest = max(codes, key=struct.calcsize)
        return struct.Struct("@" + codes + "0" + largest)


class Reader:
    """Makes dicts, lists, numbers and bytes of a FlatBuffer."""

    def __init__(self, schema, data):
        self.schema, self.data = schema, data

    def number(self, code, at):
        return struct.unpack_from("<" + code, self.data, at)[0]

    def follow(self, at):
        return at + self.number("I", at)

    def read(self):
        return self.table(self.schema.root, self.follow(0))

    def table(self, name, at):
        vtable = at - self.number("i", at)
        size, found = self.number("H", vtable), {}
        for index, field in enumerate(self.schema.tables[name]):
            slot = 4 + 2 * index
            offset = self.number("H", vtable + slot) if slot < size else 0
            found[field.name] = (self.value(field, at + offset) if offset
                                 else self.absent(field))
        return found

    def absent(self, field):
        is_number = field.kind in self.schema.scalars and not field.is_list
        return self.schema.defaults[field.label] if is_number else None

    def value(self, field, at):
        if not field.is_list:
            return self.item(field.kind, at)
        at = self.follow(at)
        return [self.item(field.kind, at + 4 + i * self.item_size(field.kind))
                for i in range(self.number("I", at))]

    def item_size(self, kind):
        if kind in self.schema.structs:
            return self.schema.layouts[kind].size
        return struct.calcsize(self.schema.scalars.get(kind, "I"))

    def item(self, kind, at):
        if kind in self.schema.scalars:
            return self.number(self.schema.scalars[kind], at)
        if kind in self.schema.structs:
            names = [field.name for field in self.schema.structs[kind]]
            return dict(zip(names, self.schema.layouts[kind].unpack_from(
                self.data, at)))
        at = self.follow(at)
        if kind == "string":
            size = self.number("I", at)
            return bytes(self.data[at + 4:at + 4 + size])
        return self.table(kind, at)


class Writer:
    """The opposite of `Reader`. Numbers are cut to the size of their field."""

    def __init__(self, schema):
        self.schema, self.data = schema, bytearray()

    def write(self, model):
        self.data += bytes(4) + b"WEIR"
        self.refer(0, self.table(self.schema.root, model))
        self.align(8)
        return bytes(self.data)

    def align(self, size, ahead=0):
        self.data += bytes(-(len(self.data) + ahead) % size)

    def refer(self, at, target):
        struct.pack_into("<I", self.data, at, target - at)

    def scalar(self, code, value):
        if code in "fd":
            return struct.pack("<" + code, value)
        size = struct.calcsize(code)
        return (int(value) % (1 << 8 * size)).to_bytes(size, "little")

    def table(self, name, values):
        fields = self.schema.tables[name]
        self.align(2)
        vtable = len(self.data)
        self.data += bytes(4 + 2 * len(fields))
        self.align(4)
        begin, children = len(self.data), []
        self.data += struct.pack("<i", begin - vtable)
        for index, field in enumerate(fields):
            value = values[field.name]
            if value is None:
                continue
            is_number = not field.is_list and field.kind in self.schema.scalars
            code = self.schema.scalars[field.kind] if is_number else "I"
            self.align(struct.calcsize(code))
            at = len(self.data)
            struct.pack_into("<H", self.data, vtable + 4 + 2 * index,
                             at - begin)
            self.data += self.scalar(code, value if is_number else 0)
            if not is_number:
                children.append((at, field, value))
        struct.pack_into("<HH", self.data, vtable, 4 + 2 * len(fields),
                         len(self.data) - begin)
        for at, field, value in children:
            self.refer(at, self.list(field.kind, value) if field.is_list
                       else self.child(field.kind, value))
        return begin

    def child(self, kind, value):
        if kind != "string":
            return self.table(kind, value)
        self.align(4)
        at = len(self.data)
        self.data += struct.pack("<I", len(value)) + value + b"\0"
        return at

    def list(self, kind, values):
        if kind in self.schema.structs:
            items = [self.pack(kind, value) for value in values]
        else:
            code = self.schema.scalars.get(kind)
            items = [self.scalar(code, value) if code else bytes(4)
                     for value in values]
        self.align(4)
        self.align(8, ahead=4)
        begin = len(self.data)
        self.data += struct.pack("<I", len(values)) + b"".join(items)
        if kind not in self.schema.structs and kind not in self.schema.scalars:
            for index, value in enumerate(values):
                self.refer(begin + 4 + 4 * index, self.child(kind, value))
        return begin

    def pack(self, kind, value):
        fields, layout = self.schema.structs[kind], self.schema.layouts[kind]
        codes = layout.format.lstrip("@")
        numbers = []
        for code, field in zip(codes, fields):
            raw = self.scalar(code, value[field.name])
            numbers.append(struct.unpack("<" + code, raw)[0])
        return layout.pack(*numbers)


class Place:
    """Something to change: `holder[key]`, which is of the kind of `field`."""

    def __init__(self, holder, key, field, is_item):
        self.holder, self.key, self.field = holder, key, field
        self.is_list = field.is_list and not is_item

    @property
    def value(self):
        return self.holder[self.key]

    @value.setter
    def value(self, value):
        self.holder[self.key] = value


def find_places(schema, kind, table, places):
    """Adds every place below `table` to `places`, by the field's label."""
    fields = schema.tables.get(kind) or schema.structs[kind]
    for field in fields:
        label, value = field.label, table[field.name]
        places.setdefault(label, []).append(
            Place(table, field.name, field, False))
        items = value if field.is_list else [value]
        for index, item in enumerate(items or []):
            if field.is_list:
                places.setdefault(label + "[]", []).append(
                    Place(value, index, field, True))
            if isinstance(item, dict) and not is_code(field.kind, item):
                find_places(schema, field.kind, item, places)


def is_code(kind, table):
    return ((kind == "Kernel" and table["code"] != -1)
            or (kind == "Blob" and table["type"] is None))


def copy(value):
    return pickle.loads(pickle.dumps(value))


class ArtifactDamages:
    """Damages of the artifact in `data`; `damage_bytes(data, seed)` damages
    what has no structure."""

    def __init__(self, data, damage_bytes):
        self.data, self.damage_bytes = data, damage_bytes
        self.schema = Schema(SCHEMA.read_text(encoding="utf-8"))
        self.library = ctypes.CDLL(CHECKSUM_LIBRARY)
        self.library.XXH3_64bits.restype = ctypes.c_uint64
        self.library.XXH3_64bits.argtypes = ctypes.c_char_p, ctypes.c_size_t
        begin, size = struct.unpack_from("<QQ", data, 32)
        model = Reader(self.schema, data[begin:begin + size]).read()
        # Offsets of blobs count from where the first one begins.
        self.blobs = min((blob["offset"] for blob in model["blobs"] or []),
                         default=len(data))
        for blob in model["blobs"] or []:
            blob["offset"] -= self.blobs
        self.model = pickle.dumps(model)
        if self.build(model) is None:
            raise ValueError("the artifact cannot be written again")

    def damage(self, seed):
        draw = random.Random(seed)
        kind = draw.random()
        if kind < 0.1:
            return self.damage_bytes(self.data, seed)
        if kind < 0.2:
            # What is in front of the blobs.
            head = self.damage_bytes(self.data[:self.blobs], seed)
            return self.with_checksum(head[:self.blobs].ljust(
                self.blobs, b"\0") + self.data[self.blobs:])
        model = pickle.loads(self.model)
        for _ in range(draw.choice([1, 1, 1, 1, 2, 2, 3, 8])):
            places = {}
            find_places(self.schema, self.schema.root, model, places)
            label = draw.choice(sorted(places))
            self.change(draw, draw.choice(places[label]), places[label])
        return self.build(model)

    def change(self, draw, place, alike):
        """Changes what is at `place`, perhaps to what is at one of `alike`."""
        value, choice = place.value, draw.random()
        if choice < 0.25:
            place.value = copy(draw.choice(alike).value)
        elif value is None:
            if place.is_list:
                place.value = []
        elif place.is_list:
            change_list(draw, value)
        elif isinstance(value, bytes):
            place.value = draw.choice([b"", value + b"x", value[:-1], b"\xff",
                                       b"x" * 5000])
        elif isinstance(value, dict):
            # The items of a list must be there.
            if not isinstance(place.holder, list):
                place.value = None
        elif choice < 0.65:
            place.value = value + draw.choice([-1, 1, -64, 64, 4, 256])
        else:
            place.value = draw.choice(NUMBERS)

    def build(self, model):
        """The file of a model; its blobs follow it."""
        offsets = [blob["offset"] for blob in model["blobs"] or []]
        size = len(Writer(self.schema).write(model))
        begin = -(-(HEADER + size) // ALIGNMENT) * ALIGNMENT
        for blob, offset in zip(model["blobs"] or [], offsets):
            blob["offset"] = offset + begin
        packed = Writer(self.schema).write(model)
        body = packed.ljust(begin - HEADER, b"\0") + self.data[self.blobs:]
        head = bytearray(self.data[:HEADER])
        struct.pack_into("<QQQ", head, 24, HEADER + len(body), HEADER,
                         len(packed))
        return self.with_checksum(bytes(head) + body)

    def with_checksum(self, file):
        if len(file) < HEADER:
            return file
        size = struct.unpack_from("<Q", file, MODEL_BYTES)[0]
        end = -(-(HEADER + size) // ALIGNMENT) * ALIGNMENT
        summed = file[CHECKSUM_BEGIN:end]
        checksum = self.library.XXH3_64bits(summed, len(summed))
        return file[:8] + struct.pack("<Q", checksum) + file[CHECKSUM_BEGIN:]


def change_list(draw, items):
    """Drops, repeats, swaps or moves items."""
    kind = draw.randrange(6)
    if not items:
        return
    at, other = (draw.randrange(len(items)) for _ in range(2))
    if kind == 0:
        del items[at]
    elif kind == 1:
        items.insert(other, copy(items[at]))
    elif kind == 2:
        items[at], items[other] = items[other], items[at]
    elif kind == 3:
        items.insert(other, items.pop(at))
    elif kind == 4:
        del items[at:]
    elif isinstance(items[0], int):
        items += items[:1] * draw.choice([1, 100, 5000])
    else:
        items += [copy(items[at]) for _ in range(draw.choice([1, 1, 20]))]
