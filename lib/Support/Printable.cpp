//===- Printable.cpp - Makes foreign text safe to print ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Printable.h"

#include <cstddef>
#include <cstdint>

using namespace weir;

/// The number of bytes of a character that begins with the byte `lead`. 0 if no
/// character begins with it.
static size_t characterBytes(uint8_t lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead < 0xe0)
    return 2;
  if (lead >= 0xe0 && lead < 0xf0)
    return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/// The code point at the beginning of `text`, which has `count` bytes.
static uint32_t codePoint(std::string_view text, size_t count) {
  constexpr uint8_t leadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t point = static_cast<uint8_t>(text[0]) & leadBits[count];
  for (size_t i = 1; i < count; ++i)
    point = point << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
  return point;
}

/// The number of bytes of the character at the beginning of `text`. 0 if the
/// character cannot be shown.
static size_t shownBytes(std::string_view text) {
  const size_t count = characterBytes(static_cast<uint8_t>(text[0]));
  if (count == 0 || count > text.size())
    return 0;
  for (size_t i = 1; i < count; ++i)
    if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80)
      return 0;
  const uint32_t point = codePoint(text, count);
  constexpr uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool isControl = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool isSurrogate = point >= 0xd800 && point < 0xe000;
  const bool isShown = !isControl && !isSurrogate && point <= 0x10ffff &&
                       point >= smallest[count];
  return isShown ? count : 0;
}

/// Replaces the characters of `text` that cannot be shown by '?'. The
/// characters in `kept` stay.
static std::string replaceHidden(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const bool isKept = kept.find(text[0]) != kept.npos;
    const size_t count = isKept ? 1 : shownBytes(text);
    if (count)
      shown += text.substr(0, count);
    else
      shown += '?';
    text.remove_prefix(count ? count : 1);
  }
  return shown;
}

std::string weir::printable(std::string_view text) {
  return replaceHidden(text, "");
}

std::string weir::printableLines(std::string_view text) {
  return replaceHidden(text, "\n\t");
}
