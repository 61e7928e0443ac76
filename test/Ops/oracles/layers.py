"""Layers, as ONNX Runtime computes ONNX's nodes."""
import math

import numpy as np
import onnxruntime
from onnx import helper

from .cases import is_float


def ort(op, inputs, attrs, opset=21, num_outputs=1):
    """One ONNX node, run by ONNX Runtime, small floats in f32."""
    feeds = {f"x{i}": x.astype(np.result_type(x.dtype, np.float32))
             if is_float(x.dtype) else x for i, x in enumerate(inputs)}
    infos = [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in feeds.items()]
    output_type = infos[0].type.tensor_type.elem_type
    outputs = [helper.make_tensor_value_info(f"y{i}", output_type, None)
               for i in range(num_outputs)]
    node = helper.make_node(op, list(feeds), [o.name for o in outputs],
                            **attrs)
    model = helper.make_model(
        helper.make_graph([node], op, infos, outputs),
        opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


def windows(a, rank, kernel=None):
    """The attributes of a window as ONNX names them."""
    named = {"strides": a.get("strides", [1] * rank),
             "dilations": a.get("dilations", [1] * rank),
             "pads": a.get("pads", [0] * (2 * rank))}
    if kernel:
        named["kernel_shape"] = kernel
    return named


def conv(inputs, a):
    rank = inputs[0].ndim - 2
    return ort("Conv", inputs, {**windows(a, rank, inputs[1].shape[2:]),
                                "group": a.get("groups", 1)})


def conv_transpose(inputs, a):
    rank = inputs[0].ndim - 2
    attrs = {**windows(a, rank, inputs[1].shape[2:]),
             "group": a.get("groups", 1)}
    if a.get("output_padding"):
        attrs["output_padding"] = a["output_padding"]
    return ort("ConvTranspose", inputs, attrs)


def conv_weight_gradient(inputs, a):
    """Sums over the batch and the places of the result, tap by tap."""
    x, gradient = (v.astype(np.float64) for v in inputs)
    kernel, groups = a["kernel_shape"], a.get("groups", 1)
    rank = len(kernel)
    strides = a.get("strides", [1] * rank)
    dilations = a.get("dilations", [1] * rank)
    pads = a.get("pads", [0] * (2 * rank))
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[d], pads[rank + d])
                                      for d in range(rank)])
    n, out = gradient.shape[:2]
    places = math.prod(gradient.shape[2:])
    grouped = gradient.reshape(n, groups, out // groups, places)
    result = np.empty((out, x.shape[1] // groups, *kernel))
    for tap in np.ndindex(*kernel):
        part = x[(slice(None), slice(None)) + tuple(
            slice(t * d, t * d + (size - 1) * s + 1, s) for t, d, size, s in
            zip(tap, dilations, gradient.shape[2:], strides))]
        part = part.reshape(n, groups, x.shape[1] // groups, places)
        result[(slice(None), slice(None)) + tap] = np.einsum(
            "ngcx,ngox->goc", part, grouped).reshape(out, -1)
    return result


def pool(op, inputs, a, **more):
    kernel = a["kernel_shape"]
    attrs = {**windows(a, len(kernel), kernel),
             "ceil_mode": int(a.get("ceil_mode", False)), **more}
    return ort(op, inputs, attrs)


def sum_pool(inputs, a):
    mean = pool("AveragePool", inputs, a, count_include_pad=1)
    return mean * math.prod(a["kernel_shape"])


def layer_norm(inputs, a):
    return ort("LayerNormalization", inputs,
               {"axis": a.get("axis", -1), "epsilon": a.get("epsilon", 1e-5)})


def over_batch(x):
    """The axes of a batch norm, and the shape of values for each channel."""
    return (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)


def batch_norm_training(x, scale, bias, epsilon):
    axes, shape = over_batch(x)
    x = x.astype(np.float64)
    mean, variance = x.mean(axes), x.var(axes)
    y = (x - mean.reshape(shape)) / np.sqrt(variance + epsilon).reshape(shape)
    return [y * scale.reshape(shape) + bias.reshape(shape), mean, variance]


def batch_norm_gradient(gradient, x, scale, mean, variance, epsilon):
    """The formula of the paper, which has the normalised input."""
    axes, shape = over_batch(x)
    deviation = np.sqrt(variance.astype(np.float64) + epsilon).reshape(shape)
    normal = (x.astype(np.float64) - mean.reshape(shape)) / deviation
    of_normal = gradient * scale.reshape(shape).astype(np.float64)
    of_x = (of_normal - of_normal.mean(axes).reshape(shape) - normal * (
        of_normal * normal).mean(axes).reshape(shape)) / deviation
    return [of_x, (gradient * normal).sum(axes), gradient.sum(axes)]


def lrn(x, a):
    """The formula in ONNX's description, which allows even sizes too."""
    before, after = (a["size"] - 1) // 2, a["size"] // 2
    squares = np.stack([
        (x[:, max(c - before, 0):c + after + 1] ** 2).sum(1)
        for c in range(x.shape[1])], 1)
    scale = a.get("bias", 1) + a.get("alpha", 1e-4) / a["size"] * squares
    return x / scale ** a.get("beta", 0.75)


def softmax_axis(a):
    return {"axis": a.get("axis", -1)}
