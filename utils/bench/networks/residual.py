"""Residual networks: ResNet-18 and -50, MobileNet-v2, as torchvision has
them."""
import numpy as np

from networks.layers import (batch_norm, conv, max_pool, pool_and_classify,
                             relu)
from networks.network import Network, picture

# What a residual branch adds grows with depth unless its last scale is small.
BRANCH_GAIN = 0.3


def conv_norm(graph, at, value, channels, kernel, stride=1, groups=1,
              gain=1.0):
    """convN and bnN of a block."""
    with graph.scope(f"conv{at}"):
        value = conv(graph, value, channels, kernel, stride, kernel // 2,
                     groups)
    with graph.scope(f"bn{at}"):
        return batch_norm(graph, value, channels[1], gain)


def shortcut(graph, value, inner, outer, stride):
    if inner == outer and stride == 1:
        return value
    with graph.scope("downsample"):
        return conv_norm(graph, "", value, (inner, outer), 1, stride)


def basic_block(graph, value, inner, width, stride):
    branch = relu(graph, conv_norm(graph, 1, value, (inner, width), 3, stride))
    branch = conv_norm(graph, 2, branch, (width, width), 3, gain=BRANCH_GAIN)
    kept = shortcut(graph, value, inner, width, stride)
    return relu(graph, graph.node("Add", branch, kept)), width


def bottleneck(graph, value, inner, width, stride):
    outer = 4 * width
    branch = relu(graph, conv_norm(graph, 1, value, (inner, width), 1))
    branch = relu(graph, conv_norm(graph, 2, branch, (width, width), 3, stride))
    branch = conv_norm(graph, 3, branch, (width, outer), 1, gain=BRANCH_GAIN)
    kept = shortcut(graph, value, inner, outer, stride)
    return relu(graph, graph.node("Add", branch, kept)), outer


def resnet(block, counts):
    def build(graph):
        value, channels = graph.input("image", [1, 3, 224, 224]), 64
        value = relu(graph, conv_norm(graph, 1, value, (3, 64), 7, 2))
        value = max_pool(graph, value, 3, 2, 1)
        for layer, count in enumerate(counts, 1):
            for at in range(count):
                stride = 2 if at == 0 and layer > 1 else 1
                with graph.scope(f"layer{layer}.{at}"):
                    value, channels = block(graph, value, channels,
                                            32 << layer, stride)
        pool_and_classify(graph, value, channels)
    return build


def relu6(graph, value):
    return graph.node("Clip", value, graph.constant(0, np.float32),
                      graph.constant(6, np.float32))


def inverted_residual(graph, value, channels, stride, expand):
    inner, outer = channels
    wide, branch = inner * expand, value
    if expand > 1:
        branch = relu6(graph, conv_norm(graph, 0, branch, (inner, wide), 1))
    branch = relu6(graph, conv_norm(graph, 1, branch, (wide, wide), 3, stride,
                                    groups=wide))
    # No ReLU follows that would halve what He's weights let through.
    branch = conv_norm(graph, 2, branch, (wide, outer), 1, gain=0.7)
    if stride == 1 and inner == outer:
        return graph.node("Add", value, branch)
    return branch


def mobilenet_v2(graph):
    value, inner = graph.input("image", [1, 3, 224, 224]), 32
    value = relu6(graph, conv_norm(graph, 0, value, (3, 32), 3, 2))
    rows = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    block = 1
    for expand, outer, count, first in rows:
        for at in range(count):
            with graph.scope(f"features.{block}"):
                value = inverted_residual(graph, value, (inner, outer),
                                          1 if at else first, expand)
            inner, block = outer, block + 1
    with graph.scope("features.18"):
        value = relu6(graph, conv_norm(graph, 0, value, (inner, 1280), 1))
    pool_and_classify(graph, value, 1280)


# Counts: num_params of torchvision's IMAGENET1K_V1 weights.
NETWORKS = [
    Network("resnet18", resnet(basic_block, (2, 2, 2, 2)), picture(224),
            11689512),
    Network("resnet50", resnet(bottleneck, (3, 4, 6, 3)), picture(224),
            25557032),
    Network("mobilenet_v2", mobilenet_v2, picture(224), 3504872),
]
