#!/usr/bin/env python3
"""Runs small networks under --precision=bf16 and compares them with numpy,
which rounds to bf16 where docs/precision.md says that Weir does.
"""
import argparse
import json
import os
import pathlib

import numpy as np

from batch import check, run_tool
from folded_parameters import Network, convolve, kind

# The tolerance, as a share of the largest output. Sums in f32 can round to the
# neighbour of what numpy's doubles round to, once in a few hundred elements.
TOLERANCE = 1e-3
# Without rounding; far above what is lost in f32, and what is asked of bf16.
LEAST_LOST, MOST_LOST = 1e-4, 3e-2
ISAS = ["", "avx512_core", "avx2"]


def to_bf16(x):
    """Rounds to the nearest bf16, the even one of two that are as near."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def conv_network():
    """Two convolutions with a residual, and probabilities behind a dense
    layer."""
    net = Network("convs", np.zeros((2, 16, 12, 12), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    w1, b1 = net.draw("w1", 24, 16, 3, 3), net.draw("b1", 24)
    w2, b2 = net.draw("w2", 24, 24, 3, 3), net.draw("b2", 24)
    w3, b3 = net.draw("w3", 200, 24 * 36) / 16, net.draw("b3", 200)
    net.parameters["w3"] = (net.parameters["w3"] / 16).astype(np.float32)
    image, pads = kind((2, 24, 12, 12)), "pads = [1, 1, 1, 1]"
    net.op("c1", f"conv %x, %w1, %b1 {{{pads}}} : {kind(net.x.shape)}, "
                 f"{kind(w1.shape)}, {kind(b1.shape)}")
    net.op("r1", f"relu %c1 : {image}")
    net.op("c2", f"conv %r1, %w2, %b2 {{{pads}}} : {image}, {kind(w2.shape)}, "
                 f"{kind(b2.shape)}")
    net.op("s", f"add %c2, %r1 : {image}, {image}")
    net.op("r2", f"relu %s : {image}")
    net.op("p", f"max_pool %r2 {{kernel_shape = [2, 2], strides = [2, 2]}} : "
                f"{image}")
    net.op("f", "reshape %p {shape = [2, -1]} : " + kind((2, 24, 6, 6)))
    net.op("d", f"linear %f, %w3, %b3 : {kind((2, 864))}, {kind(w3.shape)}, "
                f"{kind(b3.shape)}")
    net.op("y", f"softmax %d : {kind((2, 200))}")

    def compute(stored):
        channel = (1, -1, 1, 1)
        r1 = stored(np.maximum(convolve(stored(net.x), stored(w1), 1, 1) +
                               b1.reshape(channel), 0))
        r2 = stored(np.maximum(convolve(r1, stored(w2), 1, 1) +
                               b2.reshape(channel) + r1, 0))
        pooled = r2.reshape(2, 24, 6, 2, 6, 2).max((3, 5))
        return softmax(pooled.reshape(2, -1) @ stored(w3).T + b3)

    return net, compute, {"casts": 2, "launches": 1}


def attention_network():
    """Products of what is computed, softmax in f32 between them, a norm behind
    the residual, a scale that is no bf16."""
    net = Network("attention", np.zeros((64, 48), np.float32))
    net.x = net.generator.uniform(-1, 1, net.x.shape).astype(np.float32)
    weights = {name: net.draw(name, 48, 48) for name in ("wq", "wk", "wv")}
    rows, square = kind((64, 48)), kind((64, 64))
    for name, weight in weights.items():
        net.op(name[1], f"linear %x, %{name} : {rows}, {kind(weight.shape)}")
    scale, norm = net.draw("scale", 1), net.draw("norm", 48)
    net.op("t", f"transpose %k {{perm = [1, 0]}} : {rows}")
    net.op("s", f"matmul %q, %t : {rows}, {kind((48, 64))}")
    net.op("m", f"mul %s, %scale : {square}, {kind((1,))}")
    net.op("p", f"softmax %m : {square}")
    net.op("a", f"matmul %p, %v : {square}, {rows}")
    net.op("r", f"add %a, %q : {rows}, {rows}")
    net.op("n", f"layer_norm %r, %norm : {rows}, {kind((48,))}")
    net.op("y", f"linear %n, %wv : {rows}, {kind((48, 48))}")

    def compute(stored):
        x = stored(net.x)
        q, k, v = (stored(x @ stored(weight).T)
                   for weight in weights.values())
        p = stored(softmax(q @ k.T * scale))
        r = p @ v + q
        r = r - r.mean(-1, keepdims=True)
        n = r / np.sqrt((r * r).mean(-1, keepdims=True) + 1e-5) * norm
        return stored(n) @ stored(weights["wv"]).T

    return net, compute, None


def output(artifact, work):
    run_tool("graph-run", artifact, "--input", f"x={work / 'x.npy'}",
             "--output", f"y={work / 'y.npy'}")
    return np.load(work / "y.npy")


def check_placements(net, text, work):
    """Groups, and what is rounded between them, are the same wherever they
    run."""
    found = set()
    for flags in (["--devices=cpu:0"],
                  ["--devices=cpu:0-1", "--placement=random:1"],
                  ["--devices=cpu:0-1", "--placement=random:2", "--isolated"]):
        run_tool("graph-compile", text, "-o", work / "placed.weir",
                 "--precision=bf16", "--threads=1", *flags)
        found.add(output(work / "placed.weir", work).tobytes())
    check(len(found) == 1, f"{net.name}: {len(found)} results of 3 placements")


def run(build, isas, work):
    net, compute, counts = build()
    text, artifact = work / f"{net.name}.mlir", work / f"{net.name}.weir"
    exact, rounded = compute(np.float64), compute(to_bf16)
    largest = np.abs(exact).max()
    text.write_text(net.text(exact.shape))
    np.save(work / "x.npy", net.x)
    stats = json.loads(run_tool("graph-compile", text, "-o", artifact,
                                "--precision=bf16", "--stats=json"))
    if counts:
        found = stats["precision"]
        check(found["casts"] == counts["casts"]
              and found["cast_launches"] == counts["launches"],
              f"{net.name}: expected {counts}, found {found}")
    check_placements(net, text, work)
    for isa in isas:
        os.environ["ONEDNN_MAX_CPU_ISA"] = isa or "DEFAULT"
        y = output(artifact, work)
        error = np.abs(y - rounded).max() / largest
        check(error <= TOLERANCE, f"{net.name} {isa}: off by {error}")
        lost = np.abs(y - exact).max() / largest
        check(LEAST_LOST <= lost <= MOST_LOST,
              f"{net.name} {isa}: lost {lost} of the largest output")
        print(f"{net.name} {isa or 'as it is'}: as numpy")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    work = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    for build in (conv_network, attention_network):
        run(build, ISAS, work)


if __name__ == "__main__":
    main()
