"""BERT-base and GPT-2 small at 128 tokens, in the form in which torch's
exporter writes the models of Hugging Face's transformers with open dims:
attention from MatMul and Softmax, reshapes whose sizes are computed from
shapes."""
import math

import numpy as np
from onnx import TensorProto

from networks.graph import reshape, sizes
from networks.network import Network

TOKENS, WIDTH, HEADS, LAYERS = 128, 768, 12, 12
HEAD_WIDTH = WIDTH // HEADS
BERT_WORDS, GPT2_WORDS = 30522, 50257
BERT_POSITIONS, GPT2_POSITIONS = 512, 1024
LOWEST = np.finfo(np.float32).min


def scalar(graph, value):
    return graph.constant(value, np.float32)


def layer_norm(graph, value, epsilon):
    return graph.node("LayerNormalization", value,
                      graph.noise("weight", WIDTH, 0.1, 1.0),
                      graph.noise("bias", WIDTH, 0.02),
                      axis=-1, epsilon=epsilon)


def linear(graph, value, features):
    """torch.nn.Linear of three dims: the exporter transposes the weight."""
    weight = graph.noise("weight", features, 1 / math.sqrt(features[0]))
    product = graph.node("MatMul", value, weight)
    return graph.node("Add", graph.noise("bias", features[1], 0.02), product)


def split_heads(graph, value, *order):
    heads = reshape(graph, value, *sizes(graph, value, 0, 1), HEADS, HEAD_WIDTH)
    return graph.node("Transpose", heads, perm=order)


def join_heads(graph, value):
    rows = graph.node("Transpose", value, perm=[0, 2, 1, 3])
    return reshape(graph, rows, *sizes(graph, rows, 0, 1), WIDTH)


def attend(graph, query, key, value, mask):
    """`key` is transposed; `mask` takes scores and returns them masked."""
    scores = graph.node("MatMul", query, key)
    scores = graph.node("Div", scores, scalar(graph, math.sqrt(HEAD_WIDTH)))
    weights = graph.node("Softmax", mask(scores), axis=-1)
    return join_heads(graph, graph.node("MatMul", weights, value))


def erf_gelu(graph, value):
    inner = graph.node("Div", value, scalar(graph, math.sqrt(2)))
    inner = graph.node("Add", graph.node("Erf", inner), scalar(graph, 1))
    return graph.node("Mul", graph.node("Mul", value, inner),
                      scalar(graph, 0.5))


def bert_embeddings(graph, words, types):
    """Sums of the embeddings of words, types and positions, normalised."""
    length = sizes(graph, words, 1)[0]
    known = graph.buffer("position_ids",
                         np.arange(BERT_POSITIONS, dtype=np.int64)[None])
    positions = graph.node("Slice", known, graph.constant([0]), length,
                           graph.constant([1]), graph.constant([1]))
    total = None
    for name, count, rows in (("word", BERT_WORDS, words),
                              ("token_type", 2, types),
                              ("position", BERT_POSITIONS, positions)):
        table = graph.noise(f"{name}_embeddings.weight", (count, WIDTH), 0.5)
        found = graph.node("Gather", table, rows)
        total = graph.node("Add", total, found) if total else found
    with graph.scope("LayerNorm"):
        return layer_norm(graph, total, 1e-12)


def bert_mask(graph, mask):
    """0 where there is a token, else the lowest number."""
    for dim in (1, 2):
        mask = graph.node("Unsqueeze", mask, graph.constant([dim]))
    mask = graph.node("Cast", mask, to=TensorProto.FLOAT)
    mask = graph.node("Sub", scalar(graph, 1), mask)
    return graph.node("Mul", mask, scalar(graph, LOWEST))


def bert_output(graph, value, kept, features):
    """The dense layer that ends a half of a layer, with what by-passed it."""
    with graph.scope("output"):
        with graph.scope("dense"):
            value = linear(graph, value, features)
        value = graph.node("Add", value, kept)
        with graph.scope("LayerNorm"):
            return layer_norm(graph, value, 1e-12)


def bert_layer(graph, value, mask):
    with graph.scope("attention"):
        made = []
        # The exporter meets key and value first, then the query.
        for name, order in (("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)),
                            ("query", (0, 2, 1, 3))):
            with graph.scope(name):
                made.append(split_heads(
                    graph, linear(graph, value, (WIDTH, WIDTH)), *order))
        key, values, query = made
        seen = attend(graph, query, key, values,
                      lambda scores: graph.node("Add", scores, mask))
        value = bert_output(graph, seen, value, (WIDTH, WIDTH))
    with graph.scope("intermediate"):
        wide = erf_gelu(graph, linear(graph, value, (WIDTH, 4 * WIDTH)))
    return bert_output(graph, wide, value, (4 * WIDTH, WIDTH))


def bert_base(graph):
    words, mask, types = (
        graph.input(name, [1, TOKENS], TensorProto.INT64)
        for name in ("input_ids", "attention_mask", "token_type_ids"))
    mask = bert_mask(graph, mask)
    with graph.scope("embeddings"):
        value = bert_embeddings(graph, words, types)
    for at in range(LAYERS):
        with graph.scope(f"encoder.layer.{at}"):
            value = bert_layer(graph, value, mask)
    with graph.scope("pooler"):
        first = graph.node("Gather", value, graph.constant(0), axis=1)
        pooled = graph.node(
            "Gemm", first,
            graph.noise("weight", (WIDTH, WIDTH), 1 / math.sqrt(WIDTH)),
            graph.noise("bias", WIDTH, 0.02), alpha=1.0, beta=1.0, transB=1)
        pooled = graph.node("Tanh", pooled)
    graph.output("last_hidden_state", value, [1, TOKENS, WIDTH])
    graph.output("pooler_output", pooled, [1, WIDTH])


def bert_inputs(random):
    """Two sentences and some padding."""
    at = np.arange(TOKENS)[None]
    return {"input_ids": random.integers(0, BERT_WORDS, (1, TOKENS)),
            "attention_mask": (at < 112).astype(np.int64),
            "token_type_ids": (at >= 60).astype(np.int64)}


def tanh_gelu(graph, value):
    half = graph.node("Mul", value, scalar(graph, 0.5))
    cube = graph.node("Pow", value, scalar(graph, 3))
    cube = graph.node("Mul", cube, scalar(graph, 0.044715))
    inner = graph.node("Add", value, cube)
    inner = graph.node("Mul", inner, scalar(graph, math.sqrt(2 / math.pi)))
    inner = graph.node("Add", graph.node("Tanh", inner), scalar(graph, 1))
    return graph.node("Mul", half, inner)


def conv1d(graph, value, features):
    """What GPT-2's code calls so: a Gemm of the rows of all batches."""
    flat = reshape(graph, value, -1, *sizes(graph, value, 2))
    weight = graph.noise("weight", features, 1 / math.sqrt(features[0]))
    product = graph.node("Gemm", flat, weight,
                         graph.noise("bias", features[1], 0.02), alpha=1.0,
                         beta=1.0)
    return reshape(graph, product, *sizes(graph, value, 0, 1), features[1])


def causal_mask(graph, query, key):
    """Takes scores, puts the lowest number where a key comes after a query."""
    seen = graph.buffer("bias", np.tri(GPT2_POSITIONS, dtype=bool)[None, None])
    from_query = graph.node("Gather", graph.node("Shape", query),
                            graph.constant(-2), axis=0)
    from_key = graph.node("Gather", graph.node("Shape", key),
                          graph.constant(-2), axis=0)
    begin = graph.node("Sub", from_key, from_query)
    axis, one = graph.constant([0]), graph.constant([1])
    begin, end = (graph.node("Unsqueeze", size, axis)
                  for size in (begin, from_key))
    seen = graph.node("Slice", seen, begin, end, graph.constant([2]), one)
    seen = graph.node("Slice", seen, axis, end, graph.constant([3]), one)
    return lambda scores: graph.node("Where", seen, scores,
                                     scalar(graph, LOWEST))


def gpt2_attention(graph, value):
    with graph.scope("c_attn"):
        value = conv1d(graph, value, (WIDTH, 3 * WIDTH))
    query, key, value = (
        split_heads(graph, part, 0, 2, 1, 3) for part in graph.node(
            "Split", value, graph.constant([WIDTH] * 3), axis=2, outputs=3))
    turned = graph.node("Transpose", key, perm=[0, 1, 3, 2])
    seen = attend(graph, query, turned, value, causal_mask(graph, query, key))
    with graph.scope("c_proj"):
        return conv1d(graph, seen, (WIDTH, WIDTH))


def gpt2_layer(graph, value):
    with graph.scope("ln_1"):
        inner = layer_norm(graph, value, 1e-5)
    with graph.scope("attn"):
        value = graph.node("Add", gpt2_attention(graph, inner), value)
    with graph.scope("ln_2"):
        inner = layer_norm(graph, value, 1e-5)
    with graph.scope("mlp.c_fc"):
        inner = conv1d(graph, inner, (WIDTH, 4 * WIDTH))
    with graph.scope("mlp.act"):
        inner = tanh_gelu(graph, inner)
    with graph.scope("mlp.c_proj"):
        inner = conv1d(graph, inner, (4 * WIDTH, WIDTH))
    return graph.node("Add", value, inner)


def gpt2_embeddings(graph, words, table):
    """Sums of the embeddings of words and positions."""
    length = sizes(graph, words, 1)[0]
    count = graph.node("Squeeze", length, graph.constant([0]))
    positions = graph.node("Range", graph.constant(0), count, graph.constant(1))
    positions = graph.node("Unsqueeze", positions, graph.constant([0]))
    words = reshape(graph, words, -1, length)
    placed = graph.noise("wpe.weight", (GPT2_POSITIONS, WIDTH), 0.5)
    return graph.node("Add", graph.node("Gather", table, words),
                      graph.node("Gather", placed, positions))


def gpt2(graph):
    """With the head: the scores of all words. The exporter keeps a transposed
    copy of the embedding that the head shares; it is no parameter more."""
    words = graph.input("input_ids", [1, TOKENS], TensorProto.INT64)
    vectors = graph.random.standard_normal((GPT2_WORDS, WIDTH), np.float32)
    vectors *= np.float32(0.5)
    table = graph.parameter("transformer.wte.weight", vectors)
    with graph.scope("transformer"):
        value = gpt2_embeddings(graph, words, table)
        for at in range(LAYERS):
            with graph.scope(f"h.{at}"):
                value = gpt2_layer(graph, value)
        with graph.scope("ln_f"):
            value = layer_norm(graph, value, 1e-5)
        value = reshape(graph, value, -1, *sizes(graph, words, 1), WIDTH)
    turned = graph.buffer("lm_head.weight", np.ascontiguousarray(vectors.T))
    graph.output("logits", graph.node("MatMul", value, turned),
                 [1, TOKENS, GPT2_WORDS])


def gpt2_inputs(random):
    return {"input_ids": random.integers(0, GPT2_WORDS, (1, TOKENS))}


NETWORKS = [
    # num_parameters() of transformers' BertModel for bert-base-uncased.
    Network("bert_base", bert_base, bert_inputs, 109482240),
    # num_parameters() of transformers' GPT2LMHeadModel for gpt2.
    Network("gpt2", gpt2, gpt2_inputs, 124439808),
]
