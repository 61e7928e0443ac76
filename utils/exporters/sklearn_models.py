"""Models of scikit-learn, as skl2onnx writes them in standard ops."""
import numpy as np
from skl2onnx import to_onnx
from sklearn import (cluster, cross_decomposition, decomposition,
                     gaussian_process, neural_network, preprocessing)

from model_data import parse

MODELS = {}
WIDTH = 6


def data(entry, at):
    return [port.data(entry["sizes"], at) for port in entry["inputs"]]


def add(name, make, outputs):
    MODELS[name] = dict(make=make, inputs=parse(f"X[B,{WIDTH}]"),
                        sizes={"B": (1, 7, 50)}, exporters=("skl2onnx",),
                        f32_only=True, outputs=outputs)


def fitted(entry):
    random = np.random.RandomState(0)
    x = (random.randint(-32, 33, (60, WIDTH)) / 16).astype(np.float32)
    y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int) + (x[:, 3] > 1)
    return entry["make"]().fit(x, y), x


def answers(entry, at):
    model, _ = fitted(entry)
    x = data(entry, at)[0]
    found = [getattr(model, name)(x) for name in entry["outputs"]]
    return [output.astype(np.int64) if output.dtype.kind == "i" else
            output.astype(np.float32).reshape(
                len(x), -1) for output in found]


def export(entry, exporter, path, at=None):
    model, x = fitted(entry)
    made = to_onnx(model, x[:1], target_opset=18)
    path.write_bytes(made.SerializeToString())


REGRESSION, MAP = ("predict",), ("transform",)
for name, make, outputs in (
        ("mlp_relu", lambda: neural_network.MLPRegressor(
            hidden_layer_sizes=(12,), max_iter=40, random_state=0), REGRESSION),
        ("mlp_tanh", lambda: neural_network.MLPRegressor(
            hidden_layer_sizes=(12, 8), activation="tanh", max_iter=40,
            random_state=0), REGRESSION),
        ("min_max", lambda: preprocessing.MinMaxScaler((0, 2)), MAP),
        ("pca", lambda: decomposition.PCA(3, whiten=True), MAP),
        ("singular_values", lambda: decomposition.TruncatedSVD(
            3, random_state=0), MAP),
        ("k_means", lambda: cluster.KMeans(3, n_init=1, random_state=0),
         ("predict", "transform")),
        ("process", lambda: gaussian_process.GaussianProcessRegressor(
            gaussian_process.kernels.RBF(2.0), alpha=0.1, optimizer=None),
         REGRESSION),
        ("pls", lambda: cross_decomposition.PLSRegression(2), REGRESSION)):
    add(name, make, outputs)
