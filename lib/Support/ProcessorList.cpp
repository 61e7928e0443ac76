//===- ProcessorList.cpp - Lists of processor numbers ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ProcessorList.h"

#include <charconv>

using namespace weir;

/// Removes a number from the beginning of `text` and returns it; nothing if
/// there is none.
static std::optional<int> takeNumber(std::string_view &text) {
  int number = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9')
    return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number >= maxProcessors)
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<std::vector<int>>
weir::parseProcessorList(std::string_view text) {
  std::vector<int> processors;
  std::vector<bool> isListed(maxProcessors);
  while (true) {
    const std::optional<int> first = takeNumber(text);
    std::optional<int> last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = takeNumber(text);
    }
    if (!first || !last || *last < *first)
      return std::nullopt;
    for (int i = *first; i <= *last; ++i) {
      if (isListed[static_cast<size_t>(i)])
        return std::nullopt;
      isListed[static_cast<size_t>(i)] = true;
      processors.push_back(i);
    }
    if (text.empty())
      return processors;
    if (!text.starts_with(','))
      return std::nullopt;
    text.remove_prefix(1);
  }
}
