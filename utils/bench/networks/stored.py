"""Networks that packages bring along: the light ones of `onnx`, and the readers
of text of `rapidocr-onnxruntime`."""
import importlib.util
import math
import pathlib

import numpy as np
import onnx
from onnx import numpy_helper

from networks.graph import IR_VERSION
from networks.network import Network, picture

LIGHT = ("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2",
         "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512")
# The deviation and mean of a batch norm's inputs 1 to 3: scale, bias and mean.
NORM_INPUTS = {1: (0.1, 1.0), 2: (0.1, 0.0), 3: (0.1, 0.0)}
VARIANCE_INPUT = 4
# What a residual branch adds grows with depth unless its last scale is small;
# where the by-pass has weights too, both have the same.
BRANCH_GAIN, SHORTCUT_GAIN = np.float32(0.25), np.float32(0.7)
# Scores far apart would leave one class the whole of a softmax.
SCORE_GAIN = np.float32(0.2)


def package_file(package, *parts):
    """A file of a package, which is not imported: it may need others."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise FileNotFoundError(f"the Python package {package} is missing")
    return pathlib.Path(spec.submodule_search_locations[0], *parts)


class LightWeights:
    """Puts noise where a light network has constant weights, which a compiler
    would fold. A weight's scale follows from the node that reads it."""

    def __init__(self, model, random):
        self.graph, self.random = model.graph, random
        self.readers, self.makers = {}, {}
        for node in self.graph.node:
            self.makers.update((name, node) for name in node.output)
            for at, name in enumerate(node.input):
                self.readers.setdefault(name, (node, at))

    def fill(self, name, shape):
        node, at = self.readers[name]
        kind = node.op_type
        # A scale and a shift of channels, written as Mul and Add.
        if kind == "Unsqueeze":
            node, at = self.readers[node.output[0]]
            kind = node.op_type
        if kind == "BatchNormalization" and at == VARIANCE_INPUT:
            return self.random.uniform(0.8, 1.2, shape).astype(np.float32)
        if kind == "BatchNormalization":
            return self.noise(shape, *NORM_INPUTS[at]) * self.gain(node)
        if kind in ("Conv", "Gemm") and at == 1:
            # A ReLU halves what it lets through.
            maker = self.makers.get(node.input[0], node)
            halved = maker.op_type != "BatchNormalization"
            deviation = math.sqrt((1 + halved) / math.prod(shape[1:]))
            return self.noise(shape, deviation) * self.gain(node)
        return self.noise(shape, 0.1 if kind == "Mul" else 0.05,
                          1.0 if kind == "Mul" else 0.0)

    def gain(self, node):
        """What the output of a node asks of its scale, by who reads it."""
        reader = self.readers.get(node.output[0], (node,))[0]
        if reader.op_type == "Softmax":
            return SCORE_GAIN
        if reader.op_type != "Sum":
            return np.float32(1)
        others = [self.makers[name].op_type for name in reader.input]
        shortcut = others.count("BatchNormalization") > 1
        return SHORTCUT_GAIN if shortcut else BRANCH_GAIN

    def noise(self, shape, deviation, mean=0.0):
        values = self.random.standard_normal(shape, np.float32)
        return values * np.float32(deviation) + np.float32(mean)

    def replace(self):
        """Initialisers in place of ConstantOfShape, which take them as inputs
        of the graph no more."""
        graph = self.graph
        known = {tensor.name: tensor for tensor in graph.initializer}
        made, kept, shapes = [], [], set()
        for node in graph.node:
            if node.op_type != "ConstantOfShape":
                kept.append(node)
                continue
            shapes.add(node.input[0])
            shape = numpy_helper.to_array(known[node.input[0]]).tolist()
            made.append(numpy_helper.from_array(
                self.fill(node.output[0], shape), node.output[0]))
        inputs = [value for value in graph.input if value.name not in known]
        made += [tensor for name, tensor in known.items()
                 if name not in shapes and name in self.readers]
        for field, items in (("node", kept), ("initializer", made),
                             ("input", inputs)):
            graph.ClearField(field)
            getattr(graph, field).extend(items)


def light(name):
    def build(random):
        model = onnx.load(package_file("onnx", "backend", "test", "data",
                                       "light", f"light_{name}.onnx"))
        LightWeights(model, random).replace()
        # Since version 4 an initialiser need not be an input as well.
        model.ir_version = IR_VERSION
        return model
    return build


def light_inputs(name):
    prefix = "gpu_0/" if name in ("resnet50", "shufflenet", "zfnet512") else ""
    return lambda random: {f"{prefix}data_0": picture(224)(random)["image"]}


def ocr(file):
    return lambda random: onnx.load(
        package_file("rapidocr_onnxruntime", "models", file))


# Letters of five columns and seven rows, a column a byte, top bit unused.
LETTERS = {"A": (126, 9, 9, 9, 126), "E": (127, 73, 73, 73, 65),
           "F": (127, 9, 9, 9, 1), "H": (127, 8, 8, 8, 127),
           "I": (0, 65, 127, 65, 0), "L": (127, 64, 64, 64, 64),
           "N": (127, 4, 8, 16, 127), "O": (62, 65, 65, 65, 62),
           "R": (127, 9, 25, 41, 70), "T": (1, 1, 127, 1, 1)}


def draw_line(random, width, scale):
    """Random letters in words, 1 where there is ink: 7 * scale rows."""
    columns = [np.zeros(2)]
    while sum(map(len, columns)) * scale < width:
        letter = LETTERS[random.choice(sorted(LETTERS))]
        columns += [np.array(letter), np.zeros(random.choice([1, 1, 1, 4]))]
    codes = np.concatenate(columns).astype(np.int64)
    bits = codes[None] >> np.arange(7)[:, None] & 1
    return np.kron(bits, np.ones((scale, scale)))[:, :width]


def page(height, width):
    """A page of printed letters, between -1 and 1, which may lie upside down,
    since that is what the classifier looks for."""
    scale = 4 if height < 64 else 3
    def make(random):
        image = np.full((1, 3, height, width), 0.9, np.float32)
        for top in range(2 * scale, height - 7 * scale, 20 * scale):
            ink = draw_line(random, width, scale)
            image[..., top:top + 7 * scale, :] -= 1.7 * ink
        if random.random() < 0.5:
            image = image[..., ::-1, ::-1]
        noise = random.standard_normal(image.shape, np.float32)
        return {"x": np.clip(image + np.float32(0.02) * noise, -1, 1)}
    return make


def ocr_network(name, file, height, width):
    return Network(name, ocr(file), page(height, width), is_model=True,
                   shapes={"x": [1, 3, height, width]})


NETWORKS = [
    *(Network(f"light_{name}", light(name), light_inputs(name), is_model=True)
      for name in LIGHT),
    ocr_network("ocr_detector", "ch_PP-OCRv4_det_infer.onnx", 640, 640),
    ocr_network("ocr_recogniser", "ch_PP-OCRv4_rec_infer.onnx", 48, 320),
    ocr_network("ocr_classifier", "ch_ppocr_mobile_v2.0_cls_infer.onnx", 48,
                192),
]
