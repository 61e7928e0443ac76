//===- Text.h - From the recogniser's scores to text -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_TEXT_H
#define OCR_TEXT_H

#include "weir/Support/Status.h"

#include <span>
#include <string>
#include <vector>

namespace ocr {

/// What each class of the recogniser stands for: class 0 for nothing.
using Alphabet = std::vector<std::string>;

/// Reads the characters of a model, a line of the file `path` for each. Before
/// them comes the class for nothing, after them one for a space.
weir::StatusOr<Alphabet> readAlphabet(const std::string &path);

struct Reading {
  std::string text;
  /// The mean probability of the characters, 0 without any.
  double score = 0;
};

/// Decodes a row of probabilities per step, from left to right: the best class
/// of each step, where a class that goes on over steps counts once (greedy
/// decoding of connectionist temporal classification; Graves et al., 2006).
Reading decode(std::span<const float> probabilities, const Alphabet &alphabet);

} // namespace ocr

#endif // OCR_TEXT_H
