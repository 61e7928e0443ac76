//===- TextParts.h - Splits the texts of options ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_TEXTPARTS_H
#define WEIR_LIB_DATA_TEXTPARTS_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weir {

/// The parts of `text` between the separators. There is at least one part.
inline std::vector<std::string_view> splitText(std::string_view text,
                                               char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

/// Parses `text` as a number. Nothing if any part of `text` does not belong to
/// the number.
template <typename T> std::optional<T> parseNumber(std::string_view text) {
  T number;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// Parses sizes such as "28x28".
inline std::optional<std::vector<int64_t>> parseSizes(std::string_view text) {
  std::vector<int64_t> sizes;
  for (std::string_view part : splitText(text, 'x')) {
    const std::optional<int64_t> size = parseNumber<int64_t>(part);
    if (!size || *size < 0)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

} // namespace weir

#endif // WEIR_LIB_DATA_TEXTPARTS_H
