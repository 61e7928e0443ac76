"""Small models as people write them in Keras, as Keras exports them and as
tf2onnx converts them from TensorFlow functions."""
import contextlib
import io
import os

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf2onnx  # noqa: E402
from keras import layers  # noqa: E402

from model_data import parse  # noqa: E402

MODELS = {}
EXPORTERS = ("keras", "tf2onnx")
PICTURES = "x[B,H,W,3]"
TYPES = {"": "float32", "<": "int64", "?": "bool"}


def model(specification, sizes=None, exporters=EXPORTERS, f32_only=False):
    """Adds a function of Keras' inputs, which gives the outputs; model_data.py
    says what a specification is."""
    def add(make):
        MODELS[make.__name__] = dict(
            make=make, inputs=parse(specification), sizes=sizes or {},
            exporters=exporters, f32_only=f32_only)
        return make
    return add


def kind(port):
    return TYPES[port.kind[:1]]


def data(entry, at):
    return [port.data(entry["sizes"], at) for port in entry["inputs"]]


def seeded(entry, at=None):
    """The model with weights of few bits, none of which is 0 or 1 by rule."""
    keras.utils.set_random_seed(0)
    inputs = []
    for port in entry["inputs"]:
        shape = (port.shape(entry["sizes"], at) if at is not None else
                 [int(dim) if dim.isdigit() else None for dim in port.dims])
        inputs.append(keras.Input(batch_shape=shape, name=port.name,
                                  dtype=kind(port)))
    made = keras.Model(inputs, entry["make"](*inputs))
    random = np.random.RandomState(0)
    made.set_weights([
        weight if weight.dtype.kind != "f" else
        np.round((weight + random.uniform(-0.1, 0.1, weight.shape)) * 128) / 128
        for weight in made.get_weights()])
    return made


def answers(entry, at):
    outputs = seeded(entry, at)(data(entry, at), training=False)
    return [np.asarray(output) for output in
            (outputs if isinstance(outputs, list) else [outputs])]


def export(entry, exporter, path, at=None):
    made = seeded(entry, at)
    with contextlib.redirect_stdout(io.StringIO()):
        if exporter == "keras":
            # It refuses a model that was never called.
            made(data(entry, 0 if at is None else at))
            made.export(path, format="onnx", verbose=False)
            return
        tf2onnx.convert.from_function(
            tf.function(lambda *inputs: made(list(inputs), training=False)),
            [tf.TensorSpec(port.shape, port.dtype, name=port.name)
             for port in made.inputs], opset=15, output_path=str(path))


@model("x[B,12]")
def dense_layers(x):
    x = layers.Dense(16, activation="elu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Dense(12, activation="selu")(layers.Dropout(0.3)(x))
    return layers.Dense(5, activation="softmax")(x)


@model(PICTURES)
def plain_convolutions(x):
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    x = layers.MaxPooling2D(3, 2, padding="same")(x)
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.LeakyReLU(0.2)(layers.BatchNormalization()(x))
    x = layers.AveragePooling2D(2, padding="same")(x)
    return layers.Dense(4)(layers.GlobalAveragePooling2D()(x))


@model(PICTURES)
def mobilenet_v2(x):
    x = layers.ZeroPadding2D(((0, 1), (0, 1)))(x)
    x = layers.Conv2D(8, 3, 2, use_bias=False)(x)
    x = first = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    x = layers.ReLU(6.0)(layers.Conv2D(16, 1)(x))
    x = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    return layers.Add()([first, layers.Conv2D(8, 1)(x)])


@model(PICTURES)
def xception(x):
    skip = layers.Conv2D(8, 1, strides=2, padding="same")(x)
    x = layers.SeparableConv2D(8, 3, padding="same", depth_multiplier=2)(x)
    x = layers.Activation("swish")(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    return layers.add([x, skip])


@model(PICTURES)
def squeeze_excite(x):
    x = layers.Conv2D(8, 3, 2, padding="same")(x)
    y = layers.GlobalAveragePooling2D(keepdims=True)(x)
    y = layers.Conv2D(2, 1, activation="relu")(y)
    y = layers.Conv2D(8, 1, activation="sigmoid")(y)
    x = layers.multiply([x, y])
    return layers.Concatenate()([layers.GlobalMaxPooling2D()(x),
                                 layers.Flatten()(y)])


@model("x[B,16,24,3]")
def unet(x):
    first = layers.Conv2D(6, 3, padding="same", activation="relu")(x)
    x = layers.Conv2D(8, 3, 2, padding="same", activation="elu")(first)
    x = layers.Conv2DTranspose(6, 3, strides=2, padding="same")(x)
    x = layers.concatenate([x, first])
    return layers.Conv2D(2, 1, activation="sigmoid")(x)


@model("x[B,9,7,4]")
def enlarged(x):
    x = layers.UpSampling2D(2, interpolation="bilinear")(x)
    x = layers.Conv2D(6, 5, dilation_rate=2, padding="same")(x)
    x = layers.PReLU(shared_axes=[1, 2])(x)
    x = layers.UpSampling2D((2, 3))(x)
    return layers.Cropping2D(((1, 2), (3, 0)))(x)


@model("x[B,15,13,3]")
def pixels_to_depth(x):
    x = layers.Conv2D(12, 3, padding="valid", activation="tanh")(x)
    x = keras.ops.reshape(x, (-1, 13, 11, 2, 2, 3))
    x = keras.ops.transpose(x, (0, 1, 3, 2, 4, 5))
    return keras.ops.reshape(x, (-1, 26, 22, 3))


@model("x[B,L,6]")
def lstm_stack(x):
    x = layers.LSTM(8, return_sequences=True)(x)
    return layers.LSTM(5)(x)


@model("x[B,L,6]")
def lstm_both_ways(x):
    x = layers.Bidirectional(layers.LSTM(8, return_sequences=True))(x)
    return layers.TimeDistributed(layers.Dense(3))(x)


@model("x[B,L,6]")
def gru_stack(x):
    x = layers.GRU(8, return_sequences=True)(x)
    x, state = layers.GRU(5, return_sequences=True, return_state=True,
                          reset_after=False)(x)
    return [x, state]


@model("x[B,L,6]")
def simple_rnn(x):
    return layers.SimpleRNN(8, go_backwards=True, return_sequences=True)(x)


@model("x[B,9,7,3]")
def conv_lstm(x):
    return layers.ConvLSTM1D(4, 3, padding="same")(x)


def tanh_gelu(x):
    return keras.activations.gelu(x, approximate=True)


@model("x[B,L,16]")
def transformer(x):
    y = layers.MultiHeadAttention(2, 8)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(x + y)
    y = layers.Dense(16)(layers.Dense(32, activation=tanh_gelu)(x))
    return layers.LayerNormalization(epsilon=1e-6)(x + y)


@model("x[B,L,16] memory[B,S,12]")
def cross_attention(x, memory):
    y, scores = layers.MultiHeadAttention(4, 4, value_dim=6)(
        x, memory, return_attention_scores=True)
    return [layers.UnitNormalization()(y), scores]


@model("x[B,L,16] memory[B,S,16] mask[B,S]?")
def additive_attention(x, memory, mask):
    y = layers.AdditiveAttention()([x, memory], mask=[None, mask])
    return layers.Attention(use_scale=True)([x + y, memory])


@model("ids[B,L]<40")
def embedded_texts(ids):
    x = layers.Embedding(40, 8)(ids)
    y = layers.Conv1D(8, 3, padding="causal", dilation_rate=2,
                      activation="relu")(x)
    x = layers.Concatenate()([layers.GlobalMaxPooling1D()(y),
                              layers.GlobalAveragePooling1D()(x)])
    return layers.Dense(3, activation="log_softmax")(x)


@model("x[B,L,12]")
def grouped_norms(x):
    x = layers.Conv1D(12, 3, padding="same")(x)
    x = layers.GroupNormalization(4)(x)
    x = layers.Conv1D(8, 4, strides=2, padding="same")(x)
    return layers.Activation("mish")(layers.RMSNormalization()(x))


@model("x[B,8,6,4]")
def einsum_dense(x):
    x = layers.EinsumDense("bhwc,cd->bhwd", output_shape=(None, None, 6),
                           bias_axes="d")(x)
    y = keras.ops.einsum("bhwd,bkwd->bhk", x, x)
    return keras.ops.softmax(y, axis=-1) @ keras.ops.max(x, axis=2)


@model("x[B,10] ids[B]<12")
def wide_and_deep(x, ids):
    wide = layers.CategoryEncoding(12, output_mode="one_hot")(ids)
    deep = layers.Dense(8, activation="softplus")(x)
    y = layers.Dense(1, activation="sigmoid")(
        layers.concatenate([wide, deep, x]))
    return [y, keras.ops.top_k(deep, 3)[0], keras.ops.any(x > 1, axis=1)]
