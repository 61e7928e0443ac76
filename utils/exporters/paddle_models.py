"""Small models as people write them in Paddle, as paddle2onnx writes them."""
import pathlib

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.static import InputSpec

from model_data import parse

MODELS = {}
PICTURES = "x[B,3,H,W]"


def model(specification, sizes=None, f32_only=False):
    def add(make):
        MODELS[make.__name__] = dict(
            make=make, inputs=parse(specification), sizes=sizes or {},
            exporters=("paddle2onnx",), f32_only=f32_only)
        return make
    return add


def seeded(entry):
    paddle.seed(0)
    made = entry["make"]()
    made.eval()
    random = np.random.RandomState(0)
    for weight in made.parameters():
        value = weight.numpy() + random.uniform(-0.1, 0.1, weight.shape)
        weight.set_value((np.round(value * 128) / 128).astype(np.float32))
    return made


def flat(outputs):
    if isinstance(outputs, paddle.Tensor):
        return [outputs.numpy()]
    return [tensor for part in outputs for tensor in flat(part)]


def answers(entry, at):
    made = seeded(entry)
    with paddle.no_grad():
        return flat(made(*(paddle.to_tensor(port.data(entry["sizes"], at))
                           for port in entry["inputs"])))


def export(entry, exporter, path, at=None):
    made = seeded(entry)
    specs = []
    for port in entry["inputs"]:
        shape = (port.shape(entry["sizes"], at) if at is not None else
                 [int(dim) if dim.isdigit() else -1 for dim in port.dims])
        kind = str(port.data(entry["sizes"], 0).dtype)
        specs.append(InputSpec(shape, kind, port.name))
    stem = pathlib.Path(path).with_suffix("")
    paddle.onnx.export(made, str(stem), input_spec=specs, opset_version=13)


class Call(nn.Layer):
    """A layer whose forward is a function of it and of the inputs."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x):
        return self.function(self, x)


@model(PICTURES)
def ocr_detector():
    def forward(self, x):
        x = F.hardswish(self.norm(self.stem(x)))
        y = F.adaptive_avg_pool2d(x, 1)
        x = x * F.hardsigmoid(self.excite(y), slope=0.2, offset=0.5)
        return F.sigmoid(self.up(self.narrow(x)))
    return Call(forward, stem=nn.Conv2D(3, 8, 3, 2, 1), norm=nn.BatchNorm2D(8),
                excite=nn.Conv2D(8, 8, 1), narrow=nn.Conv2D(8, 6, 1),
                up=nn.Conv2DTranspose(6, 1, 2, 2))


@model("x[B,3,16,W]", sizes={"W": (20, 31, 50)})
def ocr_recogniser():
    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.max_pool2d(self.second(x), 2, 2)
        x = paddle.mean(x, axis=2).transpose([0, 2, 1])
        x, _ = self.lstm(x)
        return F.softmax(self.head(x), axis=2)
    return Call(forward, first=nn.Conv2D(3, 6, 3, 2, 1),
                second=nn.Conv2D(6, 8, 3, (2, 1), 1, groups=2),
                lstm=nn.LSTM(8, 6, direction="bidirectional"),
                head=nn.Linear(12, 9))


@model("x[B,L,16]")
def transformer():
    return nn.TransformerEncoder(
        nn.TransformerEncoderLayer(16, 2, 32, activation="gelu"), 2)


@model("x[B,9,16]")
def svtr_mixer():
    def forward(self, x):
        qkv = self.qkv(x).reshape((0, -1, 3, 2, 8)).transpose((2, 0, 3, 1, 4))
        q, k, v = qkv[0] * 8 ** -0.5, qkv[1], qkv[2]
        scores = F.softmax(q.matmul(k.transpose((0, 1, 3, 2))), axis=-1)
        x = x + scores.matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, 16))
        return self.norm(x)
    return Call(forward, qkv=nn.Linear(16, 48), norm=nn.LayerNorm(16))


@model("x[B,L,6]")
def gru():
    def forward(self, x):
        out, state = self.gru(x)
        return out, state
    return Call(forward, gru=nn.GRU(6, 8))
