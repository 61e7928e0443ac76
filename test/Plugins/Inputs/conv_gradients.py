#!/usr/bin/env python3
"""Writes graphs of two convolutions and their gradients, their inputs, and the
gradients as numpy computes them in f64.

usage: conv_gradients.py FOLDER

FOLDER/conv_gradients.mlir has an entry for each case, and
FOLDER/conv_gradients.safetensors what weir-artifact-check reads.
"""
import itertools
import pathlib
import sys
from typing import NamedTuple

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
import safetensors_file


class Case(NamedTuple):
    """The second convolution. The first one, with windows of 3 cells along each
    dim, makes images whose channels are last, which the gradients of the second
    read. `outputs` are channels."""
    name: str
    image: tuple
    outputs: int
    window: tuple
    strides: tuple
    pads: tuple
    groups: int = 1
    dilations: tuple = (1, 1)
    kind: str = "f32"


CASES = [
    Case("plain", (2, 16, 9, 9), 24, (3, 3), (1, 1), (1, 1, 1, 1)),
    Case("strided", (2, 8, 11, 10), 12, (3, 3), (2, 2), (1, 0, 1, 1)),
    Case("point", (2, 8, 7, 7), 32, (1, 1), (2, 2), (0, 0, 0, 0)),
    Case("dilated", (1, 8, 11, 11), 8, (3, 3), (1, 1), (0, 0, 0, 0),
         dilations=(2, 2)),
    Case("odd", (2, 5, 8, 7), 7, (2, 3), (1, 2), (0, 1, 1, 0)),
    Case("groups", (2, 12, 8, 8), 18, (3, 3), (1, 1), (1, 1, 1, 1), 3),
    Case("depthwise", (2, 32, 9, 9), 32, (3, 3), (2, 2), (1, 1, 1, 1), 32),
    Case("row", (2, 8, 20), 12, (3,), (2,), (1, 1), dilations=(1,)),
    Case("volume", (1, 4, 5, 6, 4), 6, (3, 3, 2), (1, 2, 1), (1, 1, 0, 1, 1, 0),
         dilations=(1, 1, 1)),
]
CASES += [case._replace(name=f"{case.name}_{kind}", kind=kind)
          for kind in ("bf16", "f16") for case in CASES]


def first_conv(case):
    rank = len(case.window)
    return case._replace(outputs=case.image[1], window=(3,) * rank,
                         strides=(1,) * rank, pads=(1,) * 2 * rank, groups=1,
                         dilations=(1,) * rank)


def spatial(conv):
    """The spatial dims of the result."""
    rank = len(conv.window)
    return tuple(
        (cells + conv.pads[i] + conv.pads[rank + i]
         - (conv.window[i] - 1) * conv.dilations[i] - 1) // conv.strides[i] + 1
        for i, cells in enumerate(conv.image[2:]))


def weight_dims(conv):
    return (conv.outputs, conv.image[1] // conv.groups) + conv.window


def shapes(case):
    """The dims of the input, of both weights and of a factor of the result."""
    return [case.image, weight_dims(first_conv(case)), weight_dims(case),
            (case.image[0], case.outputs) + spatial(case)]


def tensor(dims, kind):
    return f"tensor<{'x'.join(map(str, dims))}x{kind}>"


def write_entry(case):
    stored = "f32" if case.kind == "bf16" else case.kind
    names = ["x", "w1", "w2", "t"]
    dims = dict(zip(names, shapes(case)))
    types = {name: tensor(dims[name], case.kind) for name in names}
    outside = {name: tensor(dims[name], stored) for name in names}
    lines = []
    value = {name: f"%{name}" for name in names}
    if stored != case.kind:
        for name in names:
            value[name] = f"%{name}_{case.kind}"
            lines.append(f"{value[name]} = weir.cast %{name} {{to = "
                         f"{case.kind}}} : {outside[name]}")
    attributes = (f"{{strides = {list(case.strides)}, pads = {list(case.pads)},"
                  f" dilations = {list(case.dilations)}, groups = "
                  f"{case.groups}}}")
    lines += [
        f"%h = weir.conv {value['x']}, {value['w1']} {{pads = "
        f"{list(first_conv(case).pads)}}} : {types['x']}, {types['w1']}",
        f"%y = weir.conv %h, {value['w2']} {attributes} : {types['x']}, "
        f"{types['w2']}",
        f"%z = weir.mul %y, {value['t']} : {types['t']}, {types['t']}",
        f"%loss = weir.reduce_sum %z {{keepdims = false}} : {types['t']}",
        f"%g:3 = weir.gradient %loss of {value['x']}, {value['w1']}, "
        f"{value['w2']} : tensor<{case.kind}> of {types['x']}, {types['w1']}, "
        f"{types['w2']}"]
    results = [f"%g#{i}" for i in range(3)]
    if stored != case.kind:
        for i, name in enumerate(names[:3]):
            lines.append(f"%r{i} = weir.cast %g#{i} {{to = {stored}}} : "
                         f"{types[name]}")
        results = [f"%r{i}" for i in range(3)]
    arguments = ", ".join(f"%{name}: {outside[name]}" for name in names)
    returned = ", ".join(outside[name] for name in names[:3])
    return "\n".join([
        f"func.func @{case.name}({arguments}) -> ({returned}) {{",
        *(f"  {line}" for line in lines),
        f"  return {', '.join(results)} : {returned}", "}", ""])


def padded(conv, images):
    rank = len(conv.window)
    return numpy.pad(images, [(0, 0), (0, 0)] + [
        (conv.pads[i], conv.pads[rank + i]) for i in range(rank)])


def parts(conv, images, weights, result):
    """For each cell of a window and each group: what windows read of the padded
    images, the weights, and the result. All are views."""
    whole = (slice(None), slice(None))
    for tap in itertools.product(*map(range, conv.window)):
        place = whole + tuple(
            slice(at * dilation, at * dilation + (count - 1) * stride + 1,
                  stride)
            for at, dilation, count, stride in zip(
                tap, conv.dilations, spatial(conv), conv.strides))
        yield from zip(numpy.split(images[place], conv.groups, 1),
                       numpy.split(weights[whole + tap], conv.groups, 0),
                       numpy.split(result, conv.groups, 1))


def forward(conv, images, weights):
    result = numpy.zeros((conv.image[0], conv.outputs) + spatial(conv))
    for read, weight, out in parts(conv, padded(conv, images), weights, result):
        out += numpy.einsum("nc...,oc->no...", read, weight)
    return result


def backward(conv, images, weights, gradient):
    """The gradients of images and weights."""
    images = padded(conv, images)
    of_images, of_weights = numpy.zeros_like(images), numpy.zeros_like(weights)
    axes = (0, *range(2, gradient.ndim))
    for (read, _, grad), (_, weight_grad, _) in zip(
            parts(conv, images, weights, gradient),
            parts(conv, images, of_weights, gradient)):
        weight_grad += numpy.tensordot(grad, read, (axes, axes))
    for read_grad, weight, grad in parts(conv, of_images, weights, gradient):
        read_grad += numpy.einsum("no...,oc->nc...", grad, weight)
    inside = tuple(slice(begin, begin + size) for begin, size in zip(
        (0, 0, *conv.pads), conv.image))
    return of_images[inside], of_weights


def gradients(case, x, w1, w2, t):
    """The gradients of the sum of conv(conv(x, w1), w2) * t."""
    first = first_conv(case)
    of_image, of_w2 = backward(case, forward(first, x, w1), w2, t)
    return *backward(first, x, w1, of_image), of_w2


def main():
    folder = pathlib.Path(sys.argv[1])
    random = numpy.random.default_rng(1)
    tensors = {}
    for case in CASES:
        kind = numpy.float16 if case.kind == "f16" else numpy.float32
        # Halves up to 1 are exact in all types.
        inputs = [(random.integers(-2, 3, dims) / 2).astype(kind)
                  for dims in shapes(case)]
        results = gradients(case, *(each.astype(numpy.float64)
                                    for each in inputs))
        for i, array in enumerate(inputs):
            tensors[f"{case.name}.in{i}"] = array
        for i, array in enumerate(results):
            tensors[f"{case.name}.out{i}"] = array.astype(kind)
    (folder / "conv_gradients.mlir").write_text(
        "".join(map(write_entry, CASES)))
    # The tolerance is that of bf16, which has 8 bits.
    safetensors_file.save(folder / "conv_gradients.safetensors", tensors,
                          {"tolerance.": "0.01"})


if __name__ == "__main__":
    main()
