#!/usr/bin/env python3
"""Trains a network of 160 parameters with momentum. Parameters, velocities and
gradients lie in buckets. Compares parameters and losses of three runs with
numpy, and checks that updates are few launches that copy nothing: on one
device, on two that have a memory of their own, with two runs in flight, and
with less memory than the plan needs.
"""
import argparse
import json
import pathlib
import re
import subprocess

import numpy as np

from batch import check, run_tool
import safetensors_file

LAYERS = 80
BATCH = 8
# The widths of layers. Some biases and weights have no multiple of 16 elements.
WIDTHS = (16, 10, 24, 7)
RATE, MOMENTUM = 0.1, 0.9
RUNS = 3
ALIGNMENT = 16


def kind(shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


def dense(value):
    return f'dense<"0x{value.tobytes().hex()}"> : {kind(value.shape)}'


def bucket_kind(shapes):
    """The type of a bucket of tensors with these shapes."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    return kind((sum(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes),))


class Network:
    """Dense layers with tanh, and the mean of squared distances as a loss.
    Layers of one half are on a device, if there are two."""

    def __init__(self, halves):
        random = np.random.default_rng(5)
        widths = [WIDTHS[i % len(WIDTHS)] for i in range(LAYERS + 1)]
        self.x = random.uniform(-1, 1, (BATCH, widths[0])).astype(np.float32)
        self.target = random.uniform(
            -1, 1, (BATCH, widths[-1])).astype(np.float32)
        self.values = {}
        for i, (rows, columns) in enumerate(zip(widths, widths[1:])):
            weight = random.normal(0, 1.2 / rows ** .5, (rows, columns))
            self.values[f"w{i}"] = weight.astype(np.float32)
            self.values[f"b{i}"] = random.uniform(
                -.1, .1, columns).astype(np.float32)
        self.halves = halves

    def half_of(self, layer):
        return layer * self.halves // LAYERS

    def parts(self, half):
        """The parameters of a half in the order of the backward pass: those
        that are aligned come first."""
        names = [f"{letter}{i}" for i in reversed(range(LAYERS))
                 for letter in "bw" if self.half_of(i) == half]
        return sorted(names, key=lambda n: self.values[n].size % ALIGNMENT != 0)

    def text(self):
        lines = []
        for name, value in self.values.items():
            lines += [f"weir.parameter @{name} : {kind(value.shape)} = "
                      f"{dense(value)}",
                      f"weir.parameter @{name}.velocity : {kind(value.shape)} "
                      f"= dense<0.0> : {kind(value.shape)}"]
        for half in range(self.halves):
            parts = self.parts(half)
            whole = bucket_kind([self.values[n].shape for n in parts])
            for bucket, end in (("weights", ""), ("velocities", ".velocity")):
                names = ", ".join(f"@{n}{end}" for n in parts)
                lines.append(f"weir.bucket @{bucket}{half} : {whole} of "
                             f"[{names}]")
        return "\n".join(lines + self.step() + self.evaluation()) + "\n"

    def forward(self, lines):
        last = "%x"
        for name, value in self.values.items():
            lines.append(f"%{name} = weir.read @{name} : {kind(value.shape)}")
        width = self.x.shape[1]
        for i in range(LAYERS):
            place = f' on "cpu:{self.half_of(i)}"'
            weight, bias = self.values[f"w{i}"], self.values[f"b{i}"]
            before, width = kind((BATCH, width)), bias.size
            after = kind((BATCH, width))
            lines += [
                f"%m{i} = weir.matmul {last}, %w{i}{place} : {before}, "
                f"{kind(weight.shape)}",
                f"%a{i} = weir.add %m{i}, %b{i}{place} : {after}, "
                f"{kind(bias.shape)}",
                f"%h{i} = weir.tanh %a{i}{place} : {after}"]
            last = f"%h{i}"
        whole = kind(self.target.shape)
        lines += [f"%d = weir.sub {last}, %target{place} : {whole}, {whole}",
                  f"%s = weir.mul %d, %d{place} : {whole}, {whole}",
                  f"%loss = weir.reduce_mean %s{place} {{keepdims = false}} : "
                  f"{whole}"]

    def head(self, name):
        return (f"func.func @{name}(%x: {kind(self.x.shape)}, %target: "
                f"{kind(self.target.shape)}) -> tensor<f32> {{")

    def evaluation(self):
        lines = []
        self.forward(lines)
        return [self.head("evaluate"), *lines, "return %loss : tensor<f32>",
                "}"]

    def step(self):
        lines = [f"%rate = weir.constant dense<{RATE}> : tensor<f32>",
                 f"%momentum = weir.constant dense<{MOMENTUM}> : tensor<f32>"]
        self.forward(lines)
        names = list(self.values)
        types = ", ".join(kind(self.values[n].shape) for n in names)
        lines.append(f"%g:{len(names)} = weir.gradient %loss of "
                     f"{', '.join('%' + n for n in names)} : tensor<f32> of "
                     f"{types}")
        for half in range(self.halves):
            place = f' on "cpu:{half}"'
            parts = self.parts(half)
            shapes = [self.values[n].shape for n in parts]
            whole = bucket_kind(shapes)
            gradients = ", ".join(f"%g#{names.index(n)}" for n in parts)
            lines += [
                f"%old{half} = weir.read @weights{half} : {whole}",
                f"%v{half} = weir.read @velocities{half} : {whole}",
                f"%all{half} = weir.pack {gradients}{place} : "
                f"{', '.join(map(kind, shapes))}",
                f"%kept{half} = weir.mul %v{half}, %momentum{place} : {whole}, "
                f"tensor<f32>",
                f"%next{half} = weir.add %kept{half}, %all{half}{place} : "
                f"{whole}, {whole}",
                f"%change{half} = weir.mul %next{half}, %rate{place} : "
                f"{whole}, tensor<f32>",
                f"%new{half} = weir.sub %old{half}, %change{half}{place} : "
                f"{whole}, {whole}",
                f"weir.assign @velocities{half}, %next{half} : {whole}",
                f"weir.assign @weights{half}, %new{half} : {whole}"]
        return [self.head("step"), *lines, "return %loss : tensor<f32>", "}"]

    def train(self, runs):
        """The losses, and the parameters behind the last run."""
        values = {n: v.astype(np.float64) for n, v in self.values.items()}
        velocity = {n: np.zeros_like(v) for n, v in values.items()}
        losses = []
        for _ in range(runs):
            inputs, h = [], self.x.astype(np.float64)
            for i in range(LAYERS):
                inputs.append(h)
                h = np.tanh(h @ values[f"w{i}"] + values[f"b{i}"])
            losses.append(((h - self.target) ** 2).mean())
            grad = 2 * (h - self.target) / h.size
            for i in reversed(range(LAYERS)):
                grad = grad * (1 - h ** 2)
                before = grad @ values[f"w{i}"].T
                for name, change in ((f"w{i}", inputs[i].T @ grad),
                                     (f"b{i}", grad.sum(0))):
                    velocity[name] = MOMENTUM * velocity[name] + change
                    values[name] = values[name] - RATE * velocity[name]
                grad, h = before, inputs[i]
        values.update({f"{n}.velocity": v for n, v in velocity.items()})
        return losses, values


def check_plan(title, artifact, network):
    """Counts launches that write to variables, and copies of variables and
    within a memory. Values cross between memories."""
    dump = json.loads(run_tool("graph-dump", artifact, "--json"))
    variant = dump["variants"][0]
    check(len(variant["variables"]) == 2 * network.halves,
          f"{title}: {len(variant['variables'])} variables")
    entry = next(e for e in variant["entries"] if e["name"] == "step")
    views, buffers = entry["views"], entry["buffers"]
    updates = copies = 0
    for program in entry["programs"]:
        for command in program["commands"]:
            if command["opcode"] == "Copy":
                used = [buffers[views[command["first_view"] + i]["buffer"]]
                        for i in range(2)]
                copies += used[0]["space"] == used[1]["space"] and bool(
                    command["bytes"])
                copies += any(b["kind"] == "Variable" for b in used)
            if command["opcode"] != "Launch":
                continue
            operands = len(variant["kernels"][command["index"]]["operands"])
            first = command["first_view"]
            written = views[first + operands:first + command["num_views"]]
            updates += any(buffers[v["buffer"]]["kind"] == "Variable"
                           for v in written)
    check(updates <= 4, f"{title}: {updates} launches update")
    check(copies == 0, f"{title}: {copies} copies")
    return updates


def check_runs(title, artifact, work, network):
    losses, expected = network.train(RUNS)
    np.save(work / "x.npy", network.x)
    np.save(work / "target.npy", network.target)
    inputs = [f"--input=x={work / 'x.npy'}",
              f"--input=target={work / 'target.npy'}"]
    saved = work / "saved.safetensors"
    run_tool("graph-run", artifact, "--entry=step", *inputs,
             "--warmup", RUNS - 1, f"--output-dir={work}",
             f"--save-variables={saved}")
    loss = float(np.load(work / "loss.npy"))
    check(abs(loss - losses[-1]) <= 1e-5 * abs(losses[-1]),
          f"{title}: the loss is {loss}, expected {losses[-1]}")
    found = safetensors_file.load(saved)
    check(set(found) == set(expected), f"{title}: {sorted(found)} are saved")
    for name, value in expected.items():
        off = np.linalg.norm(found[name] - value)
        check(off <= 1e-4 * np.linalg.norm(value) + 1e-7,
              f"{title}: {name} is off by {off}")
    run_tool("graph-run", artifact, "--entry=evaluate", *inputs,
             f"--load-variables={saved}", f"--output-dir={work}")
    after = float(np.load(work / "loss.npy"))
    last = network.train(RUNS + 1)[0][-1]
    check(abs(after - last) <= 1e-5 * abs(last),
          f"{title}: the loss of loaded parameters is {after}, expected {last}")
    return saved.read_bytes()


def check_case(title, work, halves, flags):
    network = Network(halves)
    source, artifact = work / f"net{halves}.mlir", work / "net.weir"
    source.write_text(network.text())
    report = json.loads(run_tool("graph-compile", source, "-o", artifact,
                                 "--stats=json", "--threads=1", *flags))
    updates = check_plan(title, artifact, network)
    bits = check_runs(title, artifact, work, network)
    print(f"{title}: {updates} launches update 160 parameters, as numpy")
    return report, bits


def check_cap(work, report, bits):
    """Less scratch, the same bits."""
    device = report["devices"][0]
    spared = device["arena_bytes"] // 5
    done = subprocess.run(
        ["graph-compile", work / "net1.mlir", "-o", work / "net.weir",
         "--threads=1", f"--memory-cap=cpu:0={device['held_bytes'] - spared}"],
        text=True, capture_output=True)
    check(done.returncode == 0 and re.search("remark: .* runs? again",
                                             done.stderr), done.stderr)
    network = Network(1)
    check_plan("with a cap", work / "net.weir", network)
    check(check_runs("with a cap", work / "net.weir", work, network) == bits,
          "with a cap: other bits")
    print("with a cap: launches run twice, same bits")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    work = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    check_case("two devices", work, 2, ["--devices=cpu:0-1"])
    check_case("two memories", work, 2, ["--devices=cpu:0-1", "--isolated"])
    check_case("two in flight", work, 2,
               ["--devices=cpu:0-1", "--isolated", "--in-flight=2"])
    report, bits = check_case("one device", work, 1, [])
    check_cap(work, report, bits)


if __name__ == "__main__":
    main()
