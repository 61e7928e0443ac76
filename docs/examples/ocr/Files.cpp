//===- Files.cpp - Reads and writes whole files -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace ocr;
using namespace weir;

/// The error of the call that has just failed.
static Status failure(const char *what, const std::string &path) {
  return notFound(std::string("cannot ") + what + " '" + path +
                  "': " + std::strerror(errno));
}

StatusOr<std::string> ocr::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return failure("read", path);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (file.bad())
    return failure("read", path);
  return std::move(bytes).str();
}

Status ocr::writeFile(const std::string &path, std::span<const char> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? Status::ok() : failure("write", path);
}
