"""Networks that join branches by Concat: Inception v1 and DenseNet-121, as
torchvision has them."""
from networks.layers import (batch_norm, conv, max_pool, pool_and_classify,
                             relu)
from networks.network import Network, picture

INCEPTION_EPSILON = 0.001


def basic_conv(graph, name, value, channels, kernel, stride=1):
    """Convolution, batch norm, ReLU."""
    with graph.scope(name):
        with graph.scope("conv"):
            value = conv(graph, value, channels, kernel, stride, kernel // 2)
        with graph.scope("bn"):
            value = batch_norm(graph, value, channels[1],
                               epsilon=INCEPTION_EPSILON)
        return relu(graph, value)


def inception(graph, value, inner, widths):
    """`widths`: 1x1; 1x1 then 3x3; 1x1 then 3x3, where the paper has 5x5 and
    torchvision has not; pooling then 1x1."""
    one, reduce3, three, reduce5, five, pooled = widths
    branches = [basic_conv(graph, "branch1", value, (inner, one), 1)]
    middle = basic_conv(graph, "branch2.0", value, (inner, reduce3), 1)
    branches.append(basic_conv(graph, "branch2.1", middle, (reduce3, three), 3))
    middle = basic_conv(graph, "branch3.0", value, (inner, reduce5), 1)
    branches.append(basic_conv(graph, "branch3.1", middle, (reduce5, five), 3))
    middle = max_pool(graph, value, 3, 1, 1, ceil=1)
    branches.append(basic_conv(graph, "branch4.1", middle, (inner, pooled), 1))
    return graph.node("Concat", *branches, axis=1), one + three + five + pooled


INCEPTION_ROWS = [
    ("3a", (64, 96, 128, 16, 32, 32)), ("3b", (128, 128, 192, 32, 96, 64)),
    ("pool", (3, 2)), ("4a", (192, 96, 208, 16, 48, 64)),
    ("4b", (160, 112, 224, 24, 64, 64)), ("4c", (128, 128, 256, 24, 64, 64)),
    ("4d", (112, 144, 288, 32, 64, 64)), ("4e", (256, 160, 320, 32, 128, 128)),
    ("pool", (2, 2)), ("5a", (256, 160, 320, 32, 128, 128)),
    ("5b", (384, 192, 384, 48, 128, 128))]


def inception_v1(graph):
    value = graph.input("image", [1, 3, 224, 224])
    value = basic_conv(graph, "conv1", value, (3, 64), 7, 2)
    value = max_pool(graph, value, 3, 2, ceil=1)
    value = basic_conv(graph, "conv2", value, (64, 64), 1)
    value = basic_conv(graph, "conv3", value, (64, 192), 3)
    value, channels = max_pool(graph, value, 3, 2, ceil=1), 192
    for name, widths in INCEPTION_ROWS:
        if name == "pool":
            value = max_pool(graph, value, *widths, ceil=1)
            continue
        with graph.scope(f"inception{name}"):
            value, channels = inception(graph, value, channels, widths)
    pool_and_classify(graph, value, channels)


def norm_relu_conv(graph, at, value, channels, kernel):
    with graph.scope(f"norm{at}"):
        value = relu(graph, batch_norm(graph, value, channels[0]))
    with graph.scope(f"conv{at}"):
        return conv(graph, value, channels, kernel, 1, kernel // 2)


def dense_layer(graph, values, inner, growth):
    value = values[0]
    if len(values) > 1:
        value = graph.node("Concat", *values, axis=1)
    value = norm_relu_conv(graph, 1, value, (inner, 4 * growth), 1)
    return norm_relu_conv(graph, 2, value, (4 * growth, growth), 3)


def dense_block(graph, value, channels, count, growth):
    values = [value]
    for at in range(1, count + 1):
        with graph.scope(f"denselayer{at}"):
            values.append(dense_layer(graph, values, channels, growth))
        channels += growth
    return graph.node("Concat", *values, axis=1), channels


def transition(graph, value, channels):
    value = norm_relu_conv(graph, "", value, (channels, channels // 2), 1)
    return graph.node("AveragePool", value, kernel_shape=[2, 2],
                      strides=[2, 2]), channels // 2


def densenet121(graph):
    value, channels = graph.input("image", [1, 3, 224, 224]), 64
    with graph.scope("conv0"):
        value = conv(graph, value, (3, channels), 7, 2, 3)
    with graph.scope("norm0"):
        value = relu(graph, batch_norm(graph, value, channels))
    value = max_pool(graph, value, 3, 2, 1)
    for at, count in enumerate((6, 12, 24, 16), 1):
        if at > 1:
            with graph.scope(f"transition{at - 1}"):
                value, channels = transition(graph, value, channels)
        with graph.scope(f"denseblock{at}"):
            value, channels = dense_block(graph, value, channels, count, 32)
    with graph.scope("norm5"):
        value = relu(graph, batch_norm(graph, value, channels))
    pool_and_classify(graph, value, channels)


# Counts: num_params of torchvision's IMAGENET1K_V1 weights.
NETWORKS = [
    Network("inception_v1", inception_v1, picture(224), 6624904),
    Network("densenet121", densenet121, picture(224), 7978856),
]
