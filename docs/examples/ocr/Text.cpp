//===- Text.cpp - Decodes the recogniser's scores ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include "Files.h"

#include <algorithm>
#include <string_view>

using namespace ocr;
using namespace weir;

StatusOr<Alphabet> ocr::readAlphabet(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(const std::string file, readFile(path));
  std::string_view rest(file);
  Alphabet alphabet{""};
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    alphabet.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  alphabet.emplace_back(" ");
  return alphabet;
}

Reading ocr::decode(std::span<const float> probabilities,
                    const Alphabet &alphabet) {
  Reading reading;
  int64_t numCharacters = 0;
  size_t previous = 0;
  for (; probabilities.size() >= alphabet.size();
       probabilities = probabilities.subspan(alphabet.size())) {
    auto step = probabilities.first(alphabet.size());
    auto best = std::ranges::max_element(step);
    auto index = static_cast<size_t>(best - step.begin());
    if (index != 0 && index != previous) {
      reading.text += alphabet[index];
      reading.score += *best;
      ++numCharacters;
    }
    previous = index;
  }
  if (numCharacters > 0)
    reading.score /= static_cast<double>(numCharacters);
  return reading;
}
