#!/usr/bin/env python3
"""Times reductions of whole tensors against loops written by hand, on two
threads, and one of them against one thread.

    utils/bench/reductions.py [--bin=build/bin] [--rounds=15] [--cxx=c++]

Contenders alternate, each in a process of its own; a figure is the least time
of all rounds. Above 1, Weir is faster.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

SUM = """func.func @main(%x: tensor<{n}xf32>) -> tensor<1xf32> {{
  %y = weir.reduce_sum %x : tensor<{n}xf32>
  return %y : tensor<1xf32>
}}
"""

LOSS = """func.func @main(%x: tensor<1x{n}xf32>, %label: tensor<1x1xi64>)
    -> tensor<1x1xf32> {{
  %logs = weir.log_softmax %x : tensor<1x{n}xf32>
  %own = weir.take_along_axis %logs, %label {{axis = 1 : i64}}
      : tensor<1x{n}xf32>, tensor<1x1xi64>
  %y = weir.neg %own : tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}}
"""

NORM = """func.func @main(%x: tensor<1x{rows}x{columns}xf32>,
                %scale: tensor<{rows}xf32>, %bias: tensor<{rows}xf32>)
    -> tensor<1x{rows}x{columns}xf32> {{
  %y = weir.group_norm %x, %scale, %bias {{groups = 1 : i64}}
      : tensor<1x{rows}x{columns}xf32>, tensor<{rows}xf32>, tensor<{rows}xf32>
  return %y : tensor<1x{rows}x{columns}xf32>
}}
"""

# Name, what it is called in reduction_loops, text, inputs, elements, rows.
ROWS = [
    ("sum of 16 M floats", "sum", SUM, ["x"], 1 << 24, 1),
    ("sum of 1 M floats", "sum", SUM, ["x"], 1 << 20, 1),
    ("loss over 1 M classes", "loss", LOSS, ["x", "label"], 1 << 20, 1),
    ("group norm of 1x512x3000", "norm", NORM, ["x", "scale", "bias"],
     512 * 3000, 512),
]


def output(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    return subprocess.run(list(map(str, command)), check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment).stdout


class Contender:
    def __init__(self, measure):
        self.measure = measure
        self.least = float("inf")

    def run(self):
        self.least = min(self.least, self.measure())


def weir(artifact, inputs, threads, repeats, folder):
    command = [folder / "graph-run", artifact, "--json", "--warmup=3",
               f"--threads={threads}", f"--repeat={repeats}",
               *(f"--input={name}=random" for name in inputs)]
    return Contender(lambda: 1000 * json.loads(
        output(command, threads))["latency_ms"]["min"])


def by_hand(program, name, elements, rows, repeats):
    command = [program, name, elements, rows, repeats]
    return Contender(lambda: float(output(command, 2)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default="build/bin", type=pathlib.Path)
    parser.add_argument("--rounds", default=15, type=int)
    parser.add_argument("--cxx", default="c++")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        program = folder / "reduction_loops"
        subprocess.run([args.cxx, "-O3", "-march=native", "-ffast-math",
                        "-fopenmp", HERE / "reduction_loops.cpp", "-o",
                        program], check=True)
        for number, (name, loop, text, inputs, elements,
                     rows) in enumerate(ROWS):
            source = folder / f"{number}.mlir"
            source.write_text(text.format(n=elements, rows=rows,
                                          columns=elements // rows))
            artifact = source.with_suffix(".weir")
            subprocess.run([args.bin / "graph-compile", source, "-o", artifact,
                            "--threads=2"], check=True)
            repeats = max(20, (1 << 27) // elements)
            two = weir(artifact, inputs, 2, repeats, args.bin)
            one = weir(artifact, inputs, 1, repeats, args.bin)
            hand = by_hand(program, loop, elements, rows, repeats)
            for _ in range(args.rounds):
                for contender in (two, hand, one):
                    contender.run()
            print(f"{name}: {two.least:.1f} us, by hand {hand.least:.1f} us: "
                  f"{hand.least / two.least:.2f}; one thread "
                  f"{one.least:.1f} us: {one.least / two.least:.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
