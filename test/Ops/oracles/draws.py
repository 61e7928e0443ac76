"""Random numbers: Philox4x32-10, written from the paper (Salmon et al., 2011).

Known answers are those of Random123's file kat_vectors. Nothing but numpy is
imported, since other tests read this file as well.
"""
import math

import numpy as np

FACTORS = 0xD2511F53, 0xCD9E8D57
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
HALF = np.uint64(0xFFFFFFFF)
UNIT = 2.0**-24


def philox(counter, key):
    """The four words of each counter, whose words are arrays."""
    words = [np.asarray(word, np.uint64) for word in counter]
    key = list(key)
    for _ in range(10):
        products = [words[0] * np.uint64(FACTORS[0]),
                    words[2] * np.uint64(FACTORS[1])]
        (high0, low0), (high1, low1) = [
            (product >> np.uint64(32), product & HALF) for product in products]
        words = [high1 ^ words[1] ^ np.uint64(key[0]), low1,
                 high0 ^ words[3] ^ np.uint64(key[1]), low0]
        key = [(word + step) % 2**32 for word, step in zip(key, KEY_STEPS)]
    return words


for _counter, _key, _answer in (
        ([0] * 4, [0] * 2,
         [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([2**32 - 1] * 4, [2**32 - 1] * 2,
         [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
         [0xA4093822, 0x299F31D0],
         [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])):
    assert [int(word) for word in philox(_counter, _key)] == _answer


def random(seed, step, stream, index):
    """The function `random` of Weir's expressions, of whole numbers."""
    index = np.asarray(index, np.uint64)
    seed, step, stream = (int(x) % 2**64 for x in (seed, step, stream))
    counter = [index & HALF, (index >> np.uint64(32)) ^ np.uint64(
        stream % 2**32), step % 2**32, step >> 32 ^ stream >> 32]
    return philox(counter, [seed % 2**32, seed >> 32])[0]


def numbers(step, attrs, shape, which=0, count=1):
    """24 bits for each element."""
    index = np.arange(math.prod(shape)).reshape(shape) * count + which
    bits = random(attrs.get("seed", 0), step, max(attrs.get("stream", 0), 0),
                  index)
    return (bits >> np.uint64(8)).astype(np.float64)


def dropout(x, step, attrs):
    ratio = attrs.get("ratio", 0.5)
    is_kept = numbers(step, attrs, x.shape) * UNIT >= ratio
    return np.where(
        is_kept, x.astype(np.float64) / (1 - ratio if ratio < 1 else 1), 0)


def uniform(step, attrs):
    low, high = attrs.get("low", 0), attrs.get("high", 1)
    return low + numbers(step, attrs, attrs["shape"]) * UNIT * (high - low)


def normal(step, attrs):
    first, second = (numbers(step, attrs, attrs["shape"], which, 2) * UNIT
                     for which in range(2))
    radius = np.sqrt(-2 * np.log(first + UNIT))
    return attrs.get("mean", 0) + attrs.get("scale", 1) * radius * np.cos(
        2 * np.pi * second)
