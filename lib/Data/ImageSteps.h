//===- ImageSteps.h - Steps that move the pixels of images ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_IMAGESTEPS_H
#define WEIR_LIB_DATA_IMAGESTEPS_H

#include "ExampleStep.h"

#include "weir/Data/MapSteps.h"

#include <cstddef>
#include <cstdint>

namespace weir {

/// An image as planes of pixels. There is one plane whose pixels have all
/// channels, or a plane for each channel.
struct ImageShape {
  int64_t planes = 1;
  int64_t height = 0;
  int64_t width = 0;
  size_t pixelBytes = 0;

  size_t rowBytes() const { return static_cast<size_t>(width) * pixelBytes; }
};

/// Implements `RandomCropStep`. The part must fit into the padded image.
class CropStep : public ExampleStep {
public:
  CropStep(ImageShape image, const RandomCropStep &crop)
      : image(image), crop(crop) {}
  Status apply(const std::byte *from, std::byte *to,
               const StepDraw &draw) const override;

private:
  ImageShape image;
  RandomCropStep crop;
};

/// Implements `RandomFlipStep`.
class FlipStep : public ExampleStep {
public:
  explicit FlipStep(ImageShape image) : image(image) {}
  Status apply(const std::byte *from, std::byte *to,
               const StepDraw &draw) const override;

private:
  ImageShape image;
};

/// Implements `ChannelsFirstStep`. An image has `channels` channels of
/// `elementBytes` bytes each.
class SplitChannelsStep : public ExampleStep {
public:
  SplitChannelsStep(int64_t pixels, int64_t channels, size_t elementBytes)
      : pixels(pixels), channels(channels), elementBytes(elementBytes) {}
  Status apply(const std::byte *from, std::byte *to,
               const StepDraw &draw) const override;

private:
  int64_t pixels;
  int64_t channels;
  size_t elementBytes;
};

} // namespace weir

#endif // WEIR_LIB_DATA_IMAGESTEPS_H
