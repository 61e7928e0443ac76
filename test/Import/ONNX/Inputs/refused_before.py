"""Compares models with numpy: opsets from 23 on, recurrent layers, resizes,
pads, ranges and ops on known values. No package that the tests have computes
all of these, so the expected values follow the text of the specification.

    refused_before.py FOLDER
"""
import pathlib
import sys

import numpy
from onnx import helper

import against_numpy

RNG = numpy.random.default_rng(11)


def floats(*shape):
    return RNG.standard_normal(shape).astype("f")


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softmax(x):
    powers = numpy.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def compare(folder, what, opset, nodes, inputs, constants, expected):
    against_numpy.compare(folder, opset, nodes, inputs, expected, constants)
    print(f"{what}: as numpy")


def lstm(x, weights, recurrent, lengths, inner, coupled):
    """A layer in both directions, with a sigmoid `inner` of any form."""
    steps, batch, _ = x.shape
    hidden = recurrent.shape[2]
    outputs = numpy.zeros((steps, 2, batch, hidden))
    last, cells = numpy.zeros((2, 2, batch, hidden))
    for direction in range(2):
        for b in range(batch):
            h, c = numpy.zeros((2, hidden))
            order = range(lengths[b])
            for t in reversed(order) if direction else order:
                sums = (weights[direction] @ x[t, b] +
                        recurrent[direction] @ h)
                i, o, f, g = numpy.split(sums, 4)
                i, o, f = inner(i), inner(o), inner(f)
                c = (1 - i if coupled else f) * c + i * numpy.tanh(g)
                h = o * numpy.tanh(c)
                outputs[t, direction, b] = h
            last[direction, b], cells[direction, b] = h, c
    return [value.astype("f") for value in (outputs, last, cells)]


def recurrent_cases(folder):
    x, lengths = floats(5, 3, 2), numpy.array([5, 0, 2], "i")
    weights, recurrent = floats(2, 16, 2), floats(2, 16, 4)

    def hard(x):
        return numpy.clip(0.3 * x + 0.4, 0, 1)

    for what, inner, coupled, attributes in (
            ("lengths", sigmoid, False, {}),
            ("coupled gates", sigmoid, True, {"input_forget": 1}),
            ("a hard sigmoid", hard, False, {
                "activations": ["hardSigmoid", "Tanh", "Tanh"] * 2,
                "activation_alpha": [0.3, 0.3],
                "activation_beta": [0.4, 0.4]})):
        node = helper.make_node(
            "LSTM", ["x", "w", "r", "", "l"], ["y", "h", "c"], hidden_size=4,
            direction="bidirectional", **attributes)
        expected = lstm(x, weights, recurrent, lengths, inner, coupled)
        compare(folder, what, 14, [node], {"x": x, "l": lengths},
                {"w": weights, "r": recurrent},
                dict(zip("yhc", expected)))


def attention(q, k, v, allowed):
    scores = q @ k.swapaxes(-1, -2) / numpy.sqrt(q.shape[-1])
    scores = numpy.where(allowed, scores, -numpy.inf)
    blind = ~allowed.any(-1, keepdims=True)
    shares = softmax(numpy.where(blind, 0, scores))
    return (numpy.where(blind, 0, shares) @ v).astype("f")


def transformer_cases(folder):
    q, k, v = floats(2, 4, 3, 8), floats(2, 2, 6, 8), floats(2, 2, 6, 5)
    valid = numpy.array([6, 2], "l")
    own = numpy.arange(3)[:, None] + valid.reshape(2, 1, 1, 1) - 3
    place = numpy.arange(6)
    allowed = (place <= own) & (place >= own - 2) & (
        place < valid.reshape(2, 1, 1, 1))
    compare(folder, "Attention", 25,
            [helper.make_node("Attention", ["q", "k", "v", "", "", "", "n"],
                              ["y"], is_causal=1, left_window_size=2)],
            {"q": q, "k": k, "v": v, "n": valid}, {},
            {"y": attention(q, k.repeat(2, 1), v.repeat(2, 1), allowed)})
    x, scale = floats(2, 3, 8), floats(8)
    root = numpy.sqrt((x.astype("d") ** 2).mean(-1, keepdims=True) + 1e-5)
    compare(folder, "RMSNormalization", 23,
            [helper.make_node("RMSNormalization", ["x", "s"], ["y"])],
            {"x": x}, {"s": scale}, {"y": (x / root * scale).astype("f")})
    compare(folder, "Swish", 24,
            [helper.make_node("Swish", ["x"], ["y"], alpha=0.5)],
            {"x": x}, {}, {"y": x * sigmoid(0.5 * x)})
    divisor = numpy.array([2, -2, 0.5, -3, 1, 7, -1, 0.25], "f")
    compare(folder, "Mod of floats", 28,
            [helper.make_node("Mod", ["x", "d"], ["y"])],
            {"x": x}, {"d": divisor}, {"y": numpy.mod(x, divisor)})


def element_cases(folder):
    x = floats(3, 2)
    for mode in ("wrap", "reflect"):
        compare(folder, f"Pad, {mode}", 19,
                [helper.make_node("Pad", ["x", "p"], ["y"], mode=mode)],
                {"x": x}, {"p": numpy.array([7, 3, 8, 4])},
                {"y": numpy.pad(x, ((7, 8), (3, 4)), mode)})
    count = 70001
    compare(folder, "Range", 11,
            [helper.make_node("Range", ["a", "b", "d"], ["r"]),
             helper.make_node("Add", ["r", "x"], ["y"])],
            {"x": x[:1, :1].ravel()},
            {"a": numpy.float32(3), "b": numpy.float32(3 + count / 4),
             "d": numpy.float32(0.25)},
            {"y": (3 + numpy.arange(count) / 4 + x[0, 0]).astype("f")})
    places, depth = numpy.array([2, -1, 70000], "l"), 70001
    rows = numpy.zeros((3, depth), "f")
    rows[numpy.arange(3), places] = 1
    compare(folder, "OneHot", 11,
            [helper.make_node("OneHot", ["i", "d", "v"], ["y"])],
            {"i": places}, {"d": numpy.int64(depth),
                            "v": numpy.array([0, 1], "f")}, {"y": rows})
    known = numpy.array([[2, 0, 2], [0, 5, 0]], "f")
    compare(folder, "NonZero", 13,
            [helper.make_node("NonZero", ["w"], ["y"])],
            {}, {"w": known}, {"y": numpy.array(known.nonzero(), "l")})
    found = numpy.unique(known, True, True, True)
    compare(folder, "Unique", 11,
            [helper.make_node("Unique", ["w"], list("yfnc"))], {},
            {"w": known}, dict(zip("yfnc", (v.ravel() for v in found))))
    signal = floats(2, 6, 1)
    spectrum = numpy.fft.fft(signal[..., 0])
    compare(folder, "DFT", 17,
            [helper.make_node("DFT", ["x"], ["y"], axis=1)],
            {"x": signal}, {},
            {"y": numpy.stack([spectrum.real, spectrum.imag], -1).astype("f")})


def main(folder):
    recurrent_cases(folder)
    transformer_cases(folder)
    element_cases(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
