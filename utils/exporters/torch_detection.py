"""Heads of detectors, and what stands in front of them."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from torch_models import model
from torch_text import Call
from torch_vision import PICTURES, conv_norm


@model(PICTURES)
def feature_pyramid():
    def forward(self, x):
        first = self.first(x)
        second = self.second(first)
        third = self.third(second)
        top = self.lateral3(third)
        middle = self.lateral2(second) + F.interpolate(
            top, size=second.shape[-2:], mode="nearest")
        bottom = self.lateral1(first) + F.interpolate(
            middle, size=first.shape[-2:], mode="nearest")
        return self.out(bottom), self.out(middle), F.max_pool2d(top, 1, 2)
    return Call(forward, first=conv_norm(3, 6, 3, 2),
                second=conv_norm(6, 8, 3, 2), third=conv_norm(8, 10, 3, 2),
                lateral1=nn.Conv2d(6, 8, 1), lateral2=nn.Conv2d(8, 8, 1),
                lateral3=nn.Conv2d(10, 8, 1), out=nn.Conv2d(8, 4, 3, 1, 1))


@model(PICTURES)
def yolo_head():
    def forward(self, x):
        x = self.detect(self.stem(x))
        batch, _, height, width = x.shape
        x = x.view(batch, 2, 7, height, width).permute(0, 1, 3, 4, 2)
        rows, columns = torch.meshgrid(torch.arange(height),
                                       torch.arange(width), indexing="ij")
        grid = torch.stack((columns, rows), 2).view(1, 1, height, width, 2)
        y = x.contiguous().sigmoid()
        centre = (y[..., 0:2] * 2 - 0.5 + grid) * 4
        size = (y[..., 2:4] * 2) ** 2 * self.anchors.view(1, 2, 1, 1, 2)
        y = torch.cat((centre, size, y[..., 4:]), -1)
        return y.view(batch, -1, 7)
    return Call(forward, stem=nn.Sequential(conv_norm(3, 8, 6, 2, act=nn.SiLU),
                                            conv_norm(8, 8, 3, 2, act=nn.SiLU)),
                detect=nn.Conv2d(8, 14, 1),
                anchors=torch.tensor([[10.0, 13.0], [33.0, 23.0]]))


@model(PICTURES)
def yolo_distances():
    """Boxes as distributions over distances, as in newer versions."""
    def forward(self, x):
        x = self.stem(x)
        boxes, scores = self.boxes(x), self.scores(x)
        batch, _, height, width = x.shape
        boxes = boxes.view(batch, 4, 8, -1).transpose(1, 2).softmax(1)
        weights = torch.arange(8, dtype=x.dtype).view(1, 8, 1, 1)
        left, right = (boxes * weights).sum(1).chunk(2, 1)
        rows, columns = torch.meshgrid(torch.arange(height) + 0.5,
                                       torch.arange(width) + 0.5,
                                       indexing="ij")
        anchors = torch.stack((columns, rows), -1).view(-1, 2).t()[None]
        first, last = anchors - left, anchors + right
        return torch.cat(((first + last) / 2, last - first,
                          scores.flatten(2).sigmoid()), 1)
    return Call(forward, stem=conv_norm(3, 8, 3, 4, act=nn.SiLU),
                boxes=nn.Conv2d(8, 32, 1), scores=nn.Conv2d(8, 3, 1))


@model(PICTURES)
def ssd_head():
    def forward(self, x):
        maps = [self.stem(x)]
        maps.append(self.next(maps[0]))
        boxes = torch.cat([self.boxes(y).permute(0, 2, 3, 1).reshape(
            y.shape[0], -1, 4) for y in maps], 1)
        scores = torch.cat([self.scores(y).permute(0, 2, 3, 1).reshape(
            y.shape[0], -1, 5) for y in maps], 1)
        return boxes, F.softmax(scores, dim=-1)
    return Call(forward, stem=conv_norm(3, 8, 3, 4), next=conv_norm(8, 8, 3, 2),
                boxes=nn.Conv2d(8, 8, 3, padding=1),
                scores=nn.Conv2d(8, 10, 3, padding=1))


@model(PICTURES, f32_only=True)
def fcos_head():
    def forward(self, x):
        x = self.tower(x)
        boxes = torch.exp(self.boxes(x) * self.scale)
        scores = self.scores(x).sigmoid() * self.centre(x).sigmoid()
        best, which = scores.sqrt().flatten(2).max(dim=1)
        top, places = best.topk(5, dim=1)
        boxes = boxes.flatten(2).transpose(1, 2)
        index = places.unsqueeze(-1).expand(-1, -1, 4)
        return top, which.gather(1, places), boxes.gather(1, index)
    return Call(forward, tower=nn.Sequential(
        nn.Conv2d(3, 8, 3, 4, 1), nn.GroupNorm(4, 8), nn.ReLU()),
        boxes=nn.Conv2d(8, 4, 3, 1, 1), scores=nn.Conv2d(8, 3, 3, 1, 1),
        centre=nn.Conv2d(8, 1, 3, 1, 1), scale=torch.tensor(0.25))


@model(PICTURES)
def detr():
    """Places by sines, object queries, boxes and classes."""
    def forward(self, x):
        x = self.input(self.stem(x))
        batch, channels, height, width = x.shape
        ones = torch.ones(batch, height, width, dtype=x.dtype)
        rows, columns = ones.cumsum(1), ones.cumsum(2)
        rows = rows / (rows[:, -1:, :] + 1e-6) * 2 * math.pi
        columns = columns / (columns[:, :, -1:] + 1e-6) * 2 * math.pi
        rates = 10 ** (2 * (torch.arange(8) // 2) / 8)
        rows, columns = rows[..., None] / rates, columns[..., None] / rates
        rows, columns = (torch.stack((t[..., 0::2].sin(), t[..., 1::2].cos()),
                                     4).flatten(3) for t in (rows, columns))
        places = torch.cat((rows, columns), 3).flatten(1, 2)
        memory = x.flatten(2).transpose(1, 2)
        memory = self.encoder(memory + places)
        queries = self.queries.unsqueeze(0).repeat(batch, 1, 1)
        out = self.decoder(queries, memory)
        return self.classes(out), self.boxes(out).sigmoid()
    settings = dict(batch_first=True, dropout=0.0)
    return Call(forward, stem=conv_norm(3, 8, 3, 8), input=nn.Conv2d(8, 16, 1),
                encoder=nn.TransformerEncoderLayer(16, 2, 24, **settings),
                decoder=nn.TransformerDecoderLayer(16, 2, 24, **settings),
                queries=torch.zeros(4, 16), classes=nn.Linear(16, 4),
                boxes=nn.Sequential(nn.Linear(16, 16), nn.ReLU(),
                                    nn.Linear(16, 4)))
