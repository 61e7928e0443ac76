"""Networks that are one path: AlexNet, VGG-16, and the small dense ones."""
import pathlib
import sys

import numpy as np

from networks.layers import classify, conv, linear, max_pool, relu
from networks.network import Network, picture

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "utils"))
import safetensors_file  # noqa: E402

DIGITS = REPOSITORY / "docs/examples/digits/cnn.safetensors"


def alexnet(graph):
    """The network of Caffe (models/bvlc_alexnet/deploy.prototxt): response
    normalisation before the first two poolings, and two groups."""
    value = graph.input("image", [1, 3, 227, 227])
    rows = [(3, 96, 11, 4, 0, 1, "lrn"), (96, 256, 5, 1, 2, 2, "lrn"),
            (256, 384, 3, 1, 1, 1, ""), (384, 384, 3, 1, 1, 2, ""),
            (384, 256, 3, 1, 1, 2, "pool")]
    for at, (inner, outer, kernel, stride, pad, groups, last) in enumerate(
            rows, 1):
        with graph.scope(f"conv{at}"):
            value = relu(graph, conv(graph, value, (inner, outer), kernel,
                                     stride, pad, groups, bias=True))
        if last == "lrn":
            value = graph.node("LRN", value, size=5, alpha=1e-4, beta=0.75,
                               bias=1.0)
        if last:
            value = max_pool(graph, value, 3, 2)
    dense_classifier(graph, value, 9216)


def vgg16(graph):
    value, inner, at = graph.input("image", [1, 3, 224, 224]), 3, 0
    with graph.scope("features"):
        for outer, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
            for _ in range(count):
                with graph.scope(str(at)):
                    value = conv(graph, value, (inner, outer), 3, 1, 1,
                                 bias=True)
                value, inner, at = relu(graph, value), outer, at + 2
            value, at = max_pool(graph, value, 2, 2), at + 1
    dense_classifier(graph, value, 25088)


def dense_classifier(graph, value, features):
    value = graph.node("Flatten", value, axis=1)
    for name in ("fc6", "fc7"):
        with graph.scope(name):
            value = relu(graph, linear(graph, value, (features, 4096)))
        features = 4096
    classify(graph, value, features)


def digits(batch):
    """The trained network of docs/examples/digits."""
    def build(graph):
        weights = safetensors_file.load(DIGITS)
        held = {name: graph.parameter(name, weights[name])
                for name in sorted(weights)}
        value = graph.input("image", [batch, 1, 28, 28])
        value = graph.node("Conv", value, held["conv.weight"],
                           held["conv.bias"], kernel_shape=[3, 3])
        value = max_pool(graph, relu(graph, value), 2, 2)
        value = graph.node("Flatten", value, axis=1)
        value = graph.node("Gemm", value, held["dense.weight"],
                           held["dense.bias"], transB=1)
        value = graph.node("Softmax", value, axis=1)
        graph.output("probabilities", value, [batch, 10])
    return build


def mlp(batch):
    def build(graph):
        value = graph.input("image", [batch, 784])
        layers = ((784, 1024), (1024, 1024), (1024, 1024), (1024, 10))
        for at, features in enumerate(layers):
            if at:
                value = relu(graph, value)
            with graph.scope(f"layers.{2 * at}"):
                value = linear(graph, value, features)
        graph.output("scores", value, [batch, 10])
    return build


def rows(batch):
    return lambda random: {
        "image": random.standard_normal((batch, 784), np.float32)}


def pixels(batch):
    return lambda random: {
        "image": random.random((batch, 1, 28, 28), np.float32)}


NETWORKS = [
    # Krizhevsky, Sutskever, Hinton 2012: "60 million parameters"; this is the
    # count of the weights in Caffe's bvlc_alexnet.caffemodel.
    Network("alexnet", alexnet, picture(227), 60965224),
    # torchvision, VGG16_Weights.IMAGENET1K_V1, num_params.
    Network("vgg16", vgg16, picture(224), 138357544),
    *(Network(f"digits_{batch}", digits(batch), pixels(batch), 54410,
              overhead=batch == 1) for batch in (1, 32, 128)),
    *(Network(f"mlp_{batch}", mlp(batch), rows(batch), 2913290,
              overhead=batch == 1) for batch in (1, 128)),
]
