#!/usr/bin/env python3
"""Shows where the time of a run goes: a line for each launch, the slowest
first, or for each kind of kernel.

    utils/bench/profile_table.py MODEL.weir [--by-kernel] [--top=N]
        [--bin=build/bin] [-- --input=NAME=VALUE ...]

Runs MODEL by graph-run with --profile and --verbose; what follows -- goes to
it, and inputs that are not named there are random. A time is the least over
runs. Rates come from the shapes: GFLOP/s of products and convolutions, GB/s of
all that a launch reads and writes. The last line compares the sum with the
whole.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from matmul_chains import read_launches

LAUNCH = re.compile(r"(?P<device>\S+)\s+(?P<op>.*?)\s+(?P<kernel>\S+)\s+"
                    r"(?P<implementation>\S+)\s+[\d.]+ us\s+(?P<shapes>.*)$")
TENSOR = re.compile(r"((?:\d+x)*)(bf16|[fiu]\d+|i1)\b")
BITS_PER_BYTE = 8
# Per multiplication and addition.
FLOPS = 2


class Launch:
    def __init__(self, match):
        self.op, self.kernel, self.implementation = match.group(
            "op", "kernel", "implementation")
        self.device, self.shapes = match.group("device", "shapes")
        read, written = self.shapes.rsplit(" -> ", 1)
        self.operands, self.results = map(read_tensors, (read, written))
        self.us = 0.0

    @property
    def bytes(self):
        return sum(bytes for _, bytes in self.operands + self.results)

    @property
    def flops(self):
        """The flops of products and convolutions, by their shapes; 0 for other
        kernels."""
        kind = self.kernel
        if "conv" in kind:
            source = self.operands if "transpose" in kind else self.results
            weight = self.operands[1][0]
            return FLOPS * math.prod(source[0][0]) * math.prod(weight[1:])
        if "matmul" in kind or "linear" in kind:
            depth = self.operands[0][0][-1]
            return FLOPS * math.prod(self.results[0][0]) * depth
        return 0


def read_tensors(text):
    """(shape, bytes) of each tensor in a list."""
    tensors = []
    for dims, kind in TENSOR.findall(text):
        shape = [int(dim) for dim in dims.split("x")[:-1]]
        bits = max(int(re.search(r"\d+", kind)[0]), BITS_PER_BYTE)
        tensors.append((shape, math.prod(shape) * bits // BITS_PER_BYTE))
    return tensors


def least_times(launches, trace):
    """Puts the times of a trace, which has every run one after the other, into
    the launches of one run."""
    by_device = collections.defaultdict(list)
    for launch in launches:
        by_device[launch.device].append(launch)
    for device, rows in read_launches(trace).items():
        mine = by_device[device]
        for at, launch in enumerate(mine):
            launch.us = min(end - begin
                            for begin, end in rows[at::len(mine)])


def run(tool, model, flags):
    """The launches of one run, and the least time of a whole run in us."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.json")
        done = subprocess.run(
            [tool, model, "--json", "--verbose", f"--profile={trace}",
             *flags], text=True, capture_output=True)
        if done.returncode:
            sys.exit(done.stderr)
        launches = [Launch(match) for match in map(
            LAUNCH.match, done.stderr.splitlines()) if match]
        least_times(launches, trace)
    return launches, 1e3 * json.loads(done.stdout)["latency_ms"]["min"]


def random_inputs(tools, model, flags):
    dump = shutil.which("graph-dump", path=tools) or "graph-dump"
    text = subprocess.run([dump, model, "--json"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    named = " ".join(flags)
    ports = json.loads(text)["variants"][0]["entries"][0]["inputs"]
    return [f"--input={port['name']}=random" for port in ports
            if f"{port['name']}=" not in named]


def group_by_kernel(launches):
    """One row for all launches with a kernel and an implementation."""
    groups = collections.defaultdict(list)
    for launch in launches:
        groups[launch.kernel, launch.implementation].append(launch)
    return [(f"{len(members)} launches", *key,
             *(sum(getattr(member, what) for member in members)
               for what in ("us", "flops", "bytes")), "")
            for key, members in groups.items()]


def list_each(launches):
    return [(launch.op, launch.kernel, launch.implementation, launch.us,
             launch.flops, launch.bytes, launch.shapes) for launch in launches]


def print_table(rows, top, whole):
    total = sum(row[3] for row in rows)
    print(f"{'us':>10} {'share':>6} {'GFLOP/s':>8} {'GB/s':>7}  kernel, "
          "implementation, op, shapes")
    for op, kernel, implementation, us, flops, bytes, shapes in sorted(
            rows, key=lambda row: -row[3])[:top]:
        rate = f"{flops / us / 1e3:.1f}" if flops and us else "-"
        print(f"{us:10.1f} {us / total:6.1%} {rate:>8} "
              f"{bytes / max(us, 1e-3) / 1e3:7.1f}  {kernel}, "
              f"{implementation}, {op}{shapes and ', ' + shapes}")
    print(f"{total:10.1f} of {whole:.1f} us of a run in launches")


def main():
    mine, others = sys.argv[1:], []
    if "--" in mine:
        at = mine.index("--")
        mine, others = mine[:at], mine[at + 1:]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--by-kernel", action="store_true")
    parser.add_argument("--top", type=int, help="rows to print")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--bin", help="the folder of Weir's tools")
    options = parser.parse_args(mine)
    tool = shutil.which("graph-run", path=options.bin) or "graph-run"
    flags = [*others, *random_inputs(options.bin, options.model, others),
             f"--repeat={options.runs}", "--warmup=2"]
    launches, whole = run(tool, options.model, flags)
    rows = (group_by_kernel if options.by_kernel else list_each)(launches)
    print_table(rows, options.top, whole)


if __name__ == "__main__":
    main()
