"""Networks of which only training steps are timed, and the optimisers of steps.

Each is a function of a network under construction, as in networks.py.
"""


def lenet_step(net, batch=64):
    """LeNet for images without padding, at a batch to train with."""
    x = net.unary("relu", net.conv("c1", net.data(batch, 1, 28, 28), 6, 5))
    x = net.max_pool(x, 2, 2)
    x = net.unary("relu", net.conv("c2", x, 16, 5))
    x = net.flatten(net.max_pool(x, 2, 2))
    for name, size in (("f1", 120), ("f2", 84)):
        x = net.unary("relu", net.linear(name, x, size))
    return net.cross_entropy(net.linear("f3", x, 10), net.labels(batch, 10))


def keras_step(net, batch):
    """The network of Keras' first example of convolutions."""
    step, x = net.step(0), net.data(batch, 1, 28, 28)
    for name, channels in (("c1", 32), ("c2", 64)):
        x = net.unary("relu", net.conv(name, x, channels, 3))
        x = net.max_pool(x, 2, 2)
    x = net.dropout(net.flatten(x), step, 0.5, 1)
    return net.cross_entropy(net.linear("head", x, 10), net.labels(batch, 10))


def keras_step32(net):
    return keras_step(net, 32)


def keras_step128(net):
    return keras_step(net, 128)


STEPS = {f.__name__: f for f in (lenet_step, keras_step32, keras_step128)}
UPDATES = {name: {"name": "adam", "rate": 0.001} for name in
           ("keras_step32", "keras_step128")}
MOMENTUM = {"name": "sgd", "rate": 0.001, "momentum": 0.9}
# The updates of steps with drawn parameters. Adam would make steps of full size
# of gradients that are only rounding, if its epsilon were not above these.
DECAYING = {"name": "sgd", "rate": 0.02, "momentum": 0.9, "weight_decay": 5e-4}
DRAWN_UPDATES = {
    "lenet": {"name": "adamw", "rate": 0.001, "weight_decay": 0.01,
              "epsilon": 1e-4},
    "resnet8": DECAYING, "dropout": {"name": "adam", "rate": 0.001},
    "lstm": {"name": "rmsprop", "rate": 0.001}, "transformer": DECAYING}
