//===- CapturedErrors.cpp - What LLVM prints about options ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CapturedErrors.h"

#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace weir;

static std::mutex isCapturing;

CapturedErrors::CapturedErrors() : turn(isCapturing) {
  file = ::memfd_create("weir-errors", MFD_CLOEXEC);
  if (file < 0)
    return;
  std::fflush(stderr);
  saved = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (saved >= 0)
    ::dup2(file, STDERR_FILENO);
}

CapturedErrors::~CapturedErrors() {
  const std::string text = end();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string CapturedErrors::take() {
  const std::string text = end();
  // The first line is "<parser>: for the --x option: 'a' value invalid for
  // integer argument!".
  auto [line, rest] = llvm::StringRef(text).split('\n');
  std::fwrite(rest.data(), 1, rest.size(), stderr);
  if (size_t begin = line.find("for the "); begin != line.npos)
    line = line.substr(begin);
  return line.rtrim("! \t").str();
}

/// Ends the capture, and returns what was captured.
std::string CapturedErrors::end() {
  std::string text;
  if (saved >= 0) {
    std::fflush(stderr);
    ::dup2(saved, STDERR_FILENO);
    ::close(std::exchange(saved, -1));
    char part[4096];
    ::lseek(file, 0, SEEK_SET);
    for (ssize_t count; (count = ::read(file, part, sizeof(part))) > 0;)
      text.append(part, static_cast<size_t>(count));
  }
  if (file >= 0)
    ::close(std::exchange(file, -1));
  if (turn.owns_lock())
    turn.unlock();
  return text;
}
