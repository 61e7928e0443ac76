//===- SystemError.cpp - errno as a Status -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/SystemError.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

using namespace weir;

namespace {
StatusCode codeOf(int error) {
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return StatusCode::NotFound;
  case ENOMEM:
  case ENOSPC:
  case EDQUOT:
  case EMFILE:
  case ENFILE:
  case EFBIG:
    return StatusCode::ResourceExhausted;
  case EIO:
    return StatusCode::DataLoss;
  default:
    return StatusCode::InvalidArgument;
  }
}

std::string_view repairOf(int error) {
  switch (error) {
  case EMFILE:
    return "; close files, or raise the limit of open files (ulimit -n)";
  case ENFILE:
    return "; close files in this process or in others";
  default:
    return "";
  }
}
} // namespace

Status weir::systemError(std::string_view what, int error) {
  char buffer[128];
  std::string reason = ::strerror_r(error, buffer, sizeof(buffer));
  // The C library writes "No such file", but our messages begin with a small
  // letter. Abbreviations ("RFS ...") stay.
  if (reason.size() > 1 && !std::isupper(static_cast<unsigned char>(reason[1])))
    reason[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return {codeOf(error),
          fmt::format("{}: {}{}", what, reason, repairOf(error))};
}

Status weir::checkPath(std::string_view path) {
  if (path.find('\0') == path.npos)
    return Status::ok();
  return invalidArgument(fmt::format(
      "the path '{}' has a NUL in it; leave that out", printable(path)));
}
