//===- WinogradTransforms.h - Transforms of F(4x4, 3x3) ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Images and windows are f32 or bf16; intermediate values are f32. The first
// dim of transformed tensors is the 36 positions of a tile. For a block of
// tiles: inputs [36, block, channels], windows [36, channels, outputs], results
// [36, block, outputs].
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTRANSFORMS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTRANSFORMS_H

#include "weir/Support/DType.h"

#include <array>
#include <cstdint>
#include <vector>

namespace weir::cpu {

/// The edge of a result tile in cells, and the edge of the input tile on which
/// it depends.
constexpr int64_t resultTile = 4, inputTile = 6;
constexpr int64_t tilePlaces = inputTile * inputTile;
/// The numbers of channels of input and result are multiples of this.
constexpr int64_t winogradChannels = 8;

/// A convolution of dense channels-last images; sizes are in cells.
struct WinogradShape {
  int64_t images, inputHeight, inputWidth, channels;
  int64_t resultHeight, resultWidth, outputs;
  int64_t padTop, padLeft;
  /// The most tiles that are transformed at a time.
  int64_t block = 0;

  int64_t tilesY() const {
    return (resultHeight + resultTile - 1) / resultTile;
  }
  int64_t tilesX() const { return (resultWidth + resultTile - 1) / resultTile; }
  int64_t tiles() const { return images * tilesY() * tilesX(); }
};

/// An operation on each cell of the result before it is stored.
struct WinogradEpilogue {
  enum class Kind { Relu, Add };
  Kind kind;
  /// The image that is added, in the type and layout of the result.
  const void *image;
};

/// The cells of a window that a transformed window contains only in sums, in
/// which small cells are lost. The other cells are the four corners: a
/// transformed window contains each of them alone, too.
inline constexpr std::array<int64_t, 5> summedTaps = {1, 3, 4, 5, 7};

/// The place of transformed windows. An element is stored at the sum of the
/// offsets for its position, channel and output.
struct WindowTarget {
  float *cells;
  int64_t placeStep;
  std::vector<int64_t> channelOffsets, outputOffsets;
  /// The `summedTaps` before the transform, in the type of the windows, with an
  /// element for each channel, tap and output.
  void *taps;
};

/// The transforms for one instruction set and one type of images and windows.
struct WinogradCode {
  /// Transforms tiles [first, first + count) of `image` to `to`.
  void (*transformInput)(const WinogradShape &shape, const void *image,
                         float *to, int64_t first, int64_t count);
  /// Transforms the windows of outputs [first, first + 16). Outputs that do not
  /// exist are left out. `strides` are the strides of outputs, channels, and
  /// the window's two dims.
  void (*transformWindows)(const WinogradShape &shape, const void *windows,
                           const int64_t strides[4], const WindowTarget &target,
                           int64_t first);
  /// The number of tiles before the first tile that is not finite, among the
  /// `count` tiles with the results `from`. A cell that is not finite makes the
  /// results of all outputs not finite, so only some outputs are looked at.
  int64_t (*countFinite)(const WinogradShape &shape, const float *from,
                         int64_t count);
  /// Transforms results of `count` tiles back to cells of `image`.
  void (*transformResult)(const WinogradShape &shape, const float *from,
                          const float *bias,
                          const std::vector<WinogradEpilogue> &epilogues,
                          void *image, int64_t first, int64_t count);
};

/// The code for this CPU and images of `type`: f32 with AVX2, bf16 with
/// AVX-512, else null.
const WinogradCode *findWinogradCode(DType type);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTRANSFORMS_H
