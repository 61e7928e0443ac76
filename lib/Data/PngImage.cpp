//===- PngImage.cpp - Decodes PNG images ----------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// libpng reports errors by longjmp, which skips destructors. So a function that
// libpng may leave by longjmp has no local objects with destructors.
//
//===----------------------------------------------------------------------===//

#include "Inflate.h"
#include "Pixels.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

using namespace weir;

namespace {
/// A file that is being decoded, and what libpng has allocated for it.
struct PngReader {
  std::span<const std::byte> file;
  size_t position = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[128] = "";

  explicit PngReader(std::span<const std::byte> file) : file(file) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    if (png)
      info = png_create_info_struct(png);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader &) = delete;
  PngReader &operator=(const PngReader &) = delete;

  /// Reads everything in front of the pixels, and asks for 8 bits for each
  /// channel. Returns false after an error.
  bool readHeader(PixelShape &shape);
  bool readRows(std::byte *pixels, size_t rowBytes, int64_t height);

private:
  [[noreturn]] static void fail(png_structp png, png_const_charp text) {
    auto *reader = static_cast<PngReader *>(png_get_error_ptr(png));
    std::strncpy(reader->message, text, sizeof(reader->message) - 1);
    png_longjmp(png, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
  static void read(png_structp png, png_bytep to, size_t size) {
    auto *reader = static_cast<PngReader *>(png_get_io_ptr(png));
    if (size > reader->file.size() - reader->position)
      png_error(png, "it ends early");
    std::memcpy(to, reader->file.data() + reader->position, size);
    reader->position += size;
  }
};
} // namespace

bool PngReader::readHeader(PixelShape &shape) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_set_read_fn(png, this, read);
  // A damaged chunk is an error even if the chunk is not needed.
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);
  // The check comes now, because libpng allocates rows before it reads any.
  if (png_get_rowbytes(png, info) / maxInflateRatio *
          png_get_image_height(png, info) >
      file.size())
    png_error(png, "it is too short for as many pixels");
  // Palettes become colours, grey gets 8 bits, and transparency becomes a
  // channel.
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  shape.height = png_get_image_height(png, info);
  shape.width = png_get_image_width(png, info);
  shape.channels = png_get_channels(png, info);
  return true;
}

bool PngReader::readRows(std::byte *pixels, size_t rowBytes, int64_t height) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  const bool isInterlaced =
      png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  for (int pass = 0; pass < (isInterlaced ? PNG_INTERLACE_ADAM7_PASSES : 1);
       ++pass)
    for (int64_t row = 0; row < height; ++row)
      png_read_row(png,
                   reinterpret_cast<png_bytep>(pixels) +
                       static_cast<size_t>(row) * rowBytes,
                   nullptr);
  png_read_end(png, nullptr);
  return true;
}

StatusOr<PixelShape> weir::decodePng(std::span<const std::byte> file,
                                     AlignedBytes &pixels) {
  PngReader reader(file);
  if (!reader.png || !reader.info)
    return Status::outOfMemory();
  PixelShape shape;
  auto failure = [&] {
    return dataLoss(
        fmt::format("the PNG image is damaged: {}", reader.message));
  };
  if (!reader.readHeader(shape))
    return failure();
  WEIR_RETURN_IF_ERROR(checkPixels(shape.height, shape.width));
  std::byte *memory = pixels.reserve(shape.bytes());
  if (!memory)
    return Status::outOfMemory();
  if (!reader.readRows(memory,
                       shape.bytes() / static_cast<size_t>(shape.height),
                       shape.height))
    return failure();
  return shape;
}
