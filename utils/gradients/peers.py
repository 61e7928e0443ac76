"""Training steps of the networks of networks.py in PyTorch, TensorFlow and JAX.

Each peer is a `Net` whose layers are those of one library, on parameters and
data data that networks.py wrote. `make_step` returns a function without
arguments that computes the loss and the gradients of all parameters and returns
the loss. If it trains, the function updates the parameters as well. Images are
channels-last where the library is faster with them on CPUs.
"""
import pathlib
import re

import numpy as np
from safetensors.numpy import load_file

import networks


class Stored:
    """What networks.py wrote of a network."""

    def __init__(self, folder, name):
        stem = f"{name}.f32"
        self.parameters = load_file(folder / f"{stem}.safetensors")
        files = {int(re.search(r"data(\d+)", path.name)[1]): path
                 for path in folder.glob(f"{stem}.data*.npy")}
        self.inputs = [np.load(files[at]) for at in sorted(files)]
        expected = load_file(folder / f"{stem}.expected.safetensors")
        self.loss = float(expected["loss"])
        self.network = {**networks.NETWORKS, **networks.STEPS}[name]
        self.optimizer = networks.UPDATES.get(name, networks.MOMENTUM)


class Layers(networks.Net):
    """A network whose parameters and inputs exist. A value is a pair, as in
    `Net`, whose second part is not used."""

    def __init__(self, parameters, inputs):
        self.parameters, self.values = parameters, iter(inputs)

    def parameter(self, name, *shape, scale=None, around=0.0):
        return self.parameters[name], None

    def data(self, *shape):
        return next(self.values), None

    def labels(self, count, classes):
        return next(self.values), None

    def step(self, number):
        return next(self.values), None


class Torch(Layers):
    """Everything but `emit` and the norm is as networks.py has it."""

    def emit(self, op, operands, tensor, attributes=""):
        return tensor, None

    def constant(self, array):
        return networks.torch.tensor(array), None

    def dropout(self, x, step, ratio, stream):
        return networks.F.dropout(x[0], ratio), None

    def batch_norm(self, name, x):
        scale, bias = (self.parameters[f"{name}_{end}"]
                       for end in ("scale", "bias"))
        return networks.F.batch_norm(x[0], None, None, scale, bias,
                                     training=True, eps=1e-5), None


def torch_optimizer(torch, parameters, numbers):
    if numbers["name"] == "adam":
        return torch.optim.Adam(parameters, numbers["rate"], fused=True)
    return torch.optim.SGD(parameters, numbers["rate"], numbers["momentum"],
                           fused=True)


def make_torch(stored, trains, compiles, isChannelsLast):
    torch = networks.torch
    torch.set_num_threads(2)

    def place(array):
        tensor = torch.tensor(array)
        if isChannelsLast and tensor.ndim == 4:
            tensor = tensor.contiguous(memory_format=torch.channels_last)
        return tensor

    parameters = {n: place(a).requires_grad_()
                  for n, a in stored.parameters.items()}
    inputs = [place(a) for a in stored.inputs]

    def find_loss():
        return stored.network(Torch(parameters, inputs))[0]

    if compiles:
        find_loss = torch.compile(find_loss)
    optimizer = torch_optimizer(torch, list(parameters.values()),
                                stored.optimizer)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = find_loss()
        loss.backward()
        if trains:
            optimizer.step()
        return float(loss.detach())

    return step


class Image:
    """A channels-last image that tells its shape as `Net` does."""

    def __init__(self, rows):
        self.rows = rows
        n, h, w, c = rows.shape
        self.shape = (n, c, h, w)


def as_channels_last(array):
    return np.ascontiguousarray(np.moveaxis(array, 1, -1))


def as_kernel(array):
    """From [out, in, height, width] to [height, width, in, out]."""
    return np.ascontiguousarray(array.transpose(2, 3, 1, 0))


# The first layer behind an image, and how many channels and cells it has.
FLATTENED = {"lenet_step": ("f1_w", 16), "keras_step": ("head_w", 64)}


def arrange(stored):
    """Parameters and inputs as TensorFlow and JAX take them."""
    parameters = {n: as_kernel(a) if a.ndim == 4 else a
                  for n, a in stored.parameters.items()}
    for name, (layer, channels) in FLATTENED.items():
        if stored.network.__name__.startswith(name):
            rows = parameters[layer]
            cells = rows.reshape(len(rows), channels, -1)
            parameters[layer] = np.ascontiguousarray(
                cells.transpose(0, 2, 1)).reshape(rows.shape)
    inputs = [as_channels_last(a) if a.ndim == 4 else a
              for a in stored.inputs]
    return parameters, [a.astype(np.int32) if a.dtype == np.int64 else a
                        for a in inputs]


class ChannelsLast(Layers):
    """The layers that need no more than what both libraries call alike."""

    def data(self, *shape):
        value = next(self.values)
        return (Image(value) if len(shape) == 4 else value), None

    def add(self, x, y):
        if isinstance(x[0], Image):
            return Image(x[0].rows + y[0].rows), None
        return x[0] + y[0], None

    def mul(self, x, y):
        return x[0] * y[0], None

    def flatten(self, x):
        return self.reshape((x[0].rows, None), (x[0].shape[0], -1))

    def linear(self, name, x, size):
        w, b = (self.parameters[f"{name}_{end}"] for end in "wb")
        return self.product(x[0], w) + b, None

    def batch_norm(self, name, x):
        scale, bias = (self.parameters[f"{name}_{end}"]
                       for end in ("scale", "bias"))
        return Image(self.normalise(x[0].rows, scale, bias)), None


class TensorFlow(ChannelsLast):
    def __init__(self, tf, parameters, inputs):
        super().__init__(parameters, inputs)
        self.tf = tf

    def product(self, x, w):
        return self.tf.linalg.matmul(x, w, transpose_b=True)

    def normalise(self, x, scale, bias):
        return self.tf.compat.v1.nn.fused_batch_norm(
            x, scale, bias, epsilon=1e-5, is_training=True)[0]

    def unary(self, op, x):
        function = {"relu": self.tf.nn.relu, "gelu": self.tf.nn.gelu}[op]
        if isinstance(x[0], Image):
            return Image(function(x[0].rows)), None
        if op == "gelu":
            return function(x[0], approximate=False), None
        return function(x[0]), None

    def conv(self, name, x, channels, kernel, stride=1, pad=0, groups=1,
             bias=True):
        pads = [[0, 0], [pad, pad], [pad, pad], [0, 0]]
        y = self.tf.nn.conv2d(x[0].rows, self.parameters[f"{name}_w"],
                              stride, pads)
        return Image(y + self.parameters[f"{name}_b"] if bias else y), None

    def max_pool(self, x, kernel, stride, pad=0):
        rows = self.tf.pad(x[0].rows,
                           [[0, 0], [pad, pad], [pad, pad], [0, 0]],
                           constant_values=float("-inf")) if pad else x[0].rows
        return Image(self.tf.nn.max_pool2d(rows, kernel, stride,
                                           "VALID")), None

    def global_average_pool(self, x):
        return self.tf.reduce_mean(x[0].rows, (1, 2)), None

    def layer_norm(self, name, x):
        mean, variance = self.tf.nn.moments(x[0], -1, keepdims=True)
        return self.tf.nn.batch_normalization(
            x[0], mean, variance, self.parameters[f"{name}_bias"],
            self.parameters[f"{name}_scale"], 1e-5), None

    def constant(self, array):
        return self.tf.constant(array), None

    def dropout(self, x, step, ratio, stream):
        return self.tf.nn.dropout(x[0], ratio), None

    def matmul(self, x, y):
        return self.tf.linalg.matmul(x[0], y[0]), None

    def reshape(self, x, shape):
        return self.tf.reshape(x[0], shape), None

    def transpose(self, x, perm):
        return self.tf.transpose(x[0], perm), None

    def softmax(self, x):
        return self.tf.nn.softmax(x[0]), None

    def take(self, x, indices):
        return self.tf.gather(x[0], indices[0]), None

    def cross_entropy(self, x, labels):
        rows = self.tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels[0], x[0])
        return self.tf.reduce_mean(rows), None


def update_variables(tf, variables, gradients, numbers, state):
    """A step of the optimiser, whose `state` has lists of variables."""
    if numbers["name"] == "sgd":
        for w, g, v in zip(variables, gradients, state["momentum"]):
            v.assign(numbers["momentum"] * v + g)
            w.assign_sub(numbers["rate"] * v)
        return
    count = state["count"].assign_add(1.0)
    rate = (numbers["rate"] * tf.sqrt(1 - tf.pow(0.999, count)) /
            (1 - tf.pow(0.9, count)))
    for w, g, m, s in zip(variables, gradients, state["m"], state["s"]):
        m.assign(0.9 * m + 0.1 * g)
        s.assign(0.999 * s + 0.001 * tf.square(g))
        w.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def make_tensorflow(stored, trains, compiles):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(2)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    parameters, inputs = arrange(stored)
    variables = {n: tf.Variable(a) for n, a in parameters.items()}
    tensors = [tf.constant(a) for a in inputs]
    state = {kind: [tf.Variable(tf.zeros_like(v)) for v in variables.values()]
             for kind in ("momentum", "m", "s")}
    state["count"] = tf.Variable(0.0)

    @tf.function(jit_compile=compiles)
    def run(*tensors):
        with tf.GradientTape() as tape:
            loss = stored.network(TensorFlow(tf, variables, tensors))[0]
        gradients = [tf.convert_to_tensor(g) for g in
                     tape.gradient(loss, list(variables.values()))]
        if trains:
            update_variables(tf, variables.values(), gradients,
                             stored.optimizer, state)
            return loss, []
        return loss, gradients

    return lambda: float(run(*tensors)[0])


class Jax(ChannelsLast):
    def __init__(self, jax, parameters, inputs):
        super().__init__(parameters, inputs)
        self.jax, self.jnp = jax, jax.numpy

    def product(self, x, w):
        return self.jnp.matmul(x, w.T)

    def standardise(self, x, axes):
        mean = x.mean(axes, keepdims=True)
        variance = ((x - mean) ** 2).mean(axes, keepdims=True)
        return (x - mean) * self.jax.lax.rsqrt(variance + 1e-5)

    def normalise(self, x, scale, bias):
        return self.standardise(x, (0, 1, 2)) * scale + bias

    def unary(self, op, x):
        if isinstance(x[0], Image):
            return Image(self.jax.nn.relu(x[0].rows)), None
        if op == "gelu":
            return self.jax.nn.gelu(x[0], approximate=False), None
        return self.jax.nn.relu(x[0]), None

    def conv(self, name, x, channels, kernel, stride=1, pad=0, groups=1,
             bias=True):
        y = self.jax.lax.conv_general_dilated(
            x[0].rows, self.parameters[f"{name}_w"], (stride, stride),
            ((pad, pad), (pad, pad)),
            dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return Image(y + self.parameters[f"{name}_b"] if bias else y), None

    def max_pool(self, x, kernel, stride, pad=0):
        y = self.jax.lax.reduce_window(
            x[0].rows, -np.inf, self.jax.lax.max, (1, kernel, kernel, 1),
            (1, stride, stride, 1), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        return Image(y), None

    def global_average_pool(self, x):
        return x[0].rows.mean((1, 2)), None

    def layer_norm(self, name, x):
        scale, bias = (self.parameters[f"{name}_{end}"]
                       for end in ("scale", "bias"))
        return self.standardise(x[0], -1) * scale + bias, None

    def constant(self, array):
        return self.jnp.asarray(array), None

    def dropout(self, x, step, ratio, stream):
        key = self.jax.random.PRNGKey(step[0])
        kept = self.jax.random.bernoulli(key, 1 - ratio, x[0].shape)
        return self.jnp.where(kept, x[0] / (1 - ratio), 0), None

    def matmul(self, x, y):
        return self.jnp.matmul(x[0], y[0]), None

    def reshape(self, x, shape):
        return x[0].reshape(shape), None

    def transpose(self, x, perm):
        return x[0].transpose(perm), None

    def softmax(self, x):
        return self.jax.nn.softmax(x[0]), None

    def take(self, x, indices):
        return x[0][indices[0]], None

    def cross_entropy(self, x, labels):
        rows = self.jax.nn.log_softmax(x[0])
        picked = self.jnp.take_along_axis(rows, labels[0][:, None], 1)
        return -picked.mean(), None


def updated(jax, parameters, gradients, numbers, state):
    """The parameters and the state behind a step of the optimiser."""
    both = jax.tree_util.tree_map
    if numbers["name"] == "sgd":
        moved = both(lambda v, g: numbers["momentum"] * v + g, state["first"],
                     gradients)
        return (both(lambda w, v: w - numbers["rate"] * v, parameters, moved),
                {**state, "first": moved})
    count = state["count"] + 1
    rate = (numbers["rate"] * jax.numpy.sqrt(1 - 0.999**count) /
            (1 - 0.9**count))
    first = both(lambda m, g: 0.9 * m + 0.1 * g, state["first"], gradients)
    second = both(lambda s, g: 0.999 * s + 0.001 * g * g, state["second"],
                  gradients)
    return (both(lambda w, m, s: w - rate * m / (jax.numpy.sqrt(s) + 1e-7),
                 parameters, first, second),
            {"count": count, "first": first, "second": second})


def make_jax(stored, trains):
    import jax
    parameters, inputs = arrange(stored)
    parameters = {n: jax.numpy.asarray(a) for n, a in parameters.items()}
    inputs = [jax.numpy.asarray(a) for a in inputs]
    zeros = {n: jax.numpy.zeros_like(a) for n, a in parameters.items()}
    state = {"count": jax.numpy.float32(0), "first": zeros,
             "second": {n: jax.numpy.zeros_like(a) for n, a in zeros.items()}}

    def find(parameters, inputs):
        return jax.value_and_grad(lambda weights: stored.network(
            Jax(jax, weights, inputs))[0])(parameters)

    if not trains:
        run = jax.jit(find)
        return lambda: float(jax.block_until_ready(run(parameters,
                                                       inputs))[0])

    def train(parameters, state, inputs):
        loss, gradients = find(parameters, inputs)
        return loss, *updated(jax, parameters, gradients, stored.optimizer,
                              state)

    run, held = jax.jit(train, donate_argnums=(0, 1)), [parameters, state]

    def step():
        loss, *held[:] = jax.block_until_ready(run(*held, inputs))
        return float(loss)

    return step


PEERS = {
    "torch": lambda *a: make_torch(*a, False, False),
    "torch-channels-last": lambda *a: make_torch(*a, False, True),
    "torch-compile": lambda *a: make_torch(*a, True, False),
    "torch-compile-channels-last": lambda *a: make_torch(*a, True, True),
    "tensorflow": lambda *a: make_tensorflow(*a, False),
    "tensorflow-xla": lambda *a: make_tensorflow(*a, True),
    "jax": make_jax,
}


def make_step(peer, folder, name, trains=False):
    """The step and the loss that it must find first."""
    stored = Stored(pathlib.Path(folder), name)
    return PEERS[peer](stored, trains), stored.loss
