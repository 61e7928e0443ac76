"""Networks for pictures: classifiers, U-nets, and what changes pictures."""
import torch
from torch import nn
from torch.nn import functional as F

from torch_models import model
from torch_text import Call

PICTURES = "x[B,3,H,W]"


def conv_norm(inputs, outputs, size=3, stride=1, groups=1, act=nn.ReLU):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups,
                  bias=False), nn.BatchNorm2d(outputs), act())


@model("x[B,3,18,18]")
def vit():
    layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu",
                                       batch_first=True, norm_first=True)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        first = self.first.expand(x.shape[0], -1, -1)
        x = torch.cat((first, x), dim=1) + self.places
        return self.head(self.norm(self.layer(x))[:, 0])
    return Call(forward, patches=nn.Conv2d(3, 16, 6, 6), layer=layer,
                first=torch.zeros(1, 1, 16), places=torch.zeros(1, 10, 16),
                norm=nn.LayerNorm(16), head=nn.Linear(16, 10))


def windows(x, size):
    batch, height, width, channels = x.shape
    x = x.view(batch, height // size, size, width // size, size, channels)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(
        -1, size * size, channels)


def unwindows(x, size, height, width):
    batch = x.shape[0] // (height * width // size // size)
    x = x.view(batch, height // size, width // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(
        batch, height, width, -1)


def shift_mask(height, width, size, shift):
    regions = torch.zeros(1, height, width, 1)
    slices = (slice(0, -size), slice(-size, -shift), slice(-shift, None))
    for number, (rows, columns) in enumerate(
            (rows, columns) for rows in slices for columns in slices):
        regions[:, rows, columns] = number
    parts = windows(regions, size).squeeze(-1)
    return (parts[:, None] != parts[:, :, None]) * -100.0


def relative_places(size):
    places = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size),
                                        indexing="ij")).flatten(1)
    between = (places[:, :, None] - places[:, None]).permute(1, 2, 0) + size - 1
    return between[..., 0] * (2 * size - 1) + between[..., 1]


def swin_block(height, width, size, shift):
    def attend(self, x):
        count, length, channels = x.shape
        qkv = self.qkv(x).reshape(count, length, 3, 2, channels // 2)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q * (channels // 2) ** -0.5 @ k.transpose(-2, -1)
        bias = self.bias[self.fixed_places.view(-1)].view(length, length, 2)
        scores = scores + bias.permute(2, 0, 1).contiguous().unsqueeze(0)
        if shift:
            parts = self.fixed_mask.shape[0]
            scores = scores.view(count // parts, parts, 2, length, length)
            scores = scores + self.fixed_mask.unsqueeze(1).unsqueeze(0)
            scores = scores.view(-1, 2, length, length)
        x = (scores.softmax(-1) @ v).transpose(1, 2)
        return self.out(x.reshape(count, length, channels))

    def forward(self, x):
        y = self.norm1(x)
        if shift:
            y = torch.roll(y, (-shift, -shift), (1, 2))
        y = unwindows(attend(self, windows(y, size)), size, height, width)
        if shift:
            y = torch.roll(y, (shift, shift), (1, 2))
        x = x + y
        return x + self.down(F.gelu(self.up(self.norm2(x))))
    block = Call(forward, norm1=nn.LayerNorm(16), norm2=nn.LayerNorm(16),
                 qkv=nn.Linear(16, 48), out=nn.Linear(16, 16),
                 up=nn.Linear(16, 32), down=nn.Linear(32, 16),
                 bias=torch.zeros((2 * size - 1) ** 2, 2))
    block.register_buffer("fixed_places", relative_places(size))
    if shift:
        block.register_buffer("fixed_mask",
                              shift_mask(height, width, size, shift))
    return block


@model("x[B,9,6,16]")
def swin_windows():
    return swin_block(9, 6, 3, 0)


@model("x[B,6,9,16]")
def swin_shifted():
    return swin_block(6, 9, 3, 1)


@model("x[B,3,24,12]")
def swin_stages():
    def forward(self, x):
        x = self.patches(x).permute(0, 2, 3, 1)
        x = self.second(self.first(x))
        x = torch.cat((x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2],
                       x[:, 1::2, 1::2]), -1)
        return self.head(self.merge(self.norm(x)).mean((1, 2)))
    return Call(forward, patches=nn.Conv2d(3, 16, 2, 2),
                first=swin_block(12, 6, 3, 0), second=swin_block(12, 6, 3, 1),
                norm=nn.LayerNorm(64), merge=nn.Linear(64, 16, bias=False),
                head=nn.Linear(16, 7))


@model(PICTURES)
def convnext():
    def forward(self, x):
        x = self.stem(x)
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.down(F.gelu(self.up(y)))
        x = x + y.permute(0, 3, 1, 2)
        return self.head(self.last(x.mean([-2, -1])))
    return Call(forward, stem=nn.Conv2d(3, 12, 4, 4), norm=nn.LayerNorm(12),
                depthwise=nn.Conv2d(12, 12, 7, padding=3, groups=12),
                up=nn.Linear(12, 24), down=nn.Linear(24, 12),
                scale=torch.full((12,), 0.5), last=nn.LayerNorm(12),
                head=nn.Linear(12, 10))


class Excite(nn.Module):
    def __init__(self, width, act=nn.SiLU, gate=nn.Sigmoid):
        super().__init__()
        self.parts = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width // 4, 1), act(),
            nn.Conv2d(width // 4, width, 1), gate())

    def forward(self, x):
        return x * self.parts(x)


@model(PICTURES)
def efficientnet():
    def forward(self, x):
        x = self.stem(x)
        x = x + self.block(x)
        return self.head(self.pool(x).flatten(1))
    block = nn.Sequential(
        conv_norm(8, 24, 1, act=nn.SiLU),
        conv_norm(24, 24, 5, groups=24, act=nn.SiLU), Excite(24),
        nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8))
    return Call(forward, stem=conv_norm(3, 8, 3, 2, act=nn.SiLU), block=block,
                pool=nn.AdaptiveAvgPool2d(1), head=nn.Linear(8, 10))


@model(PICTURES)
def mobilenet_v3():
    return nn.Sequential(
        conv_norm(3, 8, 3, 2, act=nn.Hardswish),
        conv_norm(8, 16, 1, act=nn.Hardswish),
        conv_norm(16, 16, 5, 2, groups=16, act=nn.Hardswish),
        Excite(16, nn.ReLU, nn.Hardsigmoid), nn.Conv2d(16, 8, 1),
        nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(8, 12),
        nn.Hardswish(), nn.Dropout(0.2), nn.Linear(12, 10))


@model(PICTURES)
def resnet():
    def forward(self, x):
        x = self.pool(self.stem(x))
        x = F.relu(x + self.first(x))
        x = F.relu(self.skip(x) + self.second(x))
        return self.head(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))

    def block(inputs, outputs, stride):
        return nn.Sequential(
            conv_norm(inputs, outputs, 3, stride),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs))
    return Call(forward, stem=conv_norm(3, 8, 7, 2),
                pool=nn.MaxPool2d(3, 2, 1), first=block(8, 8, 1),
                second=block(8, 16, 2), head=nn.Linear(16, 10),
                skip=nn.Sequential(nn.Conv2d(8, 16, 1, 2, bias=False),
                                   nn.BatchNorm2d(16)))


@model(PICTURES)
def resnext():
    def forward(self, x):
        x = self.stem(x)
        return F.relu(x + self.block(x))
    return Call(forward, stem=conv_norm(3, 8, 3, 2), block=nn.Sequential(
        conv_norm(8, 16, 1), conv_norm(16, 16, 3, groups=4),
        nn.Conv2d(16, 8, 1), nn.BatchNorm2d(8)))


@model(PICTURES)
def densenet():
    def forward(self, x):
        parts = [self.stem(x)]
        for layer in self.layers:
            parts.append(layer(torch.cat(parts, 1)))
        return self.transition(torch.cat(parts, 1)).mean((2, 3))
    layers = nn.ModuleList(
        nn.Sequential(nn.BatchNorm2d(8 + 4 * at), nn.ReLU(),
                      nn.Conv2d(8 + 4 * at, 4, 3, padding=1, bias=False))
        for at in range(3))
    return Call(forward, stem=nn.Conv2d(3, 8, 3, 2, 1), layers=layers,
                transition=nn.Sequential(nn.BatchNorm2d(20), nn.ReLU(),
                                         nn.Conv2d(20, 8, 1),
                                         nn.AvgPool2d(2)))


@model(PICTURES)
def shufflenet():
    def forward(self, x):
        left, right = self.stem(x).chunk(2, dim=1)
        x = torch.cat((left, self.branch(right)), dim=1)
        batch, channels, height, width = x.shape
        x = x.view(batch, 2, channels // 2, height, width)
        x = torch.transpose(x, 1, 2).contiguous()
        return self.last(x.view(batch, channels, height, width))
    return Call(forward, stem=conv_norm(3, 12, 3, 2), branch=nn.Sequential(
        conv_norm(6, 6, 1), nn.Conv2d(6, 6, 3, 1, 1, groups=6),
        nn.BatchNorm2d(6), conv_norm(6, 6, 1)), last=conv_norm(12, 8, 1))


@model(PICTURES)
def inception():
    def forward(self, x):
        x = self.stem(x)
        pooled = F.avg_pool2d(x, 3, 1, 1)
        return torch.cat((self.one(x), self.two(x), self.three(pooled),
                          F.max_pool2d(x, 3, 1, 1)), 1)
    return Call(forward, stem=conv_norm(3, 8, 3, 2), one=conv_norm(8, 4, 1),
                two=nn.Sequential(
                    nn.Conv2d(8, 6, (1, 7), padding=(0, 3)),
                    nn.Conv2d(6, 4, (7, 1), padding=(3, 0)), nn.ReLU()),
                three=conv_norm(8, 4, 1))


def double(inputs, outputs):
    return nn.Sequential(conv_norm(inputs, outputs),
                         conv_norm(outputs, outputs))


@model(PICTURES, sizes={"H": (16, 20, 44), "W": (12, 28, 52)})
def unet_transposed():
    def forward(self, x):
        first = self.first(x)
        second = self.second(F.max_pool2d(first, 2))
        third = self.third(F.max_pool2d(second, 2))
        x = self.fourth(torch.cat([second, self.up1(third)], dim=1))
        x = self.fifth(torch.cat([first, self.up2(x)], dim=1))
        return self.out(x)
    return Call(forward, first=double(3, 6), second=double(6, 8),
                third=double(8, 10), up1=nn.ConvTranspose2d(10, 8, 2, 2),
                up2=nn.ConvTranspose2d(8, 6, 2, 2), fourth=double(16, 8),
                fifth=double(12, 6), out=nn.Conv2d(6, 2, 1))


@model(PICTURES)
def unet_bilinear():
    """Odd sizes: what is enlarged is padded to the size of the other part."""
    def forward(self, x):
        first = self.first(x)
        second = self.second(F.max_pool2d(first, 2))
        up = F.interpolate(second, scale_factor=2, mode="bilinear",
                           align_corners=True)
        rows = first.shape[2] - up.shape[2]
        columns = first.shape[3] - up.shape[3]
        up = F.pad(up, [columns // 2, columns - columns // 2,
                        rows // 2, rows - rows // 2])
        return self.out(torch.cat([first, up], dim=1)).sigmoid()
    return Call(forward, first=double(3, 6), second=double(6, 8),
                out=nn.Conv2d(14, 2, 1))


@model(PICTURES, exporters=("dynamo",))
def spatial_transformer():
    def forward(self, x):
        theta = self.head(self.net(x).mean((2, 3))).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)
    return Call(forward, net=conv_norm(3, 8, 5, 2), head=nn.Linear(8, 6))


@model("x[B,3,9,7]")
def super_resolution():
    return nn.Sequential(nn.Conv2d(3, 8, 5, padding=2), nn.PReLU(8),
                         nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2),
                         nn.Tanh(), nn.PixelUnshuffle(2))


@model(PICTURES)
def attention_cbam():
    def forward(self, x):
        x = self.stem(x)
        pooled = self.mlp(x.mean((2, 3))) + self.mlp(x.amax((2, 3)))
        x = x * pooled.sigmoid()[:, :, None, None]
        spatial = torch.cat((x.mean(1, keepdim=True),
                             x.max(1, keepdim=True)[0]), 1)
        return x * self.spatial(spatial).sigmoid()
    return Call(forward, stem=conv_norm(3, 8, 3, 4), mlp=nn.Sequential(
        nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 8)),
        spatial=nn.Conv2d(2, 1, 7, padding=3, bias=False))


@model(PICTURES)
def deeplab_aspp():
    def forward(self, x):
        size = x.shape[-2:]
        x = self.stem(x)
        pooled = F.interpolate(self.pooled(F.adaptive_avg_pool2d(x, 1)),
                               size=x.shape[-2:], mode="bilinear",
                               align_corners=False)
        x = torch.cat((self.near(x), self.far(x), pooled), 1)
        return F.interpolate(self.head(x), size=size, mode="bilinear",
                             align_corners=False)
    return Call(forward, stem=conv_norm(3, 8, 3, 4), pooled=nn.Conv2d(8, 4, 1),
                near=nn.Conv2d(8, 4, 1), head=nn.Conv2d(12, 2, 1),
                far=nn.Conv2d(8, 4, 3, padding=2, dilation=2))


@model(PICTURES)
def style_transfer():
    return nn.Sequential(
        nn.ReflectionPad2d(4), nn.Conv2d(3, 8, 9, 4),
        nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
        nn.Upsample(scale_factor=2, mode="nearest"), nn.ReplicationPad2d(1),
        nn.Conv2d(8, 3, 3), nn.InstanceNorm2d(3), nn.Sigmoid())


@model(PICTURES)
def pools():
    def forward(self, x):
        return (F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
                F.avg_pool2d(x, (3, 2), 2, (1, 0), count_include_pad=False),
                F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
                F.max_pool2d(self.conv(x), (2, 5), (3, 2), (1, 2), (1, 2)),
                F.lp_pool2d(x.abs(), 2, 3, 2))
    return Call(forward, conv=nn.Conv2d(3, 4, 3))


@model("x[B,3,15,20]", exporters=("dynamo",))
def alexnet_pooled():
    return nn.Sequential(nn.Conv2d(3, 8, 5, 1, 2), nn.ReLU(),
                         nn.LocalResponseNorm(3), nn.MaxPool2d(3, 2),
                         nn.AdaptiveAvgPool2d((7, 3)), nn.Flatten(),
                         nn.Linear(168, 12), nn.ReLU(), nn.Linear(12, 5),
                         nn.LogSoftmax(1))


@model("x[B,6,8,8]")
def maxvit_grid():
    def forward(self, x):
        batch, channels, height, width = x.shape
        grid = x.view(batch, channels, 4, height // 4, 4, width // 4)
        y = grid.permute(0, 3, 5, 2, 4, 1).reshape(-1, 16, channels)
        y = y + self.attend(y, y, y)[0]
        y = y.view(batch, height // 4, width // 4, 4, 4, channels)
        y = y.permute(0, 5, 3, 1, 4, 2).reshape(x.shape)
        return torch.flip(y, (3,)) + x.roll(2, 2)
    return Call(forward, attend=nn.MultiheadAttention(6, 2, batch_first=True))


@model("x[B,3,H,W] y[B,3,H,W]", sizes={"H": (8, 9, 13), "W": (8, 11, 10)})
def correlation():
    """A cost volume of two pictures, from unfolded windows."""
    def forward(self, x, y):
        x, y = self.stem(x), self.stem(y)
        batch, channels, height, width = x.shape
        around = F.unfold(y, 3, padding=1).view(batch, channels, 9, height,
                                                width)
        return (x.unsqueeze(2) * around).mean(1)
    return Call(forward, stem=nn.Conv2d(3, 4, 3, 1, 1))
