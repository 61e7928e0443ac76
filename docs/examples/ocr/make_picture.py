#!/usr/bin/env python3
"""Writes picture.png: lines of text in several sizes on paper with some grain.

usage: make_picture.py PICTURE.png

Needs Pillow and numpy, and the DejaVu fonts of Debian's fonts-dejavu-core
(free to use, change and pass on; the Bitstream Vera licence).
"""
import sys

import numpy
from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype/dejavu/"
SIZE = (640, 480)
INK = (40, 44, 60, 255)
RED = (160, 40, 36, 255)

# Where a line begins, its font, size and colour, what it says, and the gaps
# between its words in parts of the size: the network overlooks narrow ones.
LINES = [
    ((36, 22), "DejaVuSerif-Bold", 38, INK, "The Harbour Library", 0.35),
    ((38, 84), "DejaVuSerif-Bold", 24, INK, "Opening hours in 2026:", 0.55),
    ((64, 124), "DejaVuSans", 18, INK, "Weekdays", 0),
    ((380, 124), "DejaVuSans", 18, INK, "9:30-18:00", 0),
    ((64, 154), "DejaVuSans", 18, INK, "Saturday mornings", 0.9),
    ((380, 154), "DejaVuSans", 18, INK, "10:00-13:30", 0),
    ((38, 258), "DejaVuSerif", 24, INK, "Copies: 12 for $0.75 + 7% tax", 0.6),
    ((38, 300), "DejaVuSerif", 24, INK, '"Silence, please!" says No. 42.', 0.5),
    ((38, 352), "DejaVuSansMono", 18, INK, "desk@harbour.example", 0),
    ((38, 410), "DejaVuSans-Bold", 38, INK, "Room 7B / 3rd floor", 0.7),
]
# The same for one line that is turned, and by how many degrees.
STAMP = ((70, 206), "DejaVuSerif-Bold", 24, RED, "Closed on Sundays!", 0.5, 4)


def make_paper():
    """Light paper: a slow change of shade, and grain of a few levels."""
    generator = numpy.random.default_rng(4)
    x, y = numpy.meshgrid(*(numpy.linspace(0, 1, size) for size in SIZE))
    shade = numpy.round(236 - 14 * x * y)
    grain = numpy.round(generator.normal(0, 0.45, shade.shape)) * 6
    paper = (shade + grain)[..., None] + numpy.array([4, 0, -10])
    return Image.fromarray(numpy.clip(paper, 0, 255).astype(numpy.uint8))


def write(image, place, name, size, colour, text, gap):
    font = ImageFont.truetype(f"{FONTS}{name}.ttf", size)
    draw = ImageDraw.Draw(image)
    x, y = place
    for word in text.split():
        draw.text((x, y), word, colour, font=font)
        x += round(draw.textlength(word, font=font) + gap * size)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    picture = make_paper()
    for line in LINES:
        write(picture, *line)
    *stamp, degrees = STAMP
    # A transparent layer in the ink's own colour has soft edges when turned.
    layer = Image.new("RGBA", SIZE, stamp[3][:3] + (0,))
    write(layer, *stamp)
    layer = layer.rotate(degrees, Image.Resampling.BICUBIC, center=stamp[0])
    picture.paste(layer, mask=layer)
    picture.save(sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()
