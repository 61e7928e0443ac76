#!/usr/bin/env python3
"""Trains networks by Weir and by PyTorch, and compares losses and weights.

    compare.py BIN [--only NAME ...] [--optimizer sgd|adamw ...]
        [--type f32|f64 ...] [--steps N] [--seeds N]

Both begin with the same weights and see the same batches. In f64, each loss
must be within 1e-6 of PyTorch's, relative, and each weight tensor within 1e-5,
by its norm. The distance of losses and weights in f32 to PyTorch's in f64 must
be at most three times that of PyTorch's own in f32, in the median of the seeds.
Tensors whose gradient is zero but for rounding are left out, such as the bias
of keys in attention: what an optimiser makes of rounding errors means nothing.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent
                       / "gradients"))
import networks  # noqa: E402

NAMES = ("lenet", "resnet8", "dropout", "lstm", "transformer")
OPTIMIZERS = {
    "sgd": ('name = "sgd", rate = 0.01, momentum = 0.9, weight_decay = 5.0e-4',
            lambda ws: torch.optim.SGD(ws, 0.01, 0.9, weight_decay=5e-4)),
    "adamw": ('name = "adamw", rate = 0.001, weight_decay = 0.01',
              lambda ws: torch.optim.AdamW(ws, 1e-3, weight_decay=0.01)),
}


class TrainedNet(networks.Net):
    """A network whose parameters stay and whose inputs differ in each step."""

    def __init__(self, dtype, seed):
        super().__init__(dtype, seed)
        self.seed, self.number = seed, 0

    def begin(self, number):
        """The numbers of this step's batch follow from the seed and from it."""
        self.number, self.count = number, 0
        self.lines, self.inputs = [], {}
        self.batches = np.random.default_rng((self.seed, number))

    def parameter(self, name, *shape, scale=None, around=0.0):
        if name not in self.parameters:
            return super().parameter(name, *shape, scale=scale, around=around)
        return self.parameters[name], f"%{name}"

    def data(self, *shape):
        self.random, own = self.batches, self.random
        value = super().data(*shape)
        self.random = own
        return value

    def labels(self, count, classes):
        self.random, own = self.batches, self.random
        value = super().labels(count, classes)
        self.random = own
        return value

    def step(self, number):
        return super().step(self.number)

    def text(self, stem, loss, optimizer):
        scalar = f"tensor<{self.name}>"
        head = [f'weir.parameter @{n} : tensor<{self.type_of(t)}> '
                f'from "{stem}.safetensors"'
                for n, t in self.parameters.items()]
        inputs = ", ".join(f"%{n}: tensor<{self.type_of(t)}>"
                           for n, t in self.inputs.items())
        return "\n".join([
            *head, f"func.func @main({inputs}) -> ({scalar} "
            "{weir.name = \"loss\"}) {",
            *(f"  {line}" for line in self.lines),
            f"  weir.minimize {loss[1]} {{optimizer = {{{optimizer}}}}} "
            f": {scalar}",
            f"  return {loss[1]} : {scalar}", "}", ""])


def arrays(net):
    return {n: t.detach().numpy().copy() for n, t in net.parameters.items()}


def train_torch(name, dtype, seed, optimizer, steps, folder):
    """Writes the network and its batches. Returns the losses, the weights in
    the end, and the names of weights whose gradients are not zero."""
    net = TrainedNet(dtype, seed)
    stem = f"{name}.{dtype}"
    losses, made, norms = [], None, {}
    for number in range(steps):
        net.begin(number)
        loss = networks.NETWORKS[name](net)
        if made is None:
            save_file(arrays(net), folder / f"{stem}.safetensors")
            (folder / f"{stem}.mlir").write_text(
                net.text(stem, loss, OPTIMIZERS[optimizer][0]))
            made = OPTIMIZERS[optimizer][1](list(net.parameters.values()))
        for key, tensor in net.inputs.items():
            np.save(folder / f"{stem}.{key}.{number}.npy", tensor.numpy())
        made.zero_grad()
        loss[0].backward()
        losses.append(float(loss[0].detach()))
        for key, tensor in net.parameters.items():
            norms[key] = max(norms.get(key, 0), float(tensor.grad.norm()))
        made.step()
    top = max(norms.values())
    return (losses, arrays(net),
            [n for n, norm in norms.items() if norm > 1e-8 * top])


def run(command, folder):
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")


def train_weir(tools, name, dtype, steps, folder):
    """The losses, and the weights in the end. Only f64 lacks kernels."""
    stem = f"{name}.{dtype}"
    flags = ["--allow-reference"] if dtype == "f64" else []
    run([tools / "graph-compile", f"{stem}.mlir", "-o", f"{stem}.weir",
         *flags], folder)
    losses, state = [], folder / f"{stem}.state.safetensors"
    state.unlink(missing_ok=True)
    inputs = sorted({path.name.split(".")[2]
                     for path in folder.glob(f"{stem}.data*.npy")})
    for number in range(steps):
        loads = [f"--load-variables={state}"] if number else []
        run([tools / "graph-run", f"{stem}.weir", "--repeat=1", "--warmup=0",
             *(f"--input={key}={stem}.{key}.{number}.npy" for key in inputs),
             *loads, f"--save-variables={state}",
             f"--output=loss={stem}.loss.npy"], folder)
        losses.append(float(np.load(folder / f"{stem}.loss.npy")))
    return losses, load_file(state)


def distances(found, exact, names):
    """Those of the losses and of each weight tensor, relative."""
    losses, weights = np.array(found[0]), found[1]
    result = {"loss": np.max(np.abs(losses - exact[0]) / np.abs(exact[0]))}
    for name in names:
        result[name] = (np.linalg.norm(weights[name] - exact[1][name])
                        / np.linalg.norm(exact[1][name]))
    return result


def worst(values):
    name = max(values, key=lambda n: (np.isnan(values[n]), values[n]))
    return f"{values[name]:.2e} ({name})"


def compare_f64(tools, name, optimizer, steps):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        *exact, names = train_torch(name, "f64", 0, optimizer, steps, folder)
        found = distances(train_weir(tools, name, "f64", steps, folder), exact,
                          names)
    bad = [n for n, d in found.items()
           if not d <= (1e-6 if n == "loss" else 1e-5)]
    print(f"{name} {optimizer} f64: loss {found.pop('loss'):.2e}, weights "
          f"{worst(found)}" + (f" BAD {bad}" if bad else ""), flush=True)
    return not bad


def compare_f32(tools, name, optimizer, steps, seeds):
    ours, theirs = {}, {}
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            *exact, names = train_torch(name, "f64", seed, optimizer, steps,
                                        folder)
            *peer, _ = train_torch(name, "f32", seed, optimizer, steps, folder)
            found = train_weir(tools, name, "f32", steps, folder)
        for all_of, values in ((ours, found), (theirs, peer)):
            for n, d in distances(values, exact, names).items():
                all_of.setdefault(n, []).append(d)
    ratios = {n: statistics.median(ours[n])
              / max(statistics.median(theirs[n]), 1e-9) for n in ours}
    bad = [n for n, ratio in ratios.items() if not ratio <= 3]
    print(f"{name} {optimizer} f32: worst ratio {worst(ratios)}"
          + (f" BAD {bad}" if bad else ""), flush=True)
    return not bad


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path, metavar="BIN")
    parser.add_argument("--only", nargs="*", default=NAMES)
    parser.add_argument("--optimizer", nargs="*", default=list(OPTIMIZERS))
    parser.add_argument("--type", nargs="*", default=["f64", "f32"])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(2)
    tools, good = options.tools.resolve(), True
    for name in options.only:
        for optimizer in options.optimizer:
            if "f64" in options.type:
                good &= compare_f64(tools, name, optimizer, options.steps)
            if "f32" in options.type:
                good &= compare_f32(tools, name, optimizer, options.steps,
                                    options.seeds)
    sys.exit(not good)


if __name__ == "__main__":
    main()
