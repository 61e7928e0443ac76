#!/usr/bin/env python3
"""Runs small networks whose parameters are computed from others at compile
time, and compares with numpy in double.
"""
import argparse
import pathlib

import numpy as np

from batch import check, run_tool

# Sums of up to 100 products in f32, with weights that were rounded again.
TOLERANCE = 2e-5


class Network:
    """The text of a network as it grows, with its parameters."""

    def __init__(self, name, x):
        self.name, self.x = name, x
        self.generator = np.random.default_rng(len(name))
        self.parameters, self.lines = {}, []

    def draw(self, name, *shape, low=-1.0):
        values = self.generator.uniform(low, 1.0, shape).astype(np.float32)
        self.parameters[name] = values
        self.lines.append(f"%{name} = weir.read @{name} : {kind(shape)}")
        return values.astype(np.float64)

    def op(self, result, text):
        self.lines.append(f"%{result} = weir.{text}")

    def text(self, result):
        parameters = "".join(
            f"weir.parameter @{name} : {kind(values.shape)} = "
            f"dense<\"0x{values.tobytes().hex().upper()}\"> : "
            f"{kind(values.shape)}\n"
            for name, values in self.parameters.items())
        body = "".join(f"  {line}\n" for line in self.lines)
        return (f"{parameters}func.func @main(%x: {kind(self.x.shape)}) -> "
                f"{kind(result)} {{\n{body}  return %y : {kind(result)}\n}}\n")


def kind(shape):
    return f"tensor<{''.join(f'{dim}x' for dim in shape)}f32>"


def convolve(x, weight, pad, groups):
    """conv of stride 1."""
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    out, per, kh, kw = weight.shape
    windows = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), (2, 3))
    parts = [np.einsum("nchwij,ocij->nohw", windows[:, g * per:(g + 1) * per],
                       weight[g * out // groups:(g + 1) * out // groups])
             for g in range(groups)]
    return np.concatenate(parts, 1)


def convolve_transposed(x, weight, groups):
    """conv_transpose of stride 1: a conv with the kernel turned round."""
    channels, per, kh, kw = weight.shape
    turned = weight[:, :, ::-1, ::-1].reshape(
        groups, channels // groups, per, kh, kw).transpose(0, 2, 1, 3, 4)
    turned = turned.reshape(groups * per, channels // groups, kh, kw)
    return convolve(x, turned, kh - 1, groups)


def normalise(net, y, name):
    """A batch norm over dim 1 of `y`: the tensor y in the text."""
    channels = (y.shape[1],)
    scale, bias, mean = (net.draw(name + part, *channels)
                         for part in ("_scale", "_bias", "_mean"))
    variance = net.draw(name + "_variance", *channels, low=0.1)
    types = ", ".join([kind(y.shape)] + [kind(channels)] * 4)
    net.op(name, f"batch_norm %y0, %{name}_scale, %{name}_bias, %{name}_mean, "
                 f"%{name}_variance {{epsilon = 1.0e-3}} : {types}")
    along = (1, -1) + (1,) * (y.ndim - 2)
    factor = scale / np.sqrt(variance + 1e-3)
    return ((y - mean.reshape(along)) * factor.reshape(along) +
            bias.reshape(along))


def conv_network(groups, has_bias, transposed):
    net = Network(f"conv{'T' * transposed}{'b' * has_bias}{groups}",
                  np.zeros((2, 6, 5, 4), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    x = net.x.astype(np.float64)
    if transposed:
        weight = net.draw("w", 6, 8 // groups, 3, 3)
        y = convolve_transposed(x, weight, groups)
    else:
        weight = net.draw("w", 8, 6 // groups, 3, 3)
        y = convolve(x, weight, 1, groups)
    types = f"{kind(x.shape)}, {kind(weight.shape)}"
    operands = "%x, %w"
    if has_bias:
        bias = net.draw("b", 8)
        y = y + bias.reshape(1, 8, 1, 1)
        operands, types = operands + ", %b", f"{types}, {kind((8,))}"
    attributes = [] if transposed else ["pads = [1, 1, 1, 1]"]
    attributes += [f"groups = {groups}"]
    net.op("y0", f"conv{'_transpose' * transposed} {operands} "
                 f"{{{', '.join(attributes)}}} : {types}")
    y = normalise(net, y, "n")
    divisor = net.draw("d", 8, 1, 1, low=0.5)
    y = y / divisor
    net.op("q", f"div %n, %d : {kind(y.shape)}, {kind((8, 1, 1))}")
    net.op("y", f"relu %q : {kind(y.shape)}")
    return net, np.maximum(y, 0)


def linear_network(has_bias):
    net = Network("linear" + "b" * has_bias, np.zeros((3, 5), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    weight = net.draw("w", 7, 5)
    y = net.x.astype(np.float64) @ weight.T
    operands, types = "%x, %w", f"{kind((3, 5))}, {kind((7, 5))}"
    if has_bias:
        y = y + net.draw("b", 7)
        operands, types = operands + ", %b", f"{types}, {kind((7,))}"
    net.op("y0", f"linear {operands} : {types}")
    y = normalise(net, y, "n")
    shift = net.draw("s", 1)
    net.op("y", f"sub %n, %s : {kind(y.shape)}, {kind((1,))}")
    return net, y - shift


def matmul_network():
    net = Network("matmul", np.zeros((2, 3, 5), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    weight, shift = net.draw("w", 5, 4), net.draw("s", 4)
    factor = net.draw("f", 4)
    net.op("y0", f"matmul %x, %w : {kind((2, 3, 5))}, {kind((5, 4))}")
    net.op("y1", f"sub %y0, %s : {kind((2, 3, 4))}, {kind((4,))}")
    net.op("y", f"mul %f, %y1 : {kind((4,))}, {kind((2, 3, 4))}")
    return net, (net.x.astype(np.float64) @ weight - shift) * factor


def norm_network():
    """A batch norm that stands by itself."""
    net = Network("norm", np.zeros((2, 3, 4, 5), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    net.op("y0", f"exp %x : {kind(net.x.shape)}")
    y = normalise(net, np.exp(net.x.astype(np.float64)), "n")
    net.op("y", f"relu %n : {kind(y.shape)}")
    return net, np.maximum(y, 0)


def moves_network():
    """A parameter turned, cut, joined and padded, over the edges of tiles."""
    net = Network("moves", np.zeros((75, 50, 9), np.float32))
    w = net.draw("w", 9, 50, 70)
    t = w.transpose(2, 1, 0)
    net.op("t", f"transpose %w {{perm = [2, 1, 0]}} : {kind(w.shape)}")
    # Backwards along the first dim, every element of the others.
    net.op("r", "slice %t {starts = [69, 0, 0], sizes = [70, 50, 9], "
                f"steps = [-1, 1, 1]}} : {kind(t.shape)}")
    a, b = t[::-1, :, :4], t[::-1, :, 4:]
    net.op("parts:2",
           f"split %r {{axis = 2, sizes = [4, 5]}} : {kind(t.shape)}")
    net.op("j", f"concat %parts#1, %parts#0 {{axis = -1}} : {kind(b.shape)}, "
                f"{kind(a.shape)}")
    joined = np.concatenate([b, a], 2)
    net.op("p", "pad %j {pads = [2, 0, 0, 3, 0, 0], value = 0.5} : "
                f"{kind(joined.shape)}")
    padded = np.pad(joined, [(2, 3), (0, 0), (0, 0)], constant_values=0.5)
    net.op("y", f"add %x, %p : {kind(padded.shape)}, {kind(padded.shape)}")
    return net, padded


def sums_network():
    """Parameters multiplied, normalised, widened and narrowed."""
    net = Network("sums", np.zeros((6, 5), np.float32))
    left, right = net.draw("l", 6, 40), net.draw("r", 40, 5)
    product = left @ right
    net.op("m", f"matmul %l, %r : {kind((6, 40))}, {kind((40, 5))}")
    net.op("s", f"softmax %m {{axis = 0}} : {kind((6, 5))}")
    powers = np.exp(product - product.max(0))
    soft = powers / powers.sum(0)
    net.op("c", f"cast %s {{to = bf16}} : {kind((6, 5))}")
    net.op("w", "cast %c {to = f32} : tensor<6x5xbf16>")
    net.op("d", f"sub %s, %w : {kind((6, 5))}, {kind((6, 5))}")
    # Rounding to bf16 loses at most one part in 256 of a value.
    net.op("o", f"div %d, %s : {kind((6, 5))}, {kind((6, 5))}")
    net.op("k", "clip %o {min = -0.0039, max = 0.0039} : " + kind((6, 5)))
    net.op("e", f"sub %o, %k : {kind((6, 5))}, {kind((6, 5))}")
    net.op("f", f"add %s, %e : {kind((6, 5))}, {kind((6, 5))}")
    net.op("y", f"add %x, %f : {kind((6, 5))}, {kind((6, 5))}")
    return net, soft


def flatten_network(is_linear):
    """An image that a convolution leaves channels-last, then a dense layer."""
    net = Network("flat" + "l" * is_linear, np.zeros((2, 3, 6, 5), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    weight = net.draw("k", 8, 3, 3, 3)
    y = convolve(net.x.astype(np.float64), weight, 0, 1)
    net.op("c", f"conv %x, %k : {kind(net.x.shape)}, {kind(weight.shape)}")
    net.op("f", f"reshape %c {{shape = [2, -1]}} : {kind(y.shape)}")
    flat = y.reshape(2, -1)
    inner = flat.shape[1]
    dense = net.draw("w", *((7, inner) if is_linear else (inner, 7)))
    name = "linear" if is_linear else "matmul"
    net.op("y", f"{name} %f, %w : {kind(flat.shape)}, {kind(dense.shape)}")
    return net, flat @ (dense.T if is_linear else dense)


def run(net, expected, work):
    text, artifact = work / f"{net.name}.mlir", work / f"{net.name}.weir"
    text.write_text(net.text(expected.shape))
    np.save(work / "x.npy", net.x)
    run_tool("graph-compile", text, "-o", artifact)
    run_tool("graph-run", artifact, "--input", f"x={work / 'x.npy'}",
             "--output", f"y={work / 'y.npy'}")
    error = np.abs(np.load(work / "y.npy") - expected).max()
    check(error <= TOLERANCE * np.abs(expected).max(),
          f"{net.name}: off by {error}")
    print(f"{net.name}: as numpy")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    work = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    networks = [conv_network(groups, has_bias, transposed)
                for groups in (1, 2) for has_bias in (False, True)
                for transposed in (False, True)]
    networks += [linear_network(False), linear_network(True), matmul_network(),
                 norm_network(), moves_network(), sums_network(),
                 flatten_network(False), flatten_network(True)]
    for net, expected in networks:
        run(net, expected, work)


if __name__ == "__main__":
    main()
