"""Runs the hand-written program of three micro-batches over two devices.

usage: micro_batches.py FOLDER PROGRAM.mlir

Each micro-batch is one of three rows x; the result is x * 2 + 2. Many runs, of
which up to two are in flight, must all give that. With long rows the trace of
one run shows that launches of both devices overlap in time. On a machine with
other work that can fail, so several runs are tried.
"""

import pathlib
import re
import sys

import numpy

from batch import check, run_tool
from matmul_chains import read_launches

PIPELINE = ("builtin.module(exec.entry(exec-plan-memory{{in-flight={frames}}},"
            "exec-verify-schedule),exec-write-artifact{{output={path}}})")
ROWS, WIDTH, LONG = 3, 16, 1 << 20
TRIES = 20


def compile_program(program, path, frames):
    run_tool("graph-opt", program, "-o", path.with_suffix(".planned.mlir"),
             f"--pass-pipeline={PIPELINE.format(frames=frames, path=path)}")


def run(folder, artifact, width, *flags):
    x = numpy.arange(ROWS * width, dtype=numpy.float32).reshape(ROWS, width)
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "y.npy", x * 2 + 2)
    run_tool("graph-run", artifact, "--input", f"x={folder}/x.npy",
             "--expect", f"y={folder}/y.npy", "--rtol=0", "--atol=0",
             "--threads=1", *flags)


def widen(text):
    """The program with rows of `LONG` elements."""
    scale = LONG // WIDTH
    text = re.sub(rf"\b{WIDTH}xf32", f"{LONG}xf32",
                  text.replace(f"{ROWS}x{WIDTH}xf32", f"{ROWS}x{LONG}xf32"))
    return re.sub(rf"\b({WIDTH * 4}|{ROWS * WIDTH * 4})\b",
                  lambda found: str(int(found[0]) * scale), text)


def overlap(a, b):
    """The share of the shorter launch in which the other one runs as well."""
    together = min(a[1], b[1]) - max(a[0], b[0])
    return together / min(a[1] - a[0], b[1] - b[0])


def find_overlap(folder, artifact):
    """The largest overlap of launches on two devices, in a run in which it is
    large."""
    trace, largest = folder / "trace.json", 0.0
    for _ in range(TRIES):
        run(folder, artifact, LONG, f"--profile={trace}")
        rows = read_launches(trace)
        launches = {device: len(row) for device, row in rows.items()}
        check(launches == {"cpu:0": ROWS, "cpu:1": ROWS},
              f"the trace has the launches {launches}")
        largest = max(largest, *(overlap(a, b) for a in rows["cpu:0"]
                                 for b in rows["cpu:1"]))
        if largest > 0.25:
            return largest
    return check(False, f"in {TRIES} runs launches of both devices overlapped "
                        f"by {largest:.0%} at most")


def main():
    folder, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for frames in (1, 2):
        path = folder / f"frames{frames}.weir"
        compile_program(program, path, frames)
        run(folder, path, WIDTH, "--repeat=30", f"--in-flight={frames}")
        print(f"{frames} in flight: right")
    long, path = folder / "long.mlir", folder / "long.weir"
    long.write_text(widen(program.read_text(encoding="utf-8")),
                    encoding="utf-8")
    compile_program(long, path, 1)
    share = find_overlap(folder, path)
    print(f"launches of both devices overlap by {share:.0%}")


if __name__ == "__main__":
    main()
