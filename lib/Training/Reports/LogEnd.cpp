//===- LogEnd.cpp - Where a resumed run continues its log -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Steps grow from line to line. So the text is searched from its end. Only the
// lines that are removed, the line before them and the first line are parsed.
//
//===----------------------------------------------------------------------===//

#include "LogEnd.h"

#include "weir/Support/Printable.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/SystemError.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;

namespace {
struct LogLine {
  int64_t step;
  double seconds;
};

/// `text` as a line of a log; empty if it is no such line.
std::optional<LogLine> parseLine(std::string_view text) {
  const nlohmann::json line =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object())
    return std::nullopt;
  const auto step = line.find("step"), seconds = line.find("seconds");
  if (step == line.end() || !step->is_number_integer() ||
      seconds == line.end() || !seconds->is_number())
    return std::nullopt;
  return LogLine{step->get<int64_t>(), seconds->get<double>()};
}

/// The last line of `text`, without the line feed that ends it.
std::string_view lastLine(std::string_view text) {
  text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

Status noLog(const std::string &path, std::string_view line) {
  return invalidArgument(fmt::format(
      "'{}' is not the log of a run: expected lines as {{\"step\":1, ..., "
      "\"seconds\":0.1}}, found '{}'; name another file for the log, or remove "
      "this one",
      path, printable(line.substr(0, 60))));
}

/// The number of bytes of `text` to keep, and the time in the last line of
/// these.
StatusOr<LogEnd> findEnd(const std::string &path, std::string_view text,
                         int64_t lastStep) {
  const std::string_view whole = text;
  // A line that was cut off follows the last line feed.
  text = text.substr(0, text.rfind('\n') + 1);
  if (text.empty() && !whole.empty())
    return noLog(path, whole);
  if (!text.empty())
    if (const auto first = text.substr(0, text.find('\n')); !parseLine(first))
      return noLog(path, first);
  while (!text.empty()) {
    const std::string_view last = lastLine(text);
    const std::optional<LogLine> line = parseLine(last);
    if (!line)
      return noLog(path, last);
    if (line->step <= lastStep)
      return LogEnd{line->seconds, text.size(), whole.size()};
    text.remove_suffix(last.size() + 1);
  }
  return LogEnd{0, 0, whole.size()};
}

/// The size of the file `path` in bytes; 0 if it is no regular file.
size_t sizeOf(const std::string &path) {
  struct stat info;
  return path != "-" && ::stat(path.c_str(), &info) == 0 &&
                 S_ISREG(info.st_mode)
             ? static_cast<size_t>(info.st_size)
             : 0;
}
} // namespace

StatusOr<LogEnd> weir::findLogEnd(const std::string &path, int64_t lastStep) {
  WEIR_RETURN_IF_ERROR(checkPath(path));
  if (sizeOf(path) == 0)
    return LogEnd{};
  WEIR_ASSIGN_OR_RETURN(const std::string text, readRegularFile(path));
  return findEnd(path, text, lastStep);
}

StatusOr<LogEnd> weir::cutLog(const std::string &path, int64_t lastStep) {
  WEIR_ASSIGN_OR_RETURN(const LogEnd end, findLogEnd(path, lastStep));
  if (end.kept < sizeOf(path) &&
      ::truncate(path.c_str(), static_cast<off_t>(end.kept)) != 0)
    return systemError(fmt::format("cannot shorten the log '{}'", path));
  return end;
}
