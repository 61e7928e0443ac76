#!/usr/bin/env python3
"""damage.py FILE --count=N [--refused] [--check='text'] -- COMMAND...

Runs COMMAND on N damages of FILE, each another one and none equal to FILE;
'@' in COMMAND is the damaged file. Damages are drawn by seeds 0, 1, 2, ..., so
that `--seed=S --count=1 --keep` makes one again.

Every run must end by itself within a minute with exit code 0 or 1 (always 1
with --refused), take at most 1 GiB of memory, and if it fails say why. --text
damages tokens as well as bytes, --onnx what an ONNX model says as well as its
bytes other than weights, --artifact what the model of an artifact says, behind
a checksum that fits, as well as its bytes; then the share of damages is printed
that only the numbers of the model show. Without --fork-server nothing limits
memory.
"""

import argparse
import hashlib
import itertools
import os
import pathlib
import random
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "utils"))

from fork_server import Tool

TIME = 60
ADDRESSES = 8 << 30
MEMORY = 1 << 30
NUMBERS = [b"0", b"-1", b"1", b"3", b"?", b"4294967296", b"281474976710656",
           b"9223372036854775807", b"-9223372036854775808",
           b"18446744073709551616", b"1e308", b"0x7FC00000", b"nan"]
TYPES = [b"f32", b"f16", b"bf16", b"f64", b"i1", b"i8", b"ui8", b"i64", b"i4",
         b"index", b"complex<f32>", b"none"]
OPS = [b"weir." + name for name in (
    b"add", b"matmul", b"conv", b"max_pool", b"softmax", b"layer_norm", b"lrn",
    b"reduce_sum", b"reshape", b"concat", b"slice", b"split", b"pad", b"where",
    b"cast", b"read", b"constant", b"group", b"yield", b"copy", b"relayout")]
REPLACEMENTS = [(rb"\d+", NUMBERS), (rb"\b(f32|i64|i32|i1)\b", TYPES),
                (rb"weir\.\w+", OPS)]
TOKEN = re.compile(rb'[%@#!]?[\w.]+|"[^"\n]*"|->|\s+|.', re.S)
# What is refused before the numbers of an artifact's model are read.
FRAME = re.compile(rb"checksum|FlatBuffer|header|cut off|too long|not a Weir|"
                   rb"format version|is empty, expected an artifact")


def flip_bits(draw, data):
    for _ in range(draw.randint(1, 8)):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def cut(draw, data):
    del data[draw.randrange(len(data)):]


def overwrite(draw, data):
    at = draw.randrange(len(data))
    size = min(draw.randint(1, 64), len(data) - at)
    data[at:at + size] = (draw.randbytes(size) if draw.random() < 0.5
                          else draw.choice([b"\0", b"\xff"]) * size)


def extend(draw, data):
    data += bytes([draw.randrange(256)]) * draw.randint(1, 1000)


def move(draw, data):
    size = draw.randint(1, min(64, len(data) - 1))
    source, target = (draw.randrange(len(data) - size) for _ in range(2))
    data[target:target + size] = data[source:source + size]


BYTE_DAMAGES = [flip_bits, cut, overwrite, extend, move]


def change_token(draw, data):
    """Drops, repeats, swaps or replaces a token, or repeats a line."""
    tokens = TOKEN.findall(bytes(data))
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    if not places:
        return
    at = draw.choice(places)
    kind = draw.randrange(8)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, tokens[draw.choice(places)])
    elif kind == 2:
        tokens[at] = tokens[draw.choice(places)]
    elif kind == 3:
        tokens[at] *= draw.choice([2, 3, 1000])
    elif kind == 4:
        lines = bytes(data).splitlines(keepends=True)
        lines.insert(draw.randrange(len(lines)), draw.choice(lines))
        tokens = lines
    else:
        pattern, words = REPLACEMENTS[kind - 5]
        found = list(re.finditer(pattern, data))
        if found:
            place = draw.choice(found)
            tokens = [data[:place.start()], draw.choice(words),
                      data[place.end():]]
    data[:] = b"".join(tokens)


def damage(original, seed, is_text):
    draw = random.Random(seed)
    data = bytearray(original)
    if is_text and draw.random() < 0.8:
        for _ in range(draw.choice([1, 1, 2, 3])):
            change_token(draw, data)
    else:
        draw.choice(BYTE_DAMAGES)(draw, data)
    return bytes(data)


def digest(data):
    return hashlib.sha256(data).digest()


def problem(code, memory, message, options):
    """What is wrong with a run; nothing if all is well."""
    if code is None:
        return f"still running after {TIME} s"
    if code not in ((1,) if options.refused else (0, 1)):
        return f"exit code {code}"
    if code and b"error: " not in message:
        return "no message"
    if memory > MEMORY and options.fork_server:
        return f"{memory >> 20} MiB of memory"
    return None


def make_damages(original, options):
    """The function from seeds to damaged files."""
    def damage_bytes(data, seed):
        return damage(data, seed, False)
    if options.onnx:
        from damage_onnx import ModelDamages
        return ModelDamages(original, damage_bytes).damage
    if options.artifact:
        from damage_artifact import ArtifactDamages
        return ArtifactDamages(original, damage_bytes).damage
    return lambda seed: damage(original, seed, options.text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--onnx", action="store_true")
    parser.add_argument("--artifact", action="store_true")
    parser.add_argument("--fork-server", metavar="LIBRARY")
    parser.add_argument("--keep", action="store_true")
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1:]
    tool = Tool(command[0], TIME, options.fork_server, ADDRESSES)
    with open(options.file, "rb") as file:
        original = file.read()
    # Beside the original: what it names relatively is found.
    path = f"{options.file}.damaged"
    make_damage = make_damages(original, options)
    seen, codes, problems, deep = {digest(original)}, {0: 0, 1: 0}, 0, 0
    for seed in itertools.count(options.seed):
        if len(seen) > options.count:
            break
        damaged = make_damage(seed)
        if digest(damaged) in seen:
            continue
        seen.add(digest(damaged))
        with open(path, "wb") as file:
            file.write(damaged)
        code, memory, message = tool.run(
            [path if word == "@" else word.replace("=@", "=" + path)
             for word in command[1:]])
        codes[code] = codes.get(code, 0) + 1
        deep += not (code == 1 and FRAME.search(message))
        wrong = problem(code, memory, message, options)
        if wrong:
            problems += 1
            print(f"seed {seed}: {wrong}: {message[-500:]!r}")
    tool.end()
    if not options.keep:
        os.remove(path)
    print(f"{codes[1]} refused, {codes[0]} accepted, {problems} problems")
    if options.artifact:
        print(f"{100 * deep // options.count} % got behind the checksum")
    sys.exit(problems != 0)


if __name__ == "__main__":
    main()
