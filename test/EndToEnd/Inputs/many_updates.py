#!/usr/bin/env python3
"""Updates 1,000 parameters in one run, each by `w - 0.1 * g`. No bytes are
copied, no scratch is planned, and each run sees the values of the one before.
A plan in which a reader of an old value comes behind its update is refused.
"""
import argparse
import json
import pathlib
import subprocess

import numpy as np

from batch import check, run_tool

COUNT = 1000
READ = 7
SHAPE = (8, 16)
KIND = "tensor<8x16xf32>"
RUNS = 3


def write_network(path):
    inputs = ", ".join(f"%g{n}: {KIND}" for n in range(COUNT))
    lines = [f"weir.parameter @w{n} : {KIND} = dense<{n}.0> : {KIND}"
             for n in range(COUNT)]
    lines += [f"func.func @main({inputs}) -> {KIND} {{",
              "  %rate = weir.constant dense<0.1> : tensor<f32>"]
    for n in range(COUNT):
        lines += [
            f"  %old{n} = weir.read @w{n} : {KIND}",
            f"  %step{n} = weir.mul %g{n}, %rate : {KIND}, tensor<f32>",
            f"  %new{n} = weir.sub %old{n}, %step{n} : {KIND}, {KIND}",
            f"  weir.assign @w{n}, %new{n} : {KIND}"]
    lines += [f"  %y = weir.neg %old{READ} : {KIND}",
              f"  return %y : {KIND}", "}", ""]
    path.write_text("\n".join(lines))


def check_plan(artifact):
    variant = json.loads(run_tool("graph-dump", artifact, "--json"))["variants"]
    entry = variant[0]["entries"][0]
    commands = [command for program in entry["programs"]
                for command in program["commands"]]
    kinds = [command["opcode"] for command in commands]
    check(kinds == ["Launch"] * (COUNT + 1),
          f"{len(kinds)} commands: {sorted(set(kinds))}")
    arena = sum(arena["bytes"] for arena in entry["arenas"])
    check(arena == 0, f"{arena} bytes of scratch")


def check_runs(work, artifact):
    random = np.random.default_rng(3)
    inputs, gradient = [], None
    for n in range(COUNT):
        data = random.uniform(-1, 1, SHAPE).astype(np.float32)
        np.save(work / f"g{n}.npy", data)
        inputs += ["--input", f"g{n}={work / f'g{n}.npy'}"]
        gradient = data if n == READ else gradient
    value = np.full(SHAPE, READ, np.float32)
    for runs in range(1, RUNS + 1):
        run_tool("graph-run", artifact, *inputs, "--warmup", runs - 1,
                 "--output", f"y={work / 'y.npy'}")
        found = np.load(work / "y.npy")
        check(np.array_equal(found, -value), f"run {runs}: another value")
        value = value - gradient * np.float32(0.1)


def check_proof(work, source):
    """Moves the reader of an old value behind its update."""
    text = run_tool("graph-compile", source, "--emit=exec", "-o", "-")
    lines = text.split("\n")
    verify = ["graph-opt", "-", "--pass-pipeline="
              "builtin.module(exec.entry(exec-verify-schedule))"]
    reader = next(i for i, line in enumerate(lines) if 'launch "y"' in line)
    update = next(i for i, line in enumerate(lines)
                  if f"%w{READ} :" in line and "overwrites" in line)
    check(reader < update, "the reader comes behind the update")
    lines.insert(update, lines.pop(reader))
    for plan, is_right in ((text, True), ("\n".join(lines), False)):
        done = subprocess.run(verify, input=plan, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check((done.returncode == 0) == is_right,
              f"{verify}: exit code {done.returncode}\n{done.stderr[:2000]}")
    (work / "error.txt").write_text(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    work = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    source, artifact = work / "net.mlir", work / "net.weir"
    write_network(source)
    run_tool("graph-compile", source, "-o", artifact)
    check_plan(artifact)
    check_runs(work, artifact)
    check_proof(work, source)
    print(f"{COUNT} updates in place: as numpy in {RUNS} runs")


if __name__ == "__main__":
    main()
