"""Runs the hand-written program of three micro-batches over two devices.

usage: micro_batches.py FOLDER PROGRAM.mlir

Each micro-batch is one of three rows x; the result is x * 2 + 2. Many runs, of
which up to two are in flight, must all give that.
"""

import pathlib
import subprocess
import sys

import numpy

PIPELINE = ("builtin.module(exec.entry(exec-plan-memory{{in-flight={frames}}},"
            "exec-verify-schedule),exec-write-artifact{{output={path}}})")


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    x = numpy.arange(48, dtype=numpy.float32).reshape(3, 16)
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "y.npy", x * 2 + 2)
    for frames in (1, 2):
        path = folder / f"frames{frames}.weir"
        pipeline = PIPELINE.format(frames=frames, path=path)
        subprocess.run(["graph-opt", program, f"--pass-pipeline={pipeline}",
                        "-o", folder / "planned.mlir"], check=True)
        subprocess.run(["graph-run", path, "--input", f"x={folder}/x.npy",
                        "--expect", f"y={folder}/y.npy", "--rtol=0",
                        "--atol=0", "--threads=1", "--repeat=30",
                        f"--in-flight={frames}"], check=True)
        print(f"{frames} in flight: right")


if __name__ == "__main__":
    main()
