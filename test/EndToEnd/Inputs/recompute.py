#!/usr/bin/env python3
"""Compiles a network with gradients under memory caps that its plan exceeds,
and compares the results with those without a cap, bit by bit."""
import json
import pathlib
import re
import subprocess
import sys

from batch import check, run_tool

LAYERS, SIZE = 12, 64
TENSOR = f"tensor<{SIZE}x{SIZE}xf32>"
# The share of the scratch that is left, and flags.
TRIALS = {
    "one device": (0.75, []),
    "two devices": (0.85, ["--devices=cpu:0-1", "--placement=random:3"]),
    "two in flight": (0.75, ["--in-flight=2"]),
}


def write_network(path):
    """Dense layers with an activation, and the gradients of all weights."""
    weights = [f"%w{i}" for i in range(LAYERS)]
    inputs = ", ".join(f"{name}: {TENSOR}" for name in ["%x", *weights])
    lines = []
    x = "%x"
    for i, weight in enumerate(weights):
        lines += [f"%y{i} = weir.matmul {x}, {weight} : {TENSOR}, {TENSOR}",
                  f"%z{i} = weir.tanh %y{i} : {TENSOR}"]
        x = f"%z{i}"
    types = ", ".join([TENSOR] * LAYERS)
    lines += [f"%loss = weir.reduce_mean {x} {{keepdims = false}} : {TENSOR}",
              f"%g:{LAYERS} = weir.gradient %loss of {', '.join(weights)}",
              f"    : tensor<f32> of {types}",
              f"return {', '.join(f'%g#{i}' for i in range(LAYERS))} : {types}"]
    body = "\n".join(f"  {line}" for line in lines)
    path.write_text(f"func.func @main({inputs}) -> ({types}) {{\n{body}\n}}\n")


class Network:
    """The network, compiled with some flags."""

    def __init__(self, folder, *flags):
        self.model, self.folder = folder / "model.weir", folder
        self.command = ["graph-compile", folder / "net.mlir", "-o", self.model,
                        "--threads=1", "--stats=json", *flags]

    def compile(self, *caps):
        """The devices by their names, and messages."""
        done = subprocess.run([*self.command, *caps], text=True,
                              capture_output=True)
        devices = (json.loads(done.stdout)["devices"]
                   if done.returncode == 0 else [])
        return {d["name"]: d for d in devices}, done.stderr

    def results(self):
        names = ["x", *(f"w{i}" for i in range(LAYERS))]
        run_tool("graph-run", self.model, "--output-dir", self.folder,
                 *(f"--input={name}=random" for name in names))
        return {path.name: path.read_bytes()
                for path in self.folder.glob("*.npy")}


def cap_of(device, share):
    """The cap with which `share` of the device's scratch is left."""
    spared = int(device["arena_bytes"] * (1 - share))
    return f"--memory-cap={device['name']}={device['held_bytes'] - spared}"


def check_share(title, network, share):
    """Less scratch, more launches, the same bits."""
    before, _ = network.compile()
    expected = network.results()
    after, messages = network.compile(
        *(cap_of(device, share) for device in before.values()
          if device["arena_bytes"]))
    check(after, f"{title}: {messages}")
    for name, device in after.items():
        check(device["arena_bytes"] <= share * before[name]["arena_bytes"] + 1,
              f"{title}: {name} has {device['arena_bytes']} bytes of scratch")
    check(re.search("remark: .* runs? again", messages),
          f"{title}: no remark in {messages}")
    check(network.results() == expected, f"{title}: other bits")
    more = sum(after[name]["launches"] - before[name]["launches"]
               for name in before)
    print(f"{title}: {more} launches more, same bits")


def check_least(network):
    """The cap that an error names suffices."""
    before, _ = network.compile()
    expected = network.results()
    device = before["cpu:0"]
    after, message = network.compile(cap_of(device, 1 / device["arena_bytes"]))
    named = re.search(r"although launches run twice to save scratch; "
                      r"--memory-cap=cpu:0=(\d+) suffices", message)
    check(not after and named, f"expected an error, not {message}")
    after, message = network.compile(f"--memory-cap=cpu:0={named[1]}")
    check(after, f"what was named does not suffice: {message}")
    check(network.results() == expected, "least: other bits")
    share = after["cpu:0"]["arena_bytes"] / device["arena_bytes"]
    print(f"least: {share:.0%} of the scratch, same bits")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_network(folder / "net.mlir")
    for title, (share, flags) in TRIALS.items():
        check_share(title, Network(folder, *flags), share)
    check_least(Network(folder))


if __name__ == "__main__":
    main()
