//===- Trials.h - How often tests draw at random -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_SUPPORT_TRIALS_H
#define WEIR_TEST_UNIT_SUPPORT_TRIALS_H

#include <cstdlib>

namespace weir {

/// The number of random trials of a test: what the environment variable
/// WEIR_TRIALS says, else `usual`. ctest's long tests ask for many.
inline int countTrials(int usual) {
  const char *text = std::getenv("WEIR_TRIALS");
  const int given = text ? std::atoi(text) : 0;
  return given > 0 ? given : usual;
}

} // namespace weir

#endif // WEIR_TEST_UNIT_SUPPORT_TRIALS_H
