#!/usr/bin/env python3
"""Writes networks with their gradients by PyTorch, for comparison with Weir's.

    networks.py FOLDER [NAME ...] [--type f32|f64] [--train]
    networks.py FOLDER resnet50 --images 32x128 --type f32 --peak
    networks.py FOLDER NAME ... --type f32 --drawn

For each network it writes FOLDER/NAME.TYPE.mlir, in which the loss and the
gradients of all parameters are outputs, the parameters (NAME.TYPE.safetensors)
and what PyTorch computes (NAME.TYPE.expected.safetensors). Each layer is
written twice, once for PyTorch and once as text, so nothing here depends on
Weir. `compare.py` runs them. --images gives ResNet-50 other images, here 32 of
128 x 128, and it is then called resnet50-32x128. --peak also prints how many
bytes PyTorch's tensors take at most. --train adds an entry `train`, a step with
the optimiser of `UPDATES`. --drawn instead writes
FOLDER/NAME.mlir with that entry alone, whose parameters are drawn at load. No
other file belongs to it.
"""
import argparse
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test/Ops"))
from oracles.draws import UNIT, numbers  # noqa: E402
from peak import peak_bytes  # noqa: E402
from step_networks import DRAWN_UPDATES, MOMENTUM, STEPS, UPDATES  # noqa: E402

TYPES = {"f32": torch.float32, "f64": torch.float64}


class Net:
    """A network under construction, in PyTorch and as text. A value is a pair
    of a torch tensor and its name in the text."""

    def __init__(self, dtype, seed):
        self.dtype, self.name = TYPES[dtype], dtype
        self.random = np.random.default_rng(seed)
        self.lines, self.parameters, self.inputs = [], {}, {}
        self.drawn = {}
        self.count = 0

    def type_of(self, tensor):
        element = {torch.int64: "i64", torch.bool: "i1"}.get(
            tensor.dtype, self.name)
        return "x".join([*map(str, tensor.shape), element])

    def emit(self, op, operands, tensor, attributes="", results=1):
        """`tensor` is the first result."""
        name = f"%v{self.count}"
        self.count += 1
        types = ", ".join(f"tensor<{self.type_of(t)}>" for t, _ in operands)
        names = ", ".join(n for _, n in operands)
        attributes = f" {{{attributes}}}" if attributes else ""
        count = f":{results}" if results > 1 else ""
        self.lines.append(
            f"{name}{count} = weir.{op} {names}{attributes} : {types}")
        return tensor, f"{name}#0" if results > 1 else name

    def fresh(self, array):
        return torch.tensor(array, dtype=self.dtype)

    def parameter(self, name, *shape, scale=None, around=0.0):
        if scale is None:
            scale = 1 / np.sqrt(np.prod(shape[1:], initial=1))
        # Values of f32, so that both types compute with the same numbers.
        array = self.random.normal(around, scale, shape).astype(np.float32)
        tensor = self.fresh(array.astype(np.float64)).requires_grad_()
        self.parameters[name] = tensor
        self.drawn[name] = (f"mean = {around}, scale = {scale:.6}, "
                            f"seed = {len(self.drawn) + 1}")
        self.lines.append(
            f"%{name} = weir.read @{name} : tensor<{self.type_of(tensor)}>")
        return tensor, f"%{name}"

    def constant(self, array):
        tensor = (self.fresh(array) if array.dtype.kind == "f"
                  else torch.tensor(array))
        name = f"%v{self.count}"
        self.count += 1
        values = (str(tensor.tolist()) if array.ndim else str(tensor.item()))
        values = values.replace("True", "true").replace("False", "false")
        self.lines.append(
            f"{name} = weir.constant dense<{values}> : "
            f"tensor<{self.type_of(tensor)}>")
        return tensor, name

    def data(self, *shape):
        """An input, so that nothing is computed at compile time."""
        name = f"data{len(self.inputs)}"
        array = self.random.normal(0, 1, shape).astype(np.float32)
        self.inputs[name] = self.fresh(array)
        return self.inputs[name], f"%{name}"

    def labels(self, count, classes):
        name = f"data{len(self.inputs)}"
        self.inputs[name] = torch.tensor(
            self.random.integers(0, classes, count))
        return self.inputs[name], f"%{name}"

    def step(self, number):
        """The number of the training step."""
        name = f"data{len(self.inputs)}"
        self.inputs[name] = torch.tensor(number)
        return self.inputs[name], f"%{name}"

    # Layers.

    def dropout(self, x, step, ratio, stream):
        """With the numbers that Weir draws, written from the paper."""
        drawn = numbers(int(step[0]), {"stream": stream}, tuple(x[0].shape))
        kept = torch.tensor(drawn * UNIT >= ratio)
        return self.emit("dropout", [x, step], x[0] * kept / (1 - ratio),
                         f"ratio = {ratio}, stream = {stream}")

    def unary(self, op, x):
        function = {"relu": torch.relu, "tanh": torch.tanh,
                    "sigmoid": torch.sigmoid, "gelu": F.gelu}[op]
        return self.emit(op, [x], function(x[0]))

    def add(self, x, y):
        return self.emit("add", [x, y], x[0] + y[0])

    def mul(self, x, y):
        return self.emit("mul", [x, y], x[0] * y[0])

    def matmul(self, x, y):
        return self.emit("matmul", [x, y], x[0] @ y[0])

    def linear(self, name, x, size):
        w = self.parameter(f"{name}_w", size, x[0].shape[-1])
        b = self.parameter(f"{name}_b", size, scale=0.1)
        return self.emit("linear", [x, w, b], F.linear(x[0], w[0], b[0]))

    def conv(self, name, x, channels, kernel, stride=1, pad=0, groups=1,
             bias=True):
        w = self.parameter(f"{name}_w", channels, x[0].shape[1] // groups,
                           kernel, kernel)
        operands = [x, w]
        if bias:
            operands.append(self.parameter(f"{name}_b", channels, scale=0.1))
        y = F.conv2d(*(t for t, _ in operands), stride=stride, padding=pad,
                     groups=groups)
        return self.emit(
            "conv", operands, y,
            f"groups = {groups}, pads = [{pad}, {pad}, {pad}, {pad}], "
            f"strides = [{stride}, {stride}]")

    def batch_norm(self, name, x):
        """With the statistics of the batch, as in training."""
        scale = self.parameter(f"{name}_scale", x[0].shape[1], scale=0.1,
                               around=1.0)
        bias = self.parameter(f"{name}_bias", x[0].shape[1], scale=0.1)
        y = F.batch_norm(x[0], None, None, scale[0], bias[0], training=True,
                         eps=1e-5)
        return self.emit("batch_norm_training", [x, scale, bias], y,
                         "epsilon = 1.0e-5", results=3)

    def layer_norm(self, name, x):
        size = x[0].shape[-1]
        scale = self.parameter(f"{name}_scale", size, scale=0.1, around=1.0)
        bias = self.parameter(f"{name}_bias", size, scale=0.1)
        return self.emit("layer_norm", [x, scale, bias],
                         F.layer_norm(x[0], (size,), scale[0], bias[0], 1e-5),
                         "epsilon = 1.0e-5")

    def max_pool(self, x, kernel, stride, pad=0):
        return self.emit(
            "max_pool", [x], F.max_pool2d(x[0], kernel, stride, pad),
            f"kernel_shape = [{kernel}, {kernel}], "
            f"pads = [{pad}, {pad}, {pad}, {pad}], "
            f"strides = [{stride}, {stride}]")

    def global_average_pool(self, x):
        y = self.emit("global_average_pool", [x],
                      x[0].mean((2, 3), keepdim=True))
        return self.reshape(y, y[0].shape[:2])

    def reshape(self, x, shape):
        y = x[0].reshape(shape)
        return self.emit("reshape", [x], y,
                         f"shape = {list(map(int, y.shape))}")

    def flatten(self, x):
        return self.reshape(x, (x[0].shape[0], -1))

    def transpose(self, x, perm):
        return self.emit("transpose", [x], x[0].permute(perm),
                         f"perm = {list(perm)}")

    def slice(self, x, axis, start, size):
        starts = [0] * x[0].ndim
        sizes = list(x[0].shape)
        starts[axis], sizes[axis] = start, size
        return self.emit("slice", [x], x[0].narrow(axis, start, size),
                         f"sizes = {sizes}, starts = {starts}")

    def softmax(self, x):
        return self.emit("softmax", [x], x[0].softmax(-1), "axis = -1")

    def take(self, x, indices):
        return self.emit("take", [x, indices], x[0][indices[0]], "axis = 0")

    def cross_entropy(self, x, labels):
        """The mean over all rows of -log softmax at the label."""
        rows = self.emit("log_softmax", [x], x[0].log_softmax(-1), "axis = -1")
        picked = self.reshape(labels, (-1, 1))
        losses = self.emit("take_along_axis", [rows, picked],
                           rows[0].gather(-1, picked[0]), "axis = 1")
        mean = self.emit("reduce_mean", [losses], losses[0].mean(),
                         "keepdims = false")
        return self.emit("neg", [mean], -mean[0])

    def inputs_text(self):
        return ", ".join(f"%{n}: tensor<{self.type_of(t)}>"
                         for n, t in self.inputs.items())

    def drawn_text(self, loss, optimizer):
        """A step whose parameters are drawn at load."""
        return "\n".join([
            "// Written by utils/gradients/networks.py --drawn.",
            *(f"weir.parameter @{n} : tensor<{self.type_of(t)}>\n"
              f"    initial {{name = \"normal\", {self.drawn[n]}}}"
              for n, t in self.parameters.items()), "",
            *self.train_text(loss, self.inputs_text(), optimizer), ""])

    def train_text(self, loss, inputs, optimizer):
        """An entry that makes a step."""
        numbers = ", ".join(f"{n} = {v!r}" for n, v in optimizer.items()
                            if n != "name")
        scalar = f"tensor<{self.name}>"
        return [f"func.func @train({inputs}) -> "
                f"({scalar} {{weir.name = \"loss\"}}) {{",
                *(f"  {line}" for line in self.lines),
                f"  weir.minimize {loss[1]} {{optimizer = {{name = "
                f"\"{optimizer['name']}\", {numbers}}}}} : {scalar}",
                f"  return {loss[1]} : {scalar}", "}"]

    def text(self, name, loss, optimizer=None):
        head = [f'weir.parameter @{n} : tensor<{self.type_of(t)}> '
                f'from "{name}.{self.name}.safetensors"'
                for n, t in self.parameters.items()]
        names = list(self.parameters)
        types = [f"tensor<{self.type_of(t)}>" for t in
                 self.parameters.values()]
        results = ", ".join([f"tensor<{self.name}> {{weir.name = \"loss\"}}",
                             *(f"{t} {{weir.name = \"{n}.grad\"}}"
                               for n, t in zip(names, types))])
        body = [f"  {line}" for line in self.lines]
        of = ", ".join(f"%{n}" for n in names)
        body.append(f"  %g:{len(names)} = weir.gradient {loss[1]} of {of}\n"
                    f"      : tensor<{self.name}> of {', '.join(types)}")
        grads = [f"%g#{i}" for i in range(len(names))]
        body.append(f"  return {', '.join([loss[1], *grads])}\n"
                    f"      : {', '.join([f'tensor<{self.name}>', *types])}")
        inputs = self.inputs_text()
        # Weights that another entry assigns are not packed or folded at load,
        # as in training.
        given = ", ".join(f"%{n}: {t}" for n, t in zip(names, types))
        update = [f"func.func @update({given}) {{",
                  *(f"  weir.assign @{n}, %{n} : {t}"
                    for n, t in zip(names, types)), "  return", "}"]
        train = self.train_text(loss, inputs, optimizer) if optimizer else []
        return "\n".join([*head, "",
                          f"func.func @main({inputs}) -> ({results}) {{",
                          *body, "}", "", *(train or update), ""])


# Networks ---------------------------------------------------------------------


def lenet(net):
    x = net.data(4, 1, 28, 28)
    x = net.max_pool(net.conv("c1", x, 6, 5, pad=2), 2, 2)
    x = net.unary("relu", x)
    x = net.unary("relu", net.max_pool(net.conv("c2", x, 16, 5), 2, 2))
    x = net.reshape(x, (4, -1))
    for name, size in (("f1", 120), ("f2", 84)):
        x = net.unary("relu", net.linear(name, x, size))
    return net.cross_entropy(net.linear("f3", x, 10), net.labels(4, 10))


def residual_block(net, name, x, channels, stride):
    y = net.conv(f"{name}a", x, channels, 3, stride, 1, bias=False)
    y = net.unary("relu", net.batch_norm(f"{name}an", y))
    y = net.conv(f"{name}b", y, channels, 3, 1, 1, bias=False)
    y = net.batch_norm(f"{name}bn", y)
    if stride != 1 or x[0].shape[1] != channels:
        x = net.conv(f"{name}s", x, channels, 1, stride, bias=False)
        x = net.batch_norm(f"{name}sn", x)
    return net.unary("relu", net.add(x, y))


def resnet8(net):
    x = net.conv("stem", net.data(4, 3, 16, 16), 8, 3, 1, 1, bias=False)
    x = net.unary("relu", net.batch_norm("stemn", x))
    for i, (channels, stride) in enumerate(((8, 1), (16, 2), (32, 2))):
        x = residual_block(net, f"r{i}", x, channels, stride)
    x = net.linear("head", net.global_average_pool(x), 10)
    return net.cross_entropy(x, net.labels(4, 10))


def resnet18(net):
    x = net.conv("stem", net.data(16, 3, 64, 64), 64, 7, 2, 3, bias=False)
    x = net.unary("relu", net.batch_norm("stemn", x))
    x = net.max_pool(x, 3, 2, 1)
    for i, channels in enumerate((64, 128, 256, 512)):
        for j in range(2):
            x = residual_block(net, f"r{i}_{j}", x, channels,
                               2 if j == 0 and i > 0 else 1)
    x = net.linear("head", net.global_average_pool(x), 1000)
    return net.cross_entropy(x, net.labels(16, 1000))


def bottleneck(net, name, x, channels, stride):
    y = net.conv(f"{name}a", x, channels, 1, bias=False)
    y = net.unary("relu", net.batch_norm(f"{name}an", y))
    y = net.conv(f"{name}b", y, channels, 3, stride, 1, bias=False)
    y = net.unary("relu", net.batch_norm(f"{name}bn", y))
    y = net.conv(f"{name}c", y, 4 * channels, 1, bias=False)
    y = net.batch_norm(f"{name}cn", y)
    if stride != 1 or x[0].shape[1] != 4 * channels:
        x = net.conv(f"{name}s", x, 4 * channels, 1, stride, bias=False)
        x = net.batch_norm(f"{name}sn", x)
    return net.unary("relu", net.add(x, y))


def resnet50(net, batch=8, size=64):
    x = net.conv("stem", net.data(batch, 3, size, size), 64, 7, 2, 3,
                 bias=False)
    x = net.unary("relu", net.batch_norm("stemn", x))
    x = net.max_pool(x, 3, 2, 1)
    for i, (channels, count) in enumerate(
            ((64, 3), (128, 4), (256, 6), (512, 3))):
        for j in range(count):
            x = bottleneck(net, f"r{i}_{j}", x, channels,
                           2 if j == 0 and i > 0 else 1)
    x = net.linear("head", net.global_average_pool(x), 1000)
    return net.cross_entropy(x, net.labels(batch, 1000))


def mobilenet_v2(net):
    def relu6(x):
        return net.emit("clip", [x], F.relu6(x[0]), "max = 6.0, min = 0.0")

    x = net.conv("stem", net.data(4, 3, 64, 64), 32, 3, 2, 1, bias=False)
    x = relu6(net.batch_norm("stemn", x))
    number = 0
    for t, c, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                       (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                       (6, 320, 1, 1)):
        for i in range(n):
            name, y, wide = f"b{number}", x, x[0].shape[1] * t
            number += 1
            if t != 1:
                y = net.conv(f"{name}a", y, wide, 1, bias=False)
                y = relu6(net.batch_norm(f"{name}an", y))
            stride = s if i == 0 else 1
            y = net.conv(f"{name}b", y, wide, 3, stride, 1, wide, False)
            y = relu6(net.batch_norm(f"{name}bn", y))
            y = net.conv(f"{name}c", y, c, 1, bias=False)
            y = net.batch_norm(f"{name}cn", y)
            x = net.add(x, y) if i > 0 else y
    x = net.conv("last", x, 1280, 1, bias=False)
    x = relu6(net.batch_norm("lastn", x))
    x = net.linear("head", net.global_average_pool(x), 1000)
    return net.cross_entropy(x, net.labels(4, 1000))


def tiny(net):
    """One of each layer; test/EndToEnd/gradients.test has it."""
    x = net.conv("c1", net.data(2, 3, 8, 8), 8, 3, pad=1)
    x = net.unary("relu", net.batch_norm("n1", x))
    x = net.max_pool(x, 3, 2, 1)
    x = net.conv("c2", x, 8, 3, pad=1, groups=8, bias=False)
    x = net.emit("clip", [x], F.relu6(x[0]), "max = 6.0, min = 0.0")
    x = net.unary("gelu", net.linear("f1", net.global_average_pool(x), 6))
    return net.cross_entropy(net.layer_norm("n2", x), net.labels(2, 6))


def mlp(net):
    x = net.data(128, 784)
    for name in ("f1", "f2"):
        x = net.unary("relu", net.linear(name, x, 1024))
    return net.cross_entropy(net.linear("f3", x, 10), net.labels(128, 10))


def dropout(net):
    """Perceptrons that drop inputs and hidden values."""
    step, x = net.step(5), net.data(32, 64)
    for i, (size, ratio) in enumerate(((96, 0.2), (96, 0.5))):
        x = net.dropout(x, step, ratio, i)
        x = net.unary("tanh", net.linear(f"f{i}", x, size))
    x = net.dropout(x, step, 0.5, 2)
    return net.cross_entropy(net.linear("head", x, 10), net.labels(32, 10))


def lstm(net, batch=4, steps=6, size=12, hidden=16):
    """A classifier of two layers, unrolled."""
    xs = [net.data(batch, size) for _ in range(steps)]
    for layer in range(2):
        wide = xs[0][0].shape[1]
        w = net.parameter(f"l{layer}_w", 4 * hidden, wide)
        u = net.parameter(f"l{layer}_u", 4 * hidden, hidden)
        b = net.parameter(f"l{layer}_b", 4 * hidden, scale=0.1)
        h = net.constant(np.zeros((batch, hidden), np.float32))
        c = h
        outputs = []
        for x in xs:
            gates = net.add(
                net.emit("linear", [x, w, b], F.linear(x[0], w[0], b[0])),
                net.emit("linear", [h, u], F.linear(h[0], u[0])))
            i, f, g, o = (net.slice(gates, 1, k * hidden, hidden)
                          for k in range(4))
            kept = net.mul(net.unary("sigmoid", f), c)
            new = net.mul(net.unary("sigmoid", i), net.unary("tanh", g))
            c = net.add(kept, new)
            h = net.mul(net.unary("sigmoid", o), net.unary("tanh", c))
            outputs.append(h)
        xs = outputs
    return net.cross_entropy(net.linear("head", xs[-1], 5),
                             net.labels(batch, 5))


def transformer(net, batch=2, tokens=8, width=16, heads=2, blocks=2):
    vocabulary = 20
    embedding = net.parameter("embedding", vocabulary, width, scale=0.5)
    words = net.labels(batch * tokens, vocabulary)
    x = net.reshape(net.take(embedding, words), (batch, tokens, width))
    places = net.parameter("places", tokens, width, scale=0.5)
    x = net.add(x, places)
    mask = net.constant(np.triu(np.full((tokens, tokens), -1e9, np.float32),
                                1))
    scale = net.constant(np.float32((width // heads) ** -0.5).reshape(()))
    for block in range(blocks):
        y = net.layer_norm(f"b{block}n1", x)

        def split(name, perm):
            z = net.linear(f"b{block}{name}", y, width)
            z = net.reshape(z, (batch, tokens, heads, width // heads))
            return net.transpose(z, perm)

        q, k, v = (split("q", (0, 2, 1, 3)), split("k", (0, 2, 3, 1)),
                   split("v", (0, 2, 1, 3)))
        scores = net.add(net.mul(net.matmul(q, k), scale), mask)
        y = net.transpose(net.matmul(net.softmax(scores), v), (0, 2, 1, 3))
        y = net.reshape(y, (batch, tokens, width))
        x = net.add(x, net.linear(f"b{block}o", y, width))
        y = net.layer_norm(f"b{block}n2", x)
        y = net.unary("gelu", net.linear(f"b{block}f1", y, 4 * width))
        x = net.add(x, net.linear(f"b{block}f2", y, width))
    x = net.reshape(net.layer_norm("norm", x), (batch * tokens, width))
    return net.cross_entropy(net.linear("head", x, vocabulary),
                             net.labels(batch * tokens, vocabulary))


def transformer4(net):
    return transformer(net, 8, 128, 256, 8, 4)


NETWORKS = {f.__name__: f for f in (tiny, lenet, mlp, resnet8, resnet18,
                                    resnet50, mobilenet_v2, dropout, lstm,
                                    transformer, transformer4)}


def write(folder, name, dtype, seed, peak=False, train=False):
    net = Net(dtype, seed)
    loss = {**NETWORKS, **STEPS}[name](net)
    loss[0].backward()
    stem = f"{name}.{dtype}"
    optimizer = UPDATES.get(name, MOMENTUM) if train else None
    (folder / f"{stem}.mlir").write_text(net.text(name, loss, optimizer))
    save_file({n: t.detach().numpy() for n, t in net.parameters.items()},
              folder / f"{stem}.safetensors")
    for n, t in net.inputs.items():
        np.save(folder / f"{stem}.{n}.npy", t.numpy())
    expected = {f"{n}.grad": t.grad.numpy() for n, t in net.parameters.items()}
    expected["loss"] = loss[0].detach().numpy().reshape(())
    save_file(expected, folder / f"{stem}.expected.safetensors")
    if peak:
        del loss
        print(f"{stem}: {peak_bytes(NETWORKS[name], net)} bytes of tensors")


def write_drawn(folder, name, dtype, seed):
    net = Net(dtype, seed)
    loss = NETWORKS[name](net)
    (folder / f"{name}.mlir").write_text(
        net.drawn_text(loss, DRAWN_UPDATES.get(name, MOMENTUM)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=list(NETWORKS))
    parser.add_argument("--type", choices=TYPES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--images", help="NxS: N images of S x S")
    parser.add_argument("--peak", action="store_true")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--drawn", action="store_true")
    args = parser.parse_args()
    if args.images:
        batch, size = map(int, args.images.split("x"))
        NETWORKS[f"resnet50-{args.images}"] = (
            lambda net: resnet50(net, batch, size))
        args.names = [f"resnet50-{args.images}" if name == "resnet50" else name
                      for name in args.names]
    args.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(2)
    for name in args.names:
        for dtype in args.type or TYPES:
            if args.drawn:
                write_drawn(args.folder, name, dtype, args.seed)
            else:
                write(args.folder, name, dtype, args.seed, args.peak,
                      args.train)
            print(f"{name} {dtype}")


if __name__ == "__main__":
    main()
