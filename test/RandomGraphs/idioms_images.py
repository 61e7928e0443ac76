"""Parts of networks for images. Each function continues the graph from `x`, or
from an input if that is None."""


def patches(b, x):
    """An image as a sequence of patches, and perhaps the way back."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    p, q = b.divisor(height), b.divisor(width)
    rows, columns = height // p, width // q
    x = b.pointwise(b.reshape(x, [batch, channels, rows, p, columns, q]))
    perm, back = b.choose((([0, 2, 4, 1, 3, 5], [0, 3, 1, 4, 2, 5]),
                           ([0, 2, 4, 3, 5, 1], [0, 5, 1, 3, 2, 4])))
    x = b.transpose(x, perm)
    divided = x.shape
    x = b.pointwise(b.reshape(x, [batch, rows * columns, p * q * channels]))
    if b.chance(0.5):
        return x
    x = b.pointwise(b.transpose(b.reshape(x, divided), back))
    return b.pointwise(b.reshape(x, [batch, channels, height, width]))


def pixel_shuffle(b, x):
    """Channels become pixels, in one of two orders."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    factor = b.choose((2, 3))
    if channels % factor ** 2:
        x = b.concat([x] * factor ** 2, 1)
        channels *= factor ** 2
    left = channels // factor ** 2
    if b.chance(0.5):
        x = b.reshape(x, [batch, left, factor, factor, height, width])
        x = b.transpose(b.pointwise(x), [0, 1, 4, 2, 5, 3])
    else:
        x = b.reshape(x, [batch, factor, factor, left, height, width])
        x = b.transpose(b.pointwise(x), [0, 3, 4, 1, 5, 2])
    return b.pointwise(b.reshape(x, [batch, left, height * factor,
                                     width * factor]), 1)


def pixel_unshuffle(b, x):
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    p, q = b.divisor(height), b.divisor(width)
    x = b.reshape(x, [batch, channels, height // p, p, width // q, q])
    x = b.pointwise(b.transpose(x, b.choose(([0, 1, 3, 5, 2, 4],
                                             [0, 3, 5, 1, 2, 4]))))
    return b.pointwise(b.reshape(x, [batch, channels * p * q, height // p,
                                     width // q]), 1)


def focus(b, x):
    """Four strided views of an image as channels."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    if height < 2 or width < 2:
        return b.pointwise(x)
    sizes = [batch, channels, height // 2, width // 2]
    parts = [b.op("slice", x, starts=[0, 0, row, column], sizes=sizes,
                  steps=[1, 1, 2, 2]) for column in (0, 1) for row in (0, 1)]
    return b.pointwise(b.concat([b.pointwise(part) if b.chance(0.3) else part
                                 for part in parts], 1))


def channel_shuffle(b, x):
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    groups = b.divisor(channels)
    x = b.reshape(x, [batch, groups, channels // groups, height, width])
    x = b.pointwise(b.transpose(x, [0, 2, 1, 3, 4]))
    return b.pointwise(b.reshape(x, [batch, channels, height, width]), 1)


def upsample(b, x):
    """Each pixel several times."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    p, q = b.choose((1, 2, 3)), b.choose((1, 2, 3))
    x = b.reshape(x, [batch, channels, height, 1, width, 1])
    x = b.op("expand", x, shape=[batch, channels, height, p, width, q])
    return b.pointwise(b.reshape(b.pointwise(x), [batch, channels, height * p,
                                                  width * q]), 1)


def channels_last(b, x):
    """To the other order of dims, as tokens, and back."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    if b.chance(0.5):
        x = b.pointwise(b.transpose(x, [0, 2, 3, 1]))
        x = b.pointwise(b.reshape(x, [batch, height * width, channels]))
    else:
        x = b.pointwise(b.reshape(x, [batch, channels, height * width]))
        x = b.pointwise(b.transpose(x, [0, 2, 1]))
    x = b.pointwise(b.transpose(x, [0, 2, 1]))
    return b.pointwise(b.reshape(x, [batch, channels, height, width]))


def shifted_sum(b, x):
    """A convolution of three taps as a sum of slices."""
    x = b.pointwise(b.of_rank(x, 3))
    size = x.shape[2]
    padded = b.op("pad", x, pads=[0, 0, 1, 0, 0, 1])
    parts = [b.binary(b.slice(padded, 2, i, size), b.input([x.shape[1], 1]))
             for i in range(3)]
    return b.pointwise(b.binary(b.binary(parts[0], parts[1]), parts[2]))


def squeeze_excite(b, x):
    """Channels are scaled by what their means say."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels = x.shape[:2]
    y = b.op("reduce_mean", x, axes=[2, 3], keepdims=b.chance(0.5))
    y = b.reshape(y, [batch, channels])
    hidden = b.choose((1, 2, 3, 5))
    y = b.unary(b.op("matmul", y, b.weight(channels, hidden)))
    y = b.op("sigmoid", b.op("matmul", y, b.weight(hidden, channels)))
    y = b.reshape(y, [batch, channels, 1, 1])
    return b.pointwise(b.op("mul", x, y))


def small_image(b, x, spatial=2):
    """An image with few channels: a long sum says nothing more."""
    x = b.pointwise(b.of_rank(x, 2 + spatial))
    if x.shape[1] <= 22:
        return x
    return b.slice(x, 1, 0, 16)


def convolved(b, x):
    """A convolution, perhaps in groups, or `x` if it is smaller than its
    window."""
    spatial = x.rank - 2
    size = b.choose((1, 1, 3))
    if min(x.shape[2:]) < size - 2:
        return x
    groups = b.divisor(x.shape[1]) if b.chance(0.3) else 1
    channels = groups * b.choose((1, 2, 4) if groups > 1 else (2, 4, 6, 8, 16))
    weight = conv_weight(b, [size] * spatial, x.shape[1] // groups, channels)
    attributes = {"groups": groups} if groups > 1 else {}
    pads = [size // 2] * 2 * spatial
    if spatial == 1 and size > 1 and b.chance(0.5):
        # A convolution of a signal may read only what came before.
        dilation = b.choose((1, 2))
        attributes["dilations"], pads = [dilation], [(size - 1) * dilation, 0]
    return b.op("conv", x, weight, *conv_bias(b, channels),
                strides=[b.choose((1, 1, 2))] * spatial, pads=pads,
                **attributes)


def conv_weight(b, kernel, inner, outer):
    rank = len(kernel)
    return b.op("transpose", b.weight(*kernel, inner, outer),
                perm=[rank + 1, rank, *range(rank)])


def conv_bias(b, channels):
    return [b.known_or_input([channels])] if b.chance(0.3) else []


def deconvolved(b, x):
    """A transposed convolution, which makes an image larger."""
    spatial = x.rank - 2
    kernel = [b.choose((1, 2, 3, 4)) for _ in range(spatial)]
    stride = b.choose((1, 2, 2, 3))
    groups = b.divisor(x.shape[1]) if b.chance(0.2) else 1
    outer = b.choose((1, 2, 4))
    weight = b.op("transpose", b.weight(*kernel, x.shape[1], outer),
                  perm=[spatial, spatial + 1, *range(spatial)])
    # Nothing is cut off that a window alone fills.
    pads = [b.choose((0, 1)) if size > 2 else 0 for size in kernel]
    attributes = {"groups": groups} if groups > 1 else {}
    if stride > 1 and b.chance(0.3):
        attributes["output_padding"] = [1] * spatial
    return b.op("conv_transpose", x, weight, *conv_bias(b, groups * outer),
                strides=[stride] * spatial, pads=pads * 2, **attributes)


def signal(b, x):
    """Convolutions of a signal, or of a volume, and perhaps up again."""
    x = b.pointwise(small_image(b, x, b.choose((1, 1, 1, 3))))
    x = b.pointwise(convolved(b, x))
    if x.rank == 3 and b.chance(0.3):
        x = b.pointwise(b.transpose(x, [0, 2, 1]))
    return x


def upconvolution(b, x):
    """The way up of a network of two ways, joined with what was there."""
    x = small_image(b, x, b.choose((1, 2, 2)))
    y = b.pointwise(deconvolved(b, x))
    if y.shape[2:] == x.shape[2:] and b.chance(0.5):
        y = b.concat([x, y], 1)
    return b.pointwise(y)


def convolution(b, x):
    """A convolution, which brings layouts, between moves of channels."""
    x = b.pointwise(convolved(b, small_image(b, x)))
    return b.choose((channel_shuffle, pixel_unshuffle, channels_last))(b, x)


def pool(b, x):
    """Windows with their largest elements or means, behind a convolution or
    alone."""
    x = small_image(b, x)
    if not b.exact and b.chance(0.4):
        x = b.pointwise(convolved(b, x))
    size = b.choose((2, 3))
    if min(x.shape[2:]) < size:
        return b.pointwise(x)
    name = "max_pool" if b.exact else b.choose(("max_pool", "average_pool"))
    x = b.op(name, x, kernel_shape=[size] * 2, strides=[b.choose((1, 2))] * 2,
             pads=[b.choose((0, 1))] * 4)
    return b.pointwise(x)


MOVES = (patches, patches, pixel_shuffle, pixel_unshuffle, focus,
         channel_shuffle, channel_shuffle, upsample, channels_last, pool)
IDIOMS = (*MOVES, shifted_sum, squeeze_excite, convolution, signal,
          upconvolution)
