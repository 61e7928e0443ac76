"""Times PyTorch on a GPU, for comparison with Weir: eager, replayed as a CUDA
graph, and compiled. Prints a line per network, precision and way:

    NETWORK PRECISION WAY MILLISECONDS

The networks are those of utils/bench with random weights; inputs and outputs
stay in the GPU's memory. It needs torch and nothing else.
"""
import sys
import time

import torch
from torch import nn
from torch.nn import functional

ROUNDS = 7
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16}


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=True)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=True)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=True)
        self.shortcut = (nn.Conv2d(channels, 4 * width, 1, stride, bias=True)
                         if stride > 1 or channels != 4 * width else None)

    def forward(self, x):
        y = functional.relu(self.conv1(x))
        y = self.conv3(functional.relu(self.conv2(y)))
        return functional.relu(y + (self.shortcut(x) if self.shortcut else x))


class ResNet50(nn.Module):
    """With batch norms folded, as a compiler for inference has it."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3)
        blocks, channels = [], 64
        for width, number, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2),
                                      (512, 3, 2)):
            for at in range(number):
                blocks.append(Bottleneck(channels, width,
                                         1 if at else stride))
                channels = 4 * width
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 3, 2, 1)
        return self.fc(self.blocks(x).mean((2, 3)))


class Layer(nn.Module):
    """A layer of BERT (`is_pre` false) or GPT-2."""

    def __init__(self, is_pre):
        super().__init__()
        self.is_pre = is_pre
        self.qkv = nn.Linear(768, 3 * 768)
        self.out = nn.Linear(768, 768)
        self.up, self.down = nn.Linear(768, 3072), nn.Linear(3072, 768)
        self.norm1, self.norm2 = nn.LayerNorm(768), nn.LayerNorm(768)

    def attend(self, x, mask):
        batch, tokens, _ = x.shape
        query, key, value = (
            part.view(batch, tokens, 12, 64).transpose(1, 2)
            for part in self.qkv(x).split(768, dim=2))
        y = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, is_causal=self.is_pre)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, 768))

    def feed(self, x):
        way = "tanh" if self.is_pre else "none"
        return self.down(functional.gelu(self.up(x), approximate=way))

    def forward(self, x, mask):
        if self.is_pre:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))


class Transformer(nn.Module):
    def __init__(self, is_gpt):
        super().__init__()
        self.is_gpt = is_gpt
        self.words = nn.Embedding(50257 if is_gpt else 30522, 768)
        self.places = nn.Embedding(1024 if is_gpt else 512, 768)
        self.layers = nn.ModuleList(Layer(is_gpt) for _ in range(12))
        self.norm = nn.LayerNorm(768)
        self.pooler = nn.Linear(768, 768)

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.places(places)
        mask = None
        if not self.is_gpt:
            x = self.norm(x)
            mask = torch.zeros(1, 1, 1, ids.shape[1], dtype=x.dtype,
                               device=x.device)
        for layer in self.layers:
            x = layer(x, mask)
        if self.is_gpt:
            return functional.linear(self.norm(x), self.words.weight)
        return torch.tanh(self.pooler(x[:, 0]))


def image(batch, dtype):
    return torch.rand(batch, 3, 224, 224, device="cuda", dtype=dtype).to(
        memory_format=torch.channels_last)


def tokens(_):
    return torch.randint(0, 30000, (1, 128), device="cuda")


NETWORKS = {
    "resnet50": (ResNet50, lambda dtype: image(1, dtype)),
    "resnet50x32": (ResNet50, lambda dtype: image(32, dtype)),
    "bert_base": (lambda: Transformer(False), tokens),
    "gpt2": (lambda: Transformer(True), tokens),
}


def milliseconds(run):
    """The least time of a run among rounds of some runs, between events."""
    for _ in range(10):
        run()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(ROUNDS):
        begin.record()
        for _ in range(20):
            run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 20)
    return min(times)


def replayed(module, given):
    """A CUDA graph of the module."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            module(given)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        module(given)
    return graph.replay


def ways(module, given):
    yield "eager", lambda: lambda: module(given)
    yield "cuda-graph", lambda: replayed(module, given)
    compiled = torch.compile(module, fullgraph=True)
    yield "compiled", lambda: lambda: compiled(given)
    yield "compiled-graph", lambda: replayed(compiled, given)


def main():
    deadline = time.monotonic() + float(sys.argv[1])
    torch.backends.cudnn.benchmark = True
    for name, (make, give) in NETWORKS.items():
        for precision, dtype in TYPES.items():
            module = make().to("cuda", dtype).eval().to(
                memory_format=torch.channels_last)
            given = give(dtype)
            with torch.no_grad():
                for way, begin in ways(module, given):
                    if time.monotonic() > deadline:
                        print(f"{name} {precision} {way} left out: no time")
                        continue
                    try:
                        print(name, precision, way,
                              f"{milliseconds(begin()):.4f}", flush=True)
                    except RuntimeError as error:
                        print(f"{name} {precision} {way} failed:",
                              str(error).splitlines()[0], flush=True)


main()
