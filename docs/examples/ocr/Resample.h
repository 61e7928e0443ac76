//===- Resample.h - Scaled, rotated and cropped pictures --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The networks work best with pictures that are scaled as in training. So these
// functions use the interpolations of OpenCV, which were used there.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_RESAMPLE_H
#define OCR_RESAMPLE_H

#include "Geometry.h"
#include "Image.h"

#include <cstdint>
#include <span>

namespace ocr {

/// `image` in another size, by bilinear interpolation of pixel areas. There is
/// no blur before downscaling.
Image resize(const Image &image, int64_t width, int64_t height);

/// The contents of `quad`, as a rectangle with the quad's longer sides.
/// Bicubic; outside of `image` its border pixels are repeated.
Image cutOut(const Image &image, const Quad &quad);

/// The image rotated counter-clockwise by a quarter turn.
Image turnLeft(const Image &image);

/// Writes `image` as three planes of `width` columns with values from -1 to 1,
/// the input of the networks. Columns to the right of the image are zero.
void writePlanes(const Image &image, int64_t width, std::span<float> planes);

} // namespace ocr

#endif // OCR_RESAMPLE_H
