//===- Files.h - Reads and writes whole files -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_FILES_H
#define OCR_FILES_H

#include "weir/Support/Status.h"

#include <span>
#include <string>

namespace ocr {

weir::StatusOr<std::string> readFile(const std::string &path);
weir::Status writeFile(const std::string &path, std::span<const char> bytes);

} // namespace ocr

#endif // OCR_FILES_H
