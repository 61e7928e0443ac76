//===- EveryOpTest.cpp - Each op's method makes its op -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The cases are those of test/Ops, as gen-op-cases.py writes them in C++, so
// that a new op is tested without an edit here.
//
//===----------------------------------------------------------------------===//

#include "weir/Builder/Graph.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

using namespace weir;

namespace {
/// A graph of one op, and the op as the text's own tests say it is printed.
struct OpCase {
  const char *name;
  const char *expected;
  Value (*build)(Graph &graph);
};
} // namespace

static constexpr OpCase opCases[] = {
#include "OpCases.inc"
};

/// The line of `text` that makes `%y`, without its indent.
static std::string lineOfResult(const std::string &text) {
  size_t begin = text.find("%y");
  if (begin == std::string::npos)
    return "nothing called %y in:\n" + text;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(EveryOp, IsBuiltAsItsTextSays) {
  for (const OpCase &opCase : opCases) {
    SCOPED_TRACE(opCase.name);
    Graph graph;
    Value result = opCase.build(graph);
    graph.output("result", result.named("y"));
    StatusOr<std::string> text = graph.text();
    ASSERT_TRUE(text.isOk()) << text.status().message();
    EXPECT_EQ(lineOfResult(*text), opCase.expected);
  }
}
