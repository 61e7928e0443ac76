//===- MissingLibraries.cpp - What the build leaves out -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Replacements for functions that need a library. They are used if the library
// was not found when Weir was built.
//
//===----------------------------------------------------------------------===//

#include "Inflate.h"
#include "Pixels.h"

#include <fmt/format.h>

using namespace weir;

[[maybe_unused]] static Status missing(std::string_view what,
                                       std::string_view library) {
  return unimplemented(
      fmt::format("this Weir was built without {1}, which reads {0}; install "
                  "{1} and build Weir again",
                  what, library));
}

#ifndef WEIR_HAS_ZLIB
StatusOr<SharedBytes> weir::inflateGzip(std::span<const std::byte>, uint64_t) {
  return missing("files compressed by gzip", "zlib");
}
StatusOr<SharedBytes> weir::inflateGzipBeginning(std::span<const std::byte>,
                                                 uint64_t) {
  return missing("files compressed by gzip", "zlib");
}
StatusOr<SharedBytes> weir::inflateMember(std::span<const std::byte>,
                                          uint64_t) {
  return missing(".npz files", "zlib");
}
StatusOr<SharedBytes> weir::inflateMemberBeginning(std::span<const std::byte>,
                                                   uint64_t) {
  return missing(".npz files", "zlib");
}
StatusOr<uint32_t> weir::crc32Of(std::span<const std::byte>, uint32_t) {
  return missing(".npz files", "zlib");
}
#endif

#ifndef WEIR_HAS_PNG
StatusOr<PixelShape> weir::decodePng(std::span<const std::byte>,
                                     AlignedBytes &) {
  return missing("PNG images", "libpng");
}
#endif

#ifndef WEIR_HAS_JPEG
StatusOr<PixelShape> weir::decodeJpeg(std::span<const std::byte>,
                                      AlignedBytes &) {
  return missing("JPEG images", "libjpeg-turbo");
}
#endif
