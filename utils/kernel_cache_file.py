"""The layout of a kernel cache, which lib/Cache/EntryTable.cpp defines."""
import struct

NAME = "entries-1"
SLOT_BYTES, SLOTS = 56, 16384
TABLE = 32
RING = TABLE + SLOT_BYTES * SLOTS


def slots(data):
    """The offsets of the slots of the table that are in use."""
    return [at for at in range(TABLE, RING, SLOT_BYTES)
            if any(data[at:at + SLOT_BYTES])]


def entry(data, slot):
    """The offset and the size of the entry of a slot, if nothing was
    overwritten yet."""
    position, size = struct.unpack_from("<QQ", data, slot + 32)
    return RING + position, size


def lose_entries(data, draw, share):
    """Data, without about `share` of its entries."""
    kept = bytearray(data)
    for slot in slots(data):
        if draw.random() < share:
            kept[slot:slot + SLOT_BYTES] = bytes(SLOT_BYTES)
    return bytes(kept)
