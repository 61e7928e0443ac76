#!/usr/bin/env python3
"""Measures what loading and running a large model costs: seconds per gigabyte,
peak memory, page faults.

    utils/bench/memory.py FOLDER [--bin=build/bin] [--scale=1.0]

Writes VGG-16 as textual IR with seeded weights (553 MB at scale 1) into FOLDER
and compiles it there; what is there is used again. Peak memory is that of
graph-run above a process of it that runs one 8x8 product, which takes as much
as creating one primitive of the vendor library does.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import safetensors_file  # noqa: E402
import tools  # noqa: E402

CONVOLUTIONS = [64, 64, "pool", 128, 128, "pool", 256, 256, 256, "pool",
                512, 512, 512, "pool", 512, 512, 512, "pool"]
DENSE = [4096, 4096, 1000]
BYTES_PER_MB = 1e6


class Network:
    """Textual IR under way, and the parameters it reads."""

    def __init__(self, file):
        self.file = file
        self.parameters, self.lines = {}, []
        self.random = np.random.default_rng(11)

    def parameter(self, name, *dims):
        fan_in = int(np.prod(dims[1:])) or 1
        scale = np.float32(np.sqrt(2 / fan_in)) if len(dims) > 1 else 0
        values = self.random.standard_normal(dims, dtype=np.float32) * scale
        self.parameters[name] = values
        self.lines.append(f"%{name} = weir.read @{name} : {tensor(dims)}")

    def add(self, name, op, operands, types, attributes=""):
        self.lines.append(f"%{name} = weir.{op} {', '.join(operands)}"
                          f"{attributes} : {', '.join(map(tensor, types))}")

    def write(self, folder, dims_in, result, dims_out):
        safetensors_file.save(folder / self.file, self.parameters)
        declarations = "\n".join(
            f'  weir.parameter @{name} : {tensor(values.shape)} from '
            f'"{self.file}"' for name, values in self.parameters.items())
        body = "\n".join("    " + line for line in self.lines)
        (folder / "vgg.mlir").write_text(
            f"module {{\n{declarations}\n"
            f"  func.func @main(%x: {tensor(dims_in)}) -> {tensor(dims_out)} "
            f"{{\n{body}\n    return %{result} : {tensor(dims_out)}\n"
            f"  }}\n}}\n")


def tensor(dims):
    return f"tensor<{'x'.join(map(str, dims))}xf32>"


def write_vgg(folder, scale):
    network = Network("vgg.safetensors")
    value, dims = "x", [1, 3, 224, 224]
    for number, width in enumerate(CONVOLUTIONS):
        if width == "pool":
            network.add(f"pool{number}", "max_pool", [f"%{value}"], [dims],
                        " {kernel_shape = [2, 2], strides = [2, 2]}")
            value, dims = f"pool{number}", [*dims[:2], dims[2] // 2,
                                            dims[3] // 2]
            continue
        width = max(int(width * scale), 8)
        weight = [width, dims[1], 3, 3]
        network.parameter(f"w{number}", *weight)
        network.parameter(f"b{number}", width)
        network.add(f"conv{number}", "conv",
                    [f"%{value}", f"%w{number}", f"%b{number}"],
                    [dims, weight, [width]], " {pads = [1, 1, 1, 1]}")
        dims = [1, width, *dims[2:]]
        network.add(f"relu{number}", "relu", [f"%conv{number}"], [dims])
        value = f"relu{number}"
    columns = int(np.prod(dims[1:]))
    network.add("flat", "reshape", [f"%{value}"], [dims],
                f" {{shape = [1, {columns}]}}")
    value = "flat"
    for number, width in enumerate(DENSE):
        width = max(int(width * scale), 8)
        network.parameter(f"dw{number}", width, columns)
        network.parameter(f"db{number}", width)
        network.add(f"dense{number}", "linear",
                    [f"%{value}", f"%dw{number}", f"%db{number}"],
                    [[1, columns], [width, columns], [width]])
        value, columns = f"dense{number}", width
        if number + 1 < len(DENSE):
            network.add(f"drelu{number}", "relu", [f"%{value}"],
                        [[1, columns]])
            value = f"drelu{number}"
    network.write(folder, [1, 3, 224, 224], value, [1, columns])


def write_product(folder):
    (folder / "product.mlir").write_text(
        "module {\n"
        "  weir.parameter @w : tensor<8x8xf32> = dense<0.5> : tensor<8x8xf32>\n"
        "  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
        "    %w = weir.read @w : tensor<8x8xf32>\n"
        "    %y = weir.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>\n"
        "    return %y : tensor<8x8xf32>\n  }\n}\n")


def run(folder, name, *flags):
    done = subprocess.run([tools.find(folder, name),
                           *map(str, flags)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        sys.exit(f"error: {name}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "vgg.weir").exists():
        write_vgg(folder, options.scale)
        write_product(folder)
        for name in ("vgg", "product"):
            run(options.bin, "graph-compile", folder / f"{name}.mlir")

    def measure(name):
        return json.loads(run(
            options.bin, "graph-run", folder / f"{name}.weir",
            "--input=x=random", "--warmup=2", f"--repeat={options.repeat}",
            "--json"))

    product, vgg = measure("product"), measure("vgg")
    weights = (folder / "vgg.weir").stat().st_size / BYTES_PER_MB
    arena = sum(device["planned_bytes"]
                for device in vgg["devices"]) / BYTES_PER_MB
    peak = vgg["peak_rss_bytes"] / BYTES_PER_MB
    base = product["peak_rss_bytes"] / BYTES_PER_MB
    print(f"load on {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores")
    print(f"weights {weights:.0f} MB, planned arena {arena:.1f} MB")
    print(f"peak {peak:.0f} MB, {peak - base:.0f} MB above {base:.0f} MB: "
          f"{(peak - base) / (weights + arena):.2f} of weights and arena")
    print(f"load {vgg['load_ms']:.0f} ms, allowed "
          f"{300 + weights:.0f} ms")
    print(f"page faults per run {vgg['page_faults_per_run']:g}")
    print(f"fastest run {vgg['latency_ms']['min']:.1f} ms")


if __name__ == "__main__":
    main()
