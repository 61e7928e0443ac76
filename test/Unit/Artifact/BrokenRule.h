//===- BrokenRule.h - Models with a broken rule -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_ARTIFACT_BROKENRULE_H
#define WEIR_TEST_UNIT_ARTIFACT_BROKENRULE_H

#include "SmallModel.h"

#include <functional>
#include <string>
#include <vector>

namespace weir::artifact {

/// A way to break one rule, and what the error must say: where and what.
struct BrokenRule {
  const char *what;
  std::function<void(SmallModel &)> breakIt;
  std::vector<std::string> said;
};

/// The message with which `small` is refused; empty when it is not.
std::string refusal(SmallModel &small);

/// Expects that the small model is accepted, and that it is refused with any of
/// `rules` broken.
void expectRefused(const std::vector<BrokenRule> &rules);

} // namespace weir::artifact

#endif // WEIR_TEST_UNIT_ARTIFACT_BROKENRULE_H
