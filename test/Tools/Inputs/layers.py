#!/usr/bin/env python3
"""layers.py FOLDER: a network of nine ops in net.mlir, an input in x.npy, and
what every op computes from it, by numpy alone, in layers/NAME.npy.

layers.py --alter FILE.npy: adds one to the last element of a tensor.
"""

import os
import sys

import numpy as np

NET = """\
module {{
{parameters}
  func.func @main(%x: tensor<1x3x6x6xf32>) -> tensor<1x7xf32> {{
    %w1 = weir.read @w1 : tensor<4x3x1x1xf32>
    %w2 = weir.read @w2 : tensor<5x4x1x1xf32>
    %w3 = weir.read @w3 : tensor<7x45xf32>
    %b3 = weir.read @b3 : tensor<7xf32>
    %conv1 = weir.conv %x, %w1 : tensor<1x3x6x6xf32>, tensor<4x3x1x1xf32>
    %relu1 = weir.relu %conv1 : tensor<1x4x6x6xf32>
    %pool = weir.max_pool %relu1 {{kernel_shape = [2, 2], strides = [2, 2]}}
        : tensor<1x4x6x6xf32>
    %conv2 = weir.conv %pool, %w2 : tensor<1x4x3x3xf32>, tensor<5x4x1x1xf32>
    %relu2 = weir.relu %conv2 : tensor<1x5x3x3xf32>
    %flat = weir.reshape %relu2 {{shape = [1, 45]}} : tensor<1x5x3x3xf32>
    %dense = weir.linear %flat, %w3, %b3
        : tensor<1x45xf32>, tensor<7x45xf32>, tensor<7xf32>
    %tanh = weir.tanh %dense : tensor<1x7xf32>
    return %tanh : tensor<1x7xf32>
  }}
}}
"""


def declare(name, values):
    dims = "x".join(map(str, values.shape))
    return (f"  weir.parameter @{name} : tensor<{dims}xf32> = "
            f"dense<{values.tolist()}> : tensor<{dims}xf32>")


def write(folder):
    random = np.random.default_rng(7)
    shapes = {"w1": (4, 3, 1, 1), "w2": (5, 4, 1, 1), "w3": (7, 45),
              "b3": (7,), "x": (1, 3, 6, 6)}
    made = {name: random.uniform(-1, 1, shape).astype(np.float32)
            for name, shape in shapes.items()}
    x = made.pop("x")
    layers = {"x": x}

    def pointwise(image, weight):
        return np.einsum("nchw,oc->nohw", image, weight[:, :, 0, 0])

    layers["conv1"] = pointwise(x, made["w1"])
    layers["relu1"] = np.maximum(layers["conv1"], 0)
    windows = layers["relu1"].reshape(1, 4, 3, 2, 3, 2)
    layers["pool"] = windows.max(axis=(3, 5))
    layers["conv2"] = pointwise(layers["pool"], made["w2"])
    layers["relu2"] = np.maximum(layers["conv2"], 0)
    layers["flat"] = layers["relu2"].reshape(1, 45)
    layers["dense"] = layers["flat"] @ made["w3"].T + made["b3"]
    layers["tanh"] = np.tanh(layers["dense"])

    os.makedirs(f"{folder}/layers")
    np.save(f"{folder}/x.npy", x)
    for name, values in layers.items():
        np.save(f"{folder}/layers/{name}.npy", values)
    with open(f"{folder}/net.mlir", "w") as file:
        file.write(NET.format(
            parameters="\n".join(declare(*item) for item in made.items())))


def alter(path):
    values = np.load(path)
    values.reshape(-1)[-1] += 1
    np.save(path, values)


if __name__ == "__main__":
    alter(sys.argv[2]) if sys.argv[1] == "--alter" else write(sys.argv[1])
