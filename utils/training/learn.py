#!/usr/bin/env python3
"""Trains two networks on digits, and compares what they learn with PyTorch.

    learn.py BIN [--only NAME ...] [--seeds N]
    learn.py --torch [--only NAME ...] [--seeds N]

The first form trains with Weir, whose tools are in BIN. The mean accuracy on
the 1,000 digits that are held out must be within 0.5 points of PyTorch's mean,
which learned.json has (torch 2.15). The second form trains with PyTorch and
writes that file. Both take the digits, the settings and the kinds of initial
values from here; each draws its own numbers. The networks are the example of
docs/examples/training and LeNet.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "docs/examples/training"
STORED = HERE / "learned.json"
BATCH = 64
# Both drop what is left of an epoch behind its last whole batch.
EPOCHS = {"example": 10, "lenet": 10}
# In points.
MOST = 0.5

TEXTS = {"example": EXAMPLE / "digits.mlir", "lenet": HERE / "lenet.mlir"}
# What lenet.mlir has.
SGD = {"rate": 0.02, "momentum": 0.9, "weight_decay": 5e-4}


def text_of(name, seed):
    """The network whose initial values are drawn with `seed`."""
    return re.sub(r"seed = (\d+)",
                  lambda found: f"seed = {100 * seed + int(found[1])}",
                  TEXTS[name].read_text())


def train_weir(tools, name, seed, folder):
    (folder / "net.mlir").write_text(text_of(name, seed))
    for command in (
            [tools / "graph-compile", "net.mlir", "-o", "net.weir",
             "--threads=1"],
            [tools / "graph-run", "net.weir", "--data",
             "image=train.npz:images,label=train.npz:labels",
             "--validation-data", "image=test.npz:images,label=test.npz:labels",
             "--map", "image=scale:255", "--shuffle", str(seed), "--epochs",
             str(EPOCHS[name]), "--progress=none", "--json"]):
        done = subprocess.run(command, cwd=folder, text=True,
                              capture_output=True)
        if done.returncode:
            sys.exit(f"{command}: {done.stderr}")
    return round(1000 * json.loads(done.stdout)["validation"]["accuracy"])


def make_torch(name):
    """The network in PyTorch, and its optimiser."""
    import torch
    from torch import nn
    if name == "example":
        net = nn.Sequential(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Dropout(0.5), nn.Linear(1600, 10))
        update = torch.optim.Adam(net.parameters(), lr=0.001)
    else:
        net = nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10))
        update = torch.optim.SGD(
            net.parameters(), lr=SGD["rate"], momentum=SGD["momentum"],
            weight_decay=SGD["weight_decay"])
    for layer in net:
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
    return net, update


def train_torch(name, seed, folder):
    import torch
    torch.manual_seed(seed)
    data = [torch.tensor(array) for file in ("train", "test")
            for array in np.load(folder / f"{file}.npz").values()]
    images, labels, test_images, test_labels = (
        tensor / 255 if tensor.dtype == torch.uint8 else tensor
        for tensor in data)
    net, update = make_torch(name)
    for _ in range(EPOCHS[name]):
        order = torch.randperm(len(images))
        for rows in order[:len(images) // BATCH * BATCH].split(BATCH):
            update.zero_grad()
            torch.nn.functional.cross_entropy(
                net(images[rows]), labels[rows]).backward()
            update.step()
    net.eval()
    with torch.no_grad():
        return int((net(test_images).argmax(1) == test_labels).sum())


def report(name, who, right):
    mean = np.mean(right) / 10
    print(f"{name} {who}: {mean:.2f} % right (mean), of 1,000 each: "
          f"{' '.join(map(str, right))}", flush=True)
    return mean


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path, nargs="?")
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--only", nargs="*", choices=EPOCHS,
                        default=list(EPOCHS))
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    if (args.tools is None) != args.torch:
        parser.error("give either BIN or --torch")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    bad = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([sys.executable, EXAMPLE / "prepare.py", folder],
                       check=True)
        for name in args.only:
            seeds = range(1, args.seeds + 1)
            if args.torch:
                stored[name] = [train_torch(name, seed, folder)
                                for seed in seeds]
                report(name, "PyTorch", stored[name])
                continue
            ours = report(name, "Weir", [
                train_weir(args.tools.resolve(), name, seed, folder)
                for seed in seeds])
            theirs = report(name, "PyTorch", stored[name])
            if not abs(ours - theirs) <= MOST:
                bad.append(name)
                print(f"BAD {name}: {ours - theirs:+.2f} points", flush=True)
    if args.torch:
        STORED.write_text(json.dumps(stored) + "\n")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
