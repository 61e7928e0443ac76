"""Layers of networks that see pictures: what torch's exporter writes for the
modules of torch.nn, with batch norms as nodes of their own."""
import numpy as np

EPSILON = 1e-5


def conv(graph, value, channels, kernel, stride=1, pad=0, groups=1, bias=False,
         gain=1.0):
    """A convolution; `channels` is (in, out)."""
    inner, outer = channels
    shape = (outer, inner // groups, kernel, kernel)
    operands = [graph.he("weight", shape, inner // groups * kernel * kernel,
                         gain)]
    if bias:
        operands.append(graph.noise("bias", outer, 0.05))
    return graph.node("Conv", value, *operands, dilations=[1, 1], group=groups,
                      kernel_shape=[kernel, kernel], pads=[pad] * 4,
                      strides=[stride, stride])


def batch_norm(graph, value, channels, gain=1.0, epsilon=EPSILON):
    """The statistics are buffers: published counts leave them out."""
    scale = graph.noise("weight", channels, 0.1 * gain, gain)
    bias = graph.noise("bias", channels, 0.1)
    mean = graph.random.standard_normal(channels, np.float32)
    variance = graph.random.uniform(0.8, 1.2, channels)
    return graph.node(
        "BatchNormalization", value, scale, bias,
        graph.buffer("running_mean", mean * np.float32(0.1)),
        graph.buffer("running_var", variance.astype(np.float32)),
        epsilon=epsilon, momentum=0.9, training_mode=0)


def relu(graph, value):
    return graph.node("Relu", value)


def linear(graph, value, features, gain=1.0):
    """A dense layer of rows; `features` is (in, out)."""
    inner, outer = features
    return graph.node("Gemm", value,
                      graph.he("weight", (outer, inner), inner, gain),
                      graph.noise("bias", outer, 0.05),
                      alpha=1.0, beta=1.0, transB=1)


def max_pool(graph, value, kernel, stride, pad=0, ceil=0):
    return graph.node("MaxPool", value, ceil_mode=ceil,
                      kernel_shape=[kernel, kernel], pads=[pad] * 4,
                      strides=[stride, stride])


def pool_and_classify(graph, value, channels):
    """The last layers: mean of each channel, then a class's score each."""
    with graph.scope("avgpool"):
        value = graph.node("GlobalAveragePool", value)
    value = graph.node("Flatten", value, axis=1)
    return classify(graph, value, channels)


def classify(graph, value, features, classes=1000):
    with graph.scope("fc"):
        value = linear(graph, value, (features, classes), gain=0.7)
    graph.output("scores", value, [1, classes])
