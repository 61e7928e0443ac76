//===- Text.h - Decodes the recogniser's scores -----------------*- C++ -*-===//
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

/// The character of each class of the recogniser. Class 0 is for nothing.
using Alphabet = std::vector<std::string>;

/// Reads the characters of a model from the file `path`, one per line. The
/// class for nothing is added before them, and one for a space after them.
weir::StatusOr<Alphabet> readAlphabet(const std::string &path);

struct Reading {
  std::string text;
  /// The mean probability of the characters; 0 if there are none.
  double score = 0;
};

/// Decodes a row of probabilities per step, from left to right. The best class
/// of each step is taken, and a class that continues over several steps counts
/// once (greedy decoding of connectionist temporal classification; Graves et
/// al., 2006).
Reading decode(std::span<const float> probabilities, const Alphabet &alphabet);

} // namespace ocr

#endif // OCR_TEXT_H
