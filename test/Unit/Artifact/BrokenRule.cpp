//===- BrokenRule.cpp - Models with a broken rule ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BrokenRule.h"

#include "weir/Artifact/Artifact.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::artifact;

std::string weir::artifact::refusal(SmallModel &small) {
  StatusOr<Artifact> artifact = Artifact::fromBytes(small.serialized());
  return artifact ? std::string() : std::string(artifact.status().message());
}

void weir::artifact::expectRefused(const std::vector<BrokenRule> &rules) {
  SmallModel whole;
  ASSERT_EQ(refusal(whole), "");
  for (const BrokenRule &rule : rules) {
    SCOPED_TRACE(rule.what);
    SmallModel small;
    rule.breakIt(small);
    const std::string message = refusal(small);
    ASSERT_NE(message, "");
    for (const std::string &part : rule.said)
      EXPECT_NE(message.find(part), std::string::npos)
          << "'" << part << "' is not in: " << message;
  }
}
