#!/usr/bin/env python3
"""Writes the files that the tests of lib/Data read, with the programs that
their formats come from: numpy, and Python's own csv, gzip and zipfile.

usage: make-inputs.py FOLDER
"""
import csv
import gzip
import pathlib
import struct
import sys
import warnings
import zipfile

import numpy

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def mix(value):
    """A number of the generator splitmix64 that has the state `value`."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def first(seed):
    return mix((seed + STEP) & MASK)


def order(seed, epoch, count):
    """The order of lib/Data/Permutation.h, written down once more."""
    bits = max(1, (count - 1).bit_length())
    left_bits, right_bits = bits // 2, bits - bits // 2
    state = first(first(seed) ^ epoch)
    keys = []
    for _ in range(24):
        state = (state + STEP) & MASK
        keys.append(mix(state))

    def once(number):
        left, right = number >> right_bits, number % (1 << right_bits)
        for i in range(0, 24, 2):
            left ^= first(keys[i] ^ right) >> (64 - left_bits)
            right ^= first(keys[i + 1] ^ left) >> (64 - right_bits)
        return left << right_bits | right

    def at(index):
        number = once(index)
        while number >= count:
            number = once(number)
        return number

    return [at(index) for index in range(count)]


def write_npy(folder):
    rows = numpy.arange(30, dtype="f4").reshape(10, 3) / 2
    numpy.save(folder / "plain.npy", rows)
    numpy.save(folder / "swapped.npy", rows.astype(">f4"))
    numpy.save(folder / "fortran.npy", numpy.asfortranarray(
        numpy.arange(120, dtype="<i2").reshape(10, 3, 4)))
    # Any byte but 0 is true.
    numpy.save(folder / "bools.npy",
               (numpy.arange(10) % 3).astype("u1").view("?"))
    numpy.save(folder / "scalar.npy", numpy.float32(1))
    numpy.save(folder / "empty.npy", numpy.zeros((0, 4), "f4"))


def write_npz(folder):
    arrays = {"images": numpy.arange(240, dtype="u1").reshape(10, 6, 4),
              "labels": numpy.arange(10, dtype="i8") % 4}
    numpy.savez(folder / "stored.npz", **arrays)
    numpy.savez_compressed(folder / "deflated.npz", **arrays)
    numpy.savez(folder / "unequal.npz", x=numpy.zeros(3), y=numpy.zeros(4))
    # A limit of a few bytes makes every number a wide one.
    limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 50, 1
    numpy.savez(folder / "wide.npz", **arrays)
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits
    with warnings.catch_warnings(), zipfile.ZipFile(
            folder / "twice.npz", "w") as archive:
        warnings.simplefilter("ignore")
        archive.write(folder / "plain.npy", "x.npy")
        archive.write(folder / "plain.npy", "x.npy")
    with zipfile.ZipFile(folder / "mixed.npz", "w") as archive:
        archive.writestr("notes.txt", "not an array")
        archive.write(folder / "plain.npy", "x.npy")


def idx(code, array):
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, code, array.ndim,
                       *array.shape) + array.astype(
                           array.dtype.newbyteorder(">")).tobytes()


def write_idx(folder):
    kinds = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}
    for kind, code in kinds.items():
        array = (numpy.arange(24) * 5).reshape(4, 3, 2).astype(kind)
        (folder / f"array-{kind}-idx3").write_bytes(idx(code, array))
    digits = idx(8, numpy.arange(24, dtype="u1").reshape(4, 3, 2))
    with gzip.open(folder / "digits-idx3.gz", "wb") as file:
        file.write(digits)
    # Two parts, as `cat a.gz b.gz` makes them.
    (folder / "parts-idx3.gz").write_bytes(
        gzip.compress(digits[:20]) + gzip.compress(digits[20:]))


def write_csv(folder):
    header = ["width", "height, mm", 'the "kind"', "count"]
    rows = [[i / 4, -i, ["oak", "ash", "elm, red"][i % 3], 2 ** i]
            for i in range(12)]
    with open(folder / "trees.csv", "w", newline="") as file:
        writer = csv.writer(file)  # Lines end in CR LF.
        writer.writerow(header)
        writer.writerows(rows)
    with open(folder / "trees.tsv", "w", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n",
                   quoting=csv.QUOTE_ALL).writerows([header, *rows])
    numpy.savetxt(folder / "numbers.csv", numpy.arange(20).reshape(5, 4) / 8,
                  delimiter=",")


def write_maps(folder):
    """The results of maps, computed by numpy as PyTorch's users write them."""
    images = numpy.random.default_rng(1).integers(
        0, 256, (8, 5, 6, 3), dtype="u1")
    mean = numpy.array([0.485, 0.456, 0.406], "f4")
    deviation = numpy.array([0.229, 0.224, 0.225], "f4")
    scaled = images.astype("f4") / numpy.float32(255)
    normal = (scaled - mean) / deviation
    numpy.savez(folder / "maps.npz", images=images, scaled=scaled,
                normal=normal,
                planes=numpy.ascontiguousarray(normal.transpose(0, 3, 1, 2)),
                halves=scaled.astype("f2"),
                wide=images.astype("f8") / 255,
                shorts=images.astype("i2") - 100,
                short_scaled=(images.astype("i2") - 100).astype("f4")
                / numpy.float32(50))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for write in (write_npy, write_npz, write_idx, write_csv, write_maps):
        write(folder)
    orders = [order(seed, epoch, 1000)
              for seed, epoch in ((0, 0), (0, 1), (7, 3), (MASK, 2 ** 40))]
    numpy.savez(folder / "orders.npz",
                **{f"o{i}": numpy.array(o) for i, o in enumerate(orders)})


if __name__ == "__main__":
    main()
