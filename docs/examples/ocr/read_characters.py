#!/usr/bin/env python3
"""Writes the characters that a recogniser of PaddleOCR knows, a line for each.

usage: read_characters.py MODEL.onnx CHARACTERS.txt

They stand in the model's own file, in the metadata with the key `character`.
An ONNX file is a protocol buffer; the few fields on the way are read here, so
that no package is needed.
"""
import pathlib
import sys

# Fields of ModelProto and StringStringEntryProto in onnx.proto.
METADATA, KEY, VALUE = 14, 1, 2


def varint(data, at):
    """The number at a place, seven bits a byte, and the place behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def fields(data):
    """The fields of a message that hold bytes: number and bytes of each."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            _, at = varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise IndexError
            yield tag >> 3, data[at:at + size]
            at += size
        else:
            raise IndexError


def metadata(model):
    entries = (dict(fields(entry)) for number, entry in fields(model)
               if number == METADATA)
    return {bytes(entry[KEY]).decode(): bytes(entry[VALUE]).decode()
            for entry in entries}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    model = pathlib.Path(sys.argv[1])
    try:
        found = metadata(memoryview(model.read_bytes()))
    except (IndexError, KeyError, UnicodeDecodeError):
        sys.exit(f"{model}: expected an ONNX model, found something else")
    except OSError as error:
        sys.exit(f"{model}: {error.strerror}")
    if "character" not in found:
        sys.exit(f"{model}: expected metadata with the key 'character', found "
                 f"{sorted(found) or 'none'}; is it a recogniser?")
    text = found["character"].rstrip("\n") + "\n"
    pathlib.Path(sys.argv[2]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
