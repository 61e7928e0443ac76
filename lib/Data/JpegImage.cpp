//===- JpegImage.cpp - Decodes JPEG images --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// libjpeg reports errors by longjmp, which skips destructors. So a function
// that libjpeg may leave by longjmp has no local objects with destructors. If
// libjpeg invents pixels, it warns. Such a warning counts as damage.
//
//===----------------------------------------------------------------------===//

#include "Pixels.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>

// This header needs size_t and FILE, but does not include the headers that
// define them.
#include <jpeglib.h>

#include <jerror.h>

using namespace weir;

namespace {
/// A file that is being decoded, and what libjpeg has allocated for it.
struct JpegReader {
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf afterError;
  char message[JMSG_LENGTH_MAX] = "";

  JpegReader() {
    jpeg.err = jpeg_std_error(&errors);
    jpeg.client_data = this;
    errors.error_exit = fail;
    errors.emit_message = warn;
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
  JpegReader(const JpegReader &) = delete;
  JpegReader &operator=(const JpegReader &) = delete;

  /// Reads the header. Returns false after an error.
  bool readHeader(std::span<const std::byte> file, PixelShape &shape);
  bool readRows(std::byte *pixels, size_t rowBytes);

private:
  static JpegReader &readerOf(j_common_ptr jpeg) {
    return *static_cast<JpegReader *>(jpeg->client_data);
  }
  [[noreturn]] static void fail(j_common_ptr jpeg) {
    JpegReader &reader = readerOf(jpeg);
    jpeg->err->format_message(jpeg, reader.message);
    std::longjmp(reader.afterError, 1);
  }
  static void warn(j_common_ptr jpeg, int level) {
    if (level >= 0)
      return;
    // Some cameras write extra bytes behind all pixels, in front of the end
    // marker.
    if (jpeg->err->msg_code == JWRN_EXTRANEOUS_DATA &&
        jpeg->err->msg_parm.i[1] == JPEG_EOI)
      return;
    fail(jpeg);
  }
};
} // namespace

bool JpegReader::readHeader(std::span<const std::byte> file,
                            PixelShape &shape) {
  if (setjmp(afterError))
    return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char *>(file.data()),
               file.size());
  jpeg_read_header(&jpeg, TRUE);
  if (jpeg.num_components == 1)
    jpeg.out_color_space = JCS_GRAYSCALE;
  else
    jpeg.out_color_space = JCS_RGB;
  shape.height = jpeg.image_height;
  shape.width = jpeg.image_width;
  shape.channels = jpeg.num_components == 1 ? 1 : 3;
  return true;
}

bool JpegReader::readRows(std::byte *pixels, size_t rowBytes) {
  if (setjmp(afterError))
    return false;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row =
        reinterpret_cast<JSAMPROW>(pixels) + jpeg.output_scanline * rowBytes;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

StatusOr<PixelShape> weir::decodeJpeg(std::span<const std::byte> file,
                                      AlignedBytes &pixels) {
  JpegReader reader;
  PixelShape shape;
  auto failure = [&] {
    return dataLoss(
        fmt::format("the JPEG image is damaged: {}", reader.message));
  };
  if (!reader.readHeader(file, shape))
    return failure();
  if (reader.jpeg.num_components == 4)
    return unimplemented("the JPEG image has the colours of a printer (CMYK); "
                         "convert it to RGB");
  WEIR_RETURN_IF_ERROR(checkPixels(shape.height, shape.width));
  // Each block has a Huffman code of at least one bit. A block covers 8x8
  // pixels, or twice as many if every component is subsampled.
  constexpr int64_t maxPixelsPerByte = int64_t{8} * 8 * 2 * 8;
  if (!reader.jpeg.arith_code && shape.height * shape.width / maxPixelsPerByte >
                                     static_cast<int64_t>(file.size()))
    return dataLoss(fmt::format(
        "the JPEG image is damaged: its {} bytes are too few for {}x{} pixels",
        file.size(), shape.height, shape.width));
  std::byte *memory = pixels.reserve(shape.bytes());
  if (!memory)
    return Status::outOfMemory();
  if (!reader.readRows(memory,
                       shape.bytes() / static_cast<size_t>(shape.height)))
    return failure();
  return shape;
}
