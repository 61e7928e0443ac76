//===- Resample.h - Scaled, turned and cut out pictures -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The networks read best what was scaled as in their training, so these use the
// interpolations that OpenCV uses there.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_RESAMPLE_H
#define OCR_RESAMPLE_H

#include "Geometry.h"
#include "Image.h"

#include <cstdint>
#include <span>

namespace ocr {

/// `image` in another size. Bilinear, pixel areas over pixel areas; it blurs
/// nothing before it makes an image smaller.
Image resize(const Image &image, int64_t width, int64_t height);

/// What lies in `quad`, made a rectangle of the quad's longer sides. Bicubic;
/// beyond the border of `image` its last pixels go on.
Image cutOut(const Image &image, const Quad &quad);

/// Turned by a quarter against the clock.
Image turnLeft(const Image &image);

/// Writes `image` as three planes of `width` columns with values from -1 to 1,
/// zeros on the right of it: what the networks take.
void writePlanes(const Image &image, int64_t width, std::span<float> planes);

} // namespace ocr

#endif // OCR_RESAMPLE_H
