//===- CudnnNumbers.cpp - Numbers of plans of cuDNN ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnNumbers.h"

#include <charconv>
#include <fmt/format.h>

using namespace weir;

std::string weir::writeNumbers(std::span<const FrontendNumber> numbers) {
  std::string text;
  for (const FrontendNumber &number : numbers)
    text += fmt::format(" {}={:x}", number.id, number.bits);
  return text;
}

StatusOr<std::vector<FrontendNumber>> weir::readNumbers(std::string_view text) {
  std::vector<FrontendNumber> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    FrontendNumber &number = numbers.emplace_back();
    const auto id = std::from_chars(at + 1, end, number.id);
    if (*at != ' ' || id.ec != std::errc() || id.ptr == end || *id.ptr != '=')
      return invalidArgument("the stored plan has no numbers");
    const auto bits = std::from_chars(id.ptr + 1, end, number.bits, 16);
    if (bits.ec != std::errc())
      return invalidArgument("the stored plan has no numbers");
    at = bits.ptr;
  }
  return numbers;
}
