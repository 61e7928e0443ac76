"""Transformers: what reads texts, and attention in all its forms."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from torch_models import NEWEST, model

D, HEADS, FF = 16, 2, 32
LAYER = dict(dropout=0.1, batch_first=True)


class Call(nn.Module):
    """A module whose forward is a function of it and of the inputs."""

    def __init__(self, forward, **parts):
        super().__init__()
        self.function = forward
        for name, part in parts.items():
            if isinstance(part, torch.Tensor):
                part = nn.Parameter(part)
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


@model("x[B,L,16]")
def encoder_post_norm():
    return nn.TransformerEncoder(
        nn.TransformerEncoderLayer(D, HEADS, FF, **LAYER), 2)


@model("x[B,L,16]", exporters=NEWEST)
def encoder_pre_norm():
    layer = nn.TransformerEncoderLayer(D, 4, FF, activation="gelu",
                                       norm_first=True, **LAYER)
    return nn.TransformerEncoder(layer, 2, nn.LayerNorm(D),
                                 enable_nested_tensor=False)


@model("x[B,L,16] padding[B,L]?1")
def encoder_with_padding():
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(D, HEADS, FF, **LAYER), 1,
        enable_nested_tensor=False)
    return Call(lambda self, x, padding: self.encoder(
        x, src_key_padding_mask=padding), encoder=encoder)


@model("x[B,L,16]")
def encoder_causal():
    layer = nn.TransformerEncoderLayer(D, HEADS, FF, norm_first=True, **LAYER)

    def forward(self, x):
        mask = torch.triu(torch.full((x.shape[1], x.shape[1]), -torch.inf,
                                     dtype=x.dtype), 1)
        return self.layer(x, src_mask=mask)
    return Call(forward, layer=layer)


@model("x[B,L,16] memory[B,S,16]", exporters=NEWEST)
def decoder():
    layer = nn.TransformerDecoderLayer(D, HEADS, FF, **LAYER)

    def forward(self, x, memory):
        length = x.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.decoder(x, memory, tgt_mask=mask, tgt_is_causal=True)
    return Call(forward, decoder=nn.TransformerDecoder(layer, 2))


@model("source[S,B,16] target[L,B,16]", exporters=("dynamo",))
def whole_transformer():
    return nn.Transformer(D, HEADS, 1, 1, FF, activation="gelu",
                          norm_first=True)


@model("x[B,L,16] keys[B,S,12] values[B,S,20]")
def mha_other_widths():
    return nn.MultiheadAttention(D, 4, kdim=12, vdim=20, batch_first=True)


@model("x[L,B,16] mask[L,L]")
def mha_float_mask():
    attention = nn.MultiheadAttention(D, HEADS)
    return Call(lambda self, x, mask: self.attention(
        x, x, x, attn_mask=mask, need_weights=False)[0], attention=attention)


@model("x[B,L,16] mask[B,L]?1")
def mha_bias_kv():
    attention = nn.MultiheadAttention(D, HEADS, add_bias_kv=True,
                                      add_zero_attn=True, batch_first=True)
    return Call(lambda self, x, mask: self.attention(
        x, x, x, key_padding_mask=mask), attention=attention)


def heads(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


@model("x[B,L,24]", exporters=NEWEST)
def grouped_queries():
    def forward(self, x):
        q, k, v = self.qkv(x).split((24, 12, 12), dim=-1)
        q, k, v = heads(q, 4), heads(k, 2), heads(v, 2)
        k, v = (t.repeat_interleave(2, dim=1) for t in (k, v))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(out.transpose(1, 2).flatten(2))
    return Call(forward, qkv=nn.Linear(24, 48), out=nn.Linear(24, 24))


@model("x[B,L,16] mask[B,1,L,L]?", exporters=NEWEST)
def sdpa_bool_mask():
    def forward(self, x, mask):
        q, k, v = (heads(t, 2) for t in self.qkv(x).chunk(3, -1))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return out.transpose(1, 2).reshape(x.shape)
    return Call(forward, qkv=nn.Linear(D, 3 * D))


def relative_buckets(length, buckets=8, furthest=20):
    places = torch.arange(length)
    distance = places[None, :] - places[:, None]
    half = buckets // 2
    side = (distance > 0).long() * half
    distance = distance.abs()
    exact = half // 2
    far = exact + (torch.log(distance.float().clamp(min=1) / exact)
                   / math.log(furthest / exact) * (half - exact)).long()
    far = torch.min(far, torch.full_like(far, half - 1))
    return side + torch.where(distance < exact, distance, far)


@model("x[B,L,16]")
def t5_block():
    def forward(self, x):
        normal = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        normal = self.scale * normal
        q, k, v = (heads(part(normal), 2) for part in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(3, 2))
        bias = self.bias(relative_buckets(x.shape[1]))
        scores = scores + bias.permute(2, 0, 1).unsqueeze(0)
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous()
        x = x + self.o(out.view(x.shape[0], -1, D))
        return x + self.down(F.gelu(self.gate(x), approximate="tanh")
                             * self.up(x))
    linear = {name: nn.Linear(D, D, bias=False) for name in "qkvo"}
    return Call(forward, **linear, bias=nn.Embedding(8, 2),
                scale=torch.ones(D), gate=nn.Linear(D, FF, bias=False),
                up=nn.Linear(D, FF, bias=False),
                down=nn.Linear(FF, D, bias=False))


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotary(x, pairs=False):
    length, width = x.shape[-2:]
    rates = 1 / 100 ** (torch.arange(0, width, 2, dtype=x.dtype) / width)
    angles = torch.arange(length, dtype=x.dtype)[:, None] * rates
    if pairs:
        sin, cos = (f(angles).repeat_interleave(2, -1)
                    for f in (torch.sin, torch.cos))
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).view(x.shape)
        return x * cos + turned * sin
    angles = torch.cat((angles, angles), dim=-1)
    return x * angles.cos() + rotate_half(x) * angles.sin()


@model("ids[B,L]<50", exporters=NEWEST)
def llama():
    def norm(x, scale):
        return scale * x * torch.rsqrt(x.square().mean(-1, True) + 1e-5)

    def forward(self, ids):
        x = self.tokens(ids)
        batch, length, _ = x.shape
        normal = norm(x, self.first)
        q = self.q(normal).view(batch, length, 4, 4).transpose(1, 2)
        k = self.k(normal).view(batch, length, 2, 4).transpose(1, 2)
        v = self.v(normal).view(batch, length, 2, 4).transpose(1, 2)
        q, k = rotary(q), rotary(k)
        k, v = (t[:, :, None].expand(batch, 2, 2, length, 4)
                .reshape(batch, 4, length, 4) for t in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(4)
        causal = torch.full((length, length),
                            torch.finfo(torch.float32).min).triu(1)
        weights = torch.softmax(scores + causal, -1, dtype=torch.float32)
        out = (weights.to(v.dtype) @ v).transpose(1, 2)
        x = x + self.o(out.reshape(batch, length, 16))
        normal = norm(x, self.second)
        x = x + self.down(F.silu(self.gate(normal)) * self.up(normal))
        return x[:, -1] @ self.tokens.weight.T
    return Call(forward, tokens=nn.Embedding(50, D), first=torch.ones(D),
                second=torch.ones(D), q=nn.Linear(D, D, bias=False),
                k=nn.Linear(D, 8, bias=False), v=nn.Linear(D, 8, bias=False),
                o=nn.Linear(D, D, bias=False), gate=nn.Linear(D, 24),
                up=nn.Linear(D, 24), down=nn.Linear(24, D))


@model("x[B,L,16]", exporters=NEWEST)
def rotary_pairs():
    def forward(self, x):
        q, k, v = (heads(t, 2) for t in self.qkv(x).chunk(3, -1))
        q, k = rotary(q, True), rotary(k, True)
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2)
    return Call(forward, qkv=nn.Linear(D, 3 * D))


@model("ids[B,L]<40 past[B,2,S,8]")
def gpt_with_past():
    def forward(self, ids, past):
        length, before = ids.shape[1], past.shape[2]
        places = torch.arange(before, before + length)
        x = self.tokens(ids) + self.places(places)
        q, k, v = (heads(t, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        k = torch.cat((past, k), dim=2)
        v = torch.cat((past, v), dim=2)
        scores = q @ k.transpose(-1, -2) * 8 ** -0.5
        seen = torch.ones(before + length, before + length,
                          dtype=torch.bool).tril()
        seen = seen[before:before + length, :before + length]
        scores = scores.masked_fill(~seen, -1e4)
        out = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return x + self.out(out), k
    return Call(forward, tokens=nn.Embedding(40, D), norm=nn.LayerNorm(D),
                places=nn.Embedding(128, D), qkv=nn.Linear(D, 3 * D),
                out=nn.Linear(D, D))


@model("ids[B,L]<40 kinds[B,L]<2 mask[B,L]<2")
def bert():
    def forward(self, ids, kinds, mask):
        x = self.tokens(ids) + self.kinds(kinds)
        x = self.norm(x + self.places(torch.arange(ids.shape[1])))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        q, k, v = (part(x).view(*x.shape[:2], 2, 8).permute(0, 2, 1, 3)
                   for part in (self.q, self.k, self.v))
        weights = torch.softmax(q @ k.transpose(-1, -2) / 8 ** 0.5 + bias, -1)
        context = (weights @ v).permute(0, 2, 1, 3).contiguous()
        x = self.norm(x + self.o(context.view(*x.shape[:2], D)))
        x = self.norm(x + self.down(F.gelu(self.up(x))))
        return x, torch.tanh(self.pool(x[:, 0]))
    linear = {name: nn.Linear(D, D) for name in ("q", "k", "v", "o", "pool")}
    return Call(forward, **linear, tokens=nn.Embedding(40, D),
                kinds=nn.Embedding(2, D), places=nn.Embedding(80, D),
                norm=nn.LayerNorm(D), up=nn.Linear(D, FF),
                down=nn.Linear(FF, D))


@model("x[B,L,16]", exporters=NEWEST)
def alibi():
    def forward(self, x):
        length = x.shape[1]
        q, k, v = (heads(t, 2) for t in self.qkv(x).chunk(3, -1))
        places = torch.arange(length)
        bias = -(places[None, :] - places[:, None]).abs() * self.slopes
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return Call(forward, qkv=nn.Linear(D, 3 * D),
                slopes=torch.tensor([0.25, 0.0625]).view(2, 1, 1))


@model("x[B,L,16]")
def transformer_xl_shift():
    """Relative scores, shifted into place by a reshape."""
    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (heads(t, 2) for t in self.qkv(x).chunk(3, -1))
        places = torch.arange(length - 1, -1, -1.0, dtype=x.dtype)
        angles = places[:, None] * torch.tensor([1.0, 0.1, 0.01, 0.001])
        table = torch.cat((angles.sin(), angles.cos()), -1)
        near = torch.einsum("bhid,jd->bhij", q + self.v[:, None], table)
        near = torch.cat((near.new_zeros(batch, 2, length, 1), near), -1)
        near = near.view(batch, 2, length + 1, length)[:, :, 1:]
        scores = (q + self.u[:, None]) @ k.transpose(2, 3) + near.view(
            batch, 2, length, length)
        return torch.softmax(scores / 8 ** 0.5, -1) @ v
    return Call(forward, qkv=nn.Linear(D, 3 * D), u=torch.zeros(2, 8),
                v=torch.zeros(2, 8))


@model("x[B,L,16]")
def linear_attention():
    def forward(self, x):
        q, k, v = (heads(t, 2) for t in self.qkv(x).chunk(3, -1))
        q, k = F.elu(q) + 1, F.elu(k) + 1
        context = torch.einsum("bhnd,bhne->bhde", k, v)
        norm = 1 / torch.einsum("bhnd,bhd->bhn", q, k.sum(2))
        return torch.einsum("bhnd,bhde,bhn->bhne", q, context, norm)
    return Call(forward, qkv=nn.Linear(D, 3 * D))


@model("x[B,L,16]")
def conformer():
    def forward(self, x):
        x = x + 0.5 * self.down(F.silu(self.up(self.norm(x))))
        y = F.glu(self.pointwise(self.norm(x).transpose(1, 2)), dim=1)
        y = self.pointwise2(F.silu(self.batch(self.depthwise(y))))
        return self.norm(x + y.transpose(1, 2))
    return Call(forward, norm=nn.LayerNorm(D), up=nn.Linear(D, FF),
                down=nn.Linear(FF, D), pointwise=nn.Conv1d(D, 2 * D, 1),
                depthwise=nn.Conv1d(D, D, 5, padding=2, groups=D),
                batch=nn.BatchNorm1d(D), pointwise2=nn.Conv1d(D, D, 1))


@model("x[B,L,16]")
def perceiver():
    def forward(self, x):
        latents = self.latents.expand(x.shape[0], -1, -1)
        latents = latents + self.cross(latents, x, x, need_weights=False)[0]
        return self.norm(latents).mean(dim=1)
    return Call(forward, latents=torch.randn(1, 3, D), norm=nn.LayerNorm(D),
                cross=nn.MultiheadAttention(D, 2, batch_first=True))


@model("x[B,L,16]")
def experts():
    """A dense mixture of the two best experts."""
    def forward(self, x):
        best, which = self.gate(x).softmax(-1).topk(2, dim=-1)
        best = best / best.sum(-1, keepdim=True)
        share = torch.zeros(*x.shape[:2], 4, dtype=x.dtype).scatter(
            -1, which, best)
        hidden = F.relu(torch.einsum("bld,edf->blef", x, self.up))
        return torch.einsum("blef,efd,ble->bld", hidden, self.down, share)
    return Call(forward, gate=nn.Linear(D, 4), up=torch.randn(4, D, 8) / 4,
                down=torch.randn(4, 8, D) / 4)


@model("x[B,9,16]")
def mlp_mixer():
    def forward(self, x):
        y = self.norm(x).transpose(1, 2)
        x = x + self.down(F.gelu(self.up(y))).transpose(1, 2)
        return self.head(self.norm(x).mean(1))
    return Call(forward, norm=nn.LayerNorm(D), up=nn.Linear(9, 18),
                down=nn.Linear(18, 9), head=nn.Linear(D, 10))


@model("x[B,8,16]")
def selective_scan():
    def forward(self, x):
        delta = F.softplus(self.delta(x))
        state, outputs = x.new_zeros(x.shape[0], D, 4), []
        decay = torch.exp(delta[..., None] * -torch.exp(self.a))
        b, c = self.bc(x).chunk(2, -1)
        for step in range(8):
            drive = (delta * x)[:, step, :, None] * b[:, step, None]
            state = decay[:, step] * state + drive
            outputs.append((state * c[:, step, None]).sum(-1))
        return torch.stack(outputs, dim=1) * F.silu(x)
    return Call(forward, delta=nn.Linear(D, D), bc=nn.Linear(D, 8),
                a=torch.zeros(D, 4))


@model("left[B,L,16] right[B,S,16]")
def clip_towers():
    def forward(self, left, right):
        left = F.normalize(self.left(left.amax(1)), dim=-1)
        right = self.right(right.mean(1))
        right = right / right.norm(dim=-1, keepdim=True)
        return self.scale.exp() * left @ right.t(), F.cosine_similarity(
            left, right)
    return Call(forward, left=nn.Linear(D, 8), right=nn.Linear(D, 8),
                scale=torch.tensor(0.5))
