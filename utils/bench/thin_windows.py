#!/usr/bin/env python3
"""Times windows over images of one column against the same windows over images
of one row and over sequences, on two threads.

    utils/bench/thin_windows.py [--bin=build/bin] [--rounds=15]

The three forms hold the same bytes. They alternate, each in a process of its
own; a figure is the least time of all rounds, in microseconds. The last column
is that of the column over the best of the others.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

CELLS = 512

# Name, op, channels, outputs (0: a pool), groups, window, other attributes.
CASES = [
    ("5, 256 to 512", "conv", 256, 512, 1, 5, {}),
    ("5, 256 to 512, stride 2", "conv", 256, 512, 1, 5, {"strides": 2}),
    ("3, 128 to 128, dilation 4", "conv", 128, 128, 1, 3, {"dilations": 4}),
    ("3, 64 to 64", "conv", 64, 64, 1, 3, {}),
    ("1, 512 to 512", "conv", 512, 512, 1, 1, {}),
    ("31, 256 groups", "conv", 256, 256, 256, 31, {}),
    ("4, 256 to 128, stride 2", "conv_transpose", 256, 128, 1, 4,
     {"strides": 2}),
    ("5, maximum", "max_pool", 256, 0, 1, 5, {}),
    ("3, average, stride 2", "average_pool", 256, 0, 1, 3, {"strides": 2}),
]


def place(form, cells, other=1):
    """The spatial dims of `form`, of which one has `cells`."""
    return {"column": [cells, other], "row": [other, cells],
            "sequence": [cells]}[form]


def result_cells(op, window, attributes):
    stride = attributes.get("strides", 1)
    if op == "conv_transpose":
        return (CELLS - 1) * stride + window
    covered = (window - 1) * attributes.get("dilations", 1) + 1
    return (CELLS - covered) // stride + 1


def tensor(dims):
    return f"tensor<{'x'.join(map(str, dims))}xf32>"


def write(case, form):
    _, op, channels, outputs, groups, window, attributes = case
    x = tensor([1, channels, *place(form, CELLS)])
    y = tensor([1, outputs or channels,
                *place(form, result_cells(op, window, attributes))])
    extra = [f"{name} = {place(form, value)}"
             for name, value in attributes.items()]
    if not outputs:
        extra.append(f"kernel_shape = {place(form, window)}")
        return (f"func.func @main(%x: {x}) -> {y} {{\n"
                f"  %y = weir.{op} %x {{{', '.join(extra)}}} : {x}\n"
                f"  return %y : {y}\n}}\n")
    extra.append(f"groups = {groups} : i64")
    dims = ([channels, outputs // groups] if op == "conv_transpose"
            else [outputs, channels // groups])
    w = tensor([*dims, *place(form, window)])
    return (f"func.func @main(%x: {x}) -> {y} {{\n"
            f"  %w = weir.constant dense<0.01> : {w}\n"
            f"  %y = weir.{op} %x, %w {{{', '.join(extra)}}} : {x}, {w}\n"
            f"  return %y : {y}\n}}\n")


def measure(folder, artifact):
    report = subprocess.run(
        [folder / "graph-run", artifact, "--input=x=random", "--json",
         "--warmup=5", "--repeat=60"],
        check=True, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout
    return 1000 * json.loads(report)["latency_ms"]["min"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default="build/bin", type=pathlib.Path)
    parser.add_argument("--rounds", default=15, type=int)
    args = parser.parse_args()
    forms = ["column", "row", "sequence"]
    with tempfile.TemporaryDirectory() as temporary:
        source = pathlib.Path(temporary) / "net.mlir"
        for precision in ("f32", "bf16"):
            for case in CASES:
                least = dict.fromkeys(forms, float("inf"))
                for form in forms:
                    source.write_text(write(case, form))
                    subprocess.run(
                        [args.bin / "graph-compile", source, "--threads=2",
                         f"--precision={precision}", "-o",
                         source.with_name(form)], check=True)
                for _ in range(args.rounds):
                    for form in forms:
                        least[form] = min(least[form], measure(
                            args.bin, source.with_name(form)))
                best = min(least["row"], least["sequence"])
                figures = "".join(f"{least[form]:10.1f}" for form in forms)
                print(f"{precision:5}{case[1]:15}{case[0]:27}{figures}"
                      f"{least['column'] / best:8.2f}", flush=True)


if __name__ == "__main__":
    main()
