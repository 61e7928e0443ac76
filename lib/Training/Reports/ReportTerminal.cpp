//===- ReportTerminal.cpp - Prints lines, one of them in place ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ReportTerminal.h"

#include <cerrno>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace weir;

/// The text that moves the cursor to the first column, and clears the rest of
/// the line.
static constexpr std::string_view startOver = "\r\x1b[K";

static std::string_view variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

ReportTerminal::ReportTerminal(int descriptor)
    : descriptor(descriptor),
      canRewrite(descriptor >= 0 && ::isatty(descriptor) &&
                 variable("TERM") != "dumb"),
      colours(canRewrite && variable("NO_COLOR").empty()) {}

ReportTerminal::~ReportTerminal() {
  if (hasLine)
    write("\n");
}

size_t ReportTerminal::columns() const {
  if (!canRewrite)
    return 0;
  struct winsize size = {};
  // A character in the last column would move the cursor to the next line of
  // some terminals.
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
    return size.ws_col - 1u;
  return 79;
}

void ReportTerminal::print(std::string_view lines) {
  std::string text;
  if (hasLine)
    text += startOver;
  text.append(lines).append("\n");
  write(text);
  hasLine = false;
}

void ReportTerminal::draw(std::string_view line) {
  if (!canRewrite)
    return;
  std::string text(startOver);
  write(text.append(line));
  hasLine = true;
}

void ReportTerminal::write(std::string_view text) const {
  while (descriptor >= 0 && !text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}
