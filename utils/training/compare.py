#!/usr/bin/env python3
"""Compares steps of training with PyTorch's.

    compare.py BIN [--only NAME ...] [--type f32|f64 ...] [--seeds N]
        [--steps N] [--placed]

Five networks are trained from equal weights on equal batches, with SGD
(momentum and weight decay) and with AdamW. In f64, losses must be within 1e-6
of PyTorch's and weights within 1e-5, relative, by the norm of each tensor. In
f32, the distance to PyTorch's run in f64 must be at most three times that of
PyTorch's own run in f32; medians over the seeds are compared. Parameters whose
gradient is zero but for rounding (the bias of keys in attention) are left out.
With --placed, each is instead trained in f32 over two and three devices with
memory of their own, with groups placed at random. Losses and weights must have
the bits of those on one device.
"""
import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gradients"))
import networks  # noqa: E402
from compare import HALF_ULP, worst  # noqa: E402

OPTIMIZERS = {
    "sgd": ({"rate": 0.02, "momentum": 0.9, "weight_decay": 5e-4},
            lambda p, n: torch.optim.SGD(
                p, lr=n["rate"], momentum=n["momentum"],
                weight_decay=n["weight_decay"])),
    "adamw": ({"rate": 1e-3, "weight_decay": 0.01},
              lambda p, n: torch.optim.AdamW(
                  p, lr=n["rate"], weight_decay=n["weight_decay"])),
}


class Replay(networks.Net):
    """The network of another step: the same parameters, other data."""

    def __init__(self, first, seed):
        super().__init__(first.name, seed)
        self.given = first.parameters

    def parameter(self, name, *_, **__):
        return self.given[name], f"%{name}"


def masked(net, x, ratio):
    """Dropout whose mask is an input."""
    name = f"data{len(net.inputs)}"
    kept = net.random.random(tuple(x[0].shape)) >= ratio
    net.inputs[name] = net.fresh((kept / (1 - ratio)).astype(np.float32))
    return net.mul(x, (net.inputs[name], f"%{name}"))


def dropout(net):
    x = net.data(32, 64)
    for i, (size, ratio) in enumerate(((96, 0.2), (96, 0.5))):
        x = masked(net, x, ratio)
        x = net.unary("relu", net.linear(f"f{i}", x, size))
    x = net.linear("head", masked(net, x, 0.5), 10)
    return net.cross_entropy(x, net.labels(32, 10))


NETWORKS = {"lenet": networks.lenet, "resnet8": networks.resnet8,
            "dropout": dropout, "lstm": networks.lstm,
            "transformer": networks.transformer}


def text_of(net, loss, file, optimizer, numbers):
    """The network with an entry `train`."""
    head = [f'weir.parameter @{n} : tensor<{net.type_of(t)}> from "{file}"'
            for n, t in net.parameters.items()]
    inputs = ", ".join(f"%{n}: tensor<{net.type_of(t)}>"
                       for n, t in net.inputs.items())
    given = ", ".join(f"{k} = {v!r}" for k, v in numbers.items())
    return "\n".join([
        *head, "", f"func.func @train({inputs}) -> "
        f"(tensor<{net.name}> {{weir.name = \"loss\"}}) {{",
        *(f"  {line}" for line in net.lines),
        f"  weir.minimize {loss[1]} {{optimizer = "
        f"{{name = \"{optimizer}\", {given}}}}} : tensor<{net.name}>",
        f"  return {loss[1]} : tensor<{net.name}>", "}", ""])


class Training:
    """What PyTorch computes, and what Weir needs to compute the same."""

    def __init__(self, name, dtype, optimizer, seed, steps):
        numbers, make = OPTIMIZERS[optimizer]
        first = networks.Net(dtype, seed)
        loss = NETWORKS[name](first)
        self.text = text_of(first, loss, "start.safetensors", optimizer,
                            numbers)
        self.start = {n: t.detach().numpy().copy()
                      for n, t in first.parameters.items()}
        update = make(list(first.parameters.values()), numbers)
        data, self.losses = collections.defaultdict(list), []
        sizes = {n: 0.0 for n in first.parameters}
        for step in range(steps):
            net = Replay(first, 1000 * seed + step)
            loss = NETWORKS[name](net)[0]
            update.zero_grad()
            loss.backward()
            for n, t in first.parameters.items():
                sizes[n] = max(sizes[n], float(t.grad.norm()))
            update.step()
            self.losses.append(loss.item())
            for n, t in net.inputs.items():
                data[n].append(t.numpy().copy())
        self.data = {n: np.concatenate(v) for n, v in data.items()}
        self.weights = {n: t.detach().numpy()
                        for n, t in first.parameters.items()}
        # Adam makes steps of full size of gradients that are only rounding.
        top = max(sizes.values())
        self.ignored = {n for n, s in sizes.items() if s < 1e-8 * top}

    def run(self, tools, steps, flags=()):
        """The losses and weights of Weir."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "net.mlir").write_text(self.text)
            save_file(self.start, folder / "start.safetensors")
            np.savez(folder / "data.npz", **self.data)
            columns = ",".join(f"{n}=data.npz:{n}" for n in self.data)
            for command in (
                    [tools / "graph-compile", "net.mlir", "-o", "net.weir",
                     "--threads=1", *flags],
                    [tools / "graph-run", "net.weir", "--data", columns,
                     "--steps", str(steps), "--progress=none", "--log",
                     "log.jsonl", "--save-variables", "end.safetensors"]):
                done = subprocess.run(command, cwd=folder, text=True,
                                      capture_output=True)
                if done.returncode:
                    sys.exit(f"{command}: {done.stderr}")
            lines = map(json.loads, (folder / "log.jsonl").read_text()
                        .splitlines())
            losses = [line["train"]["loss"] for line in lines
                      if "train" in line]
            return losses, load_file(folder / "end.safetensors")


def distances(losses, weights, exact):
    """The relative distance of the losses and of each weight."""
    expected = np.array(exact.losses)
    result = {"losses": np.nan}
    if len(losses) == len(expected):
        result["losses"] = np.linalg.norm(
            np.array(losses, float) - expected) / np.linalg.norm(expected)
    for name, tensor in exact.weights.items():
        if name not in exact.ignored:
            result[name] = (np.linalg.norm(weights[name].astype(float) - tensor)
                            / np.linalg.norm(tensor))
    return result


# In f64 some ops have no kernels.
REFERENCE = ["--allow-reference"]


def compare_placed(args, name, optimizer):
    training = Training(name, "f32", optimizer, 1, args.steps)
    losses, weights = training.run(args.tools, args.steps)
    bad = []
    for last in (1, 2):
        flags = [f"--devices=cpu:0-{last}", "--isolated",
                 f"--placement=random:{last}"]
        placed, moved = training.run(args.tools, args.steps, flags)
        bad += ["losses"] if placed != losses else []
        bad += [n for n in weights
                if weights[n].tobytes() != moved[n].tobytes()]
    print(f"{name} {optimizer}: {args.steps} losses and {len(weights)} tensors "
          f"over 2 and 3 devices as on one" + (f" BAD {bad}" if bad else ""),
          flush=True)
    return not bad


def compare_f64(args, name, optimizer):
    bad, found = [], {}
    for seed in range(1, args.seeds + 1):
        exact = Training(name, "f64", optimizer, seed, args.steps)
        got = distances(*exact.run(args.tools, args.steps, REFERENCE), exact)
        found = {n: np.maximum(d, found.get(n, 0)) for n, d in got.items()}
        bad += [n for n, d in got.items()
                if not d <= (1e-6 if n == "losses" else 1e-5)]
    print(f"{name} {optimizer} f64: worst {worst(found)}" +
          (f" BAD {sorted(set(bad))}" if bad else ""), flush=True)
    return not bad


def compare_f32(args, name, optimizer):
    ours, theirs = collections.defaultdict(list), collections.defaultdict(list)
    for seed in range(1, args.seeds + 1):
        exact = Training(name, "f64", optimizer, seed, args.steps)
        peer = Training(name, "f32", optimizer, seed, args.steps)
        for all_of, result in (
                (ours, peer.run(args.tools, args.steps)),
                (theirs, (peer.losses, peer.weights))):
            for n, d in distances(*result, exact).items():
                all_of[n].append(d)
    ratios = {n: np.median(ours[n]) / max(np.median(theirs[n]), HALF_ULP)
              for n in ours}
    bad = [n for n, r in ratios.items() if not r <= 3]
    print(f"{name} {optimizer} f32: ratio at most {worst(ratios)}, its median "
          f"{np.median(list(ratios.values())):.2f}" +
          (f" BAD {bad}" if bad else ""), flush=True)
    return not bad


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", choices=NETWORKS,
                        default=list(NETWORKS))
    parser.add_argument("--type", choices=("f32", "f64"), action="append")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--placed", action="store_true")
    args = parser.parse_args()
    args.tools = args.tools.resolve()
    torch.set_num_threads(2)
    compares = ([compare_placed] if args.placed else
                [{"f64": compare_f64, "f32": compare_f32}[dtype]
                 for dtype in args.type or ("f64", "f32")])
    results = [compare(args, name, optimizer)
               for name, optimizer in itertools.product(args.only, OPTIMIZERS)
               for compare in compares]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
