#!/usr/bin/env python3
"""Writes the images in Inputs/ and, as Inputs/expected.npz, what Pillow reads
and computes from them. Pillow is needed to run this, not to run the tests; the
files were made with Pillow 13.0.0.
"""
import pathlib

import numpy
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent / "Inputs"


def pictures():
    """Smooth colours with some noise, [12, 16, 4]."""
    random = numpy.random.default_rng(5)
    y, x = numpy.mgrid[0:12, 0:16]
    planes = [x * 16, y * 20, 255 - x * 8 - y * 9, 40 + x * 7 + y * 8]
    while True:
        noise = random.integers(-12, 13, (12, 16, 4))
        yield numpy.clip(numpy.stack(planes, -1) + noise, 0, 255).astype("u1")


def main():
    source = pictures()
    for name in ("ant", "bee"):
        (HERE / "images" / name).mkdir(parents=True, exist_ok=True)

    def rgba():
        return Image.fromarray(next(source), "RGBA")

    ant, bee = HERE / "images/ant", HERE / "images/bee"
    rgba().convert("L").save(ant / "grey.png")
    rgba().convert("LA").save(ant / "grey-alpha.png")
    rgba().convert("1").save(ant / "bits.png")
    rgba().convert("RGB").quantize(20).save(ant / "palette.png")
    rgba().convert("RGB").save(ant / "rgb.png")
    rgba().save(ant / "rgba.png")
    deep = next(source)[..., 0].astype("u2") * 255 + 77
    Image.fromarray(deep).save(ant / "sixteen.png")
    rgba().convert("L").save(bee / "grey.jpg")
    rgba().convert("RGB").save(bee / "progressive.JPEG", progressive=True,
                               quality=80)
    rgba().convert("RGB").save(bee / "rgb.jpg", quality=90)
    rgba().convert("CMYK").save(HERE / "printer.jpg")

    expected = {kind: [] for kind in ("grey", "rgb", "rgba", "small", "large",
                                      "narrow")}
    for path in sorted(HERE.glob("images/*/*")):
        image = Image.open(path)
        if path.stem == "sixteen":
            eight = numpy.rint(numpy.asarray(image) / 257).astype("u1")
            image = Image.fromarray(eight)
        rgb = image.convert("RGB")
        expected["grey"].append(image.convert("L"))
        expected["rgb"].append(rgb)
        expected["rgba"].append(image.convert("RGBA"))
        for kind, size in (("small", (5, 7)), ("large", (37, 23)),
                           ("narrow", (9, 12))):
            expected[kind].append(rgb.resize(size, Image.Resampling.BILINEAR))
    numpy.savez_compressed(HERE / "expected.npz", **{
        kind: numpy.stack([numpy.asarray(image) for image in images])
        for kind, images in expected.items()})


if __name__ == "__main__":
    main()
