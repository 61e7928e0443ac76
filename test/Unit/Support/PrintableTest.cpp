//===- PrintableTest.cpp - Foreign text in messages and reports -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Printable.h"

#include "weir/Support/Trace.h"

#include <gtest/gtest.h>

using namespace weir;

// Control characters of both sets go, text of any script stays.
TEST(PrintableTest, keepsTextAndDropsControls) {
  EXPECT_EQ(printable("conv1"), "conv1");
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f"), "?[31mred??");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31m"),
            "a??31m");
  EXPECT_EQ(printable("\xc3\xbc \xe6\xb0\xb4 \xf0\x9f\x9a\xb0"),
            "\xc3\xbc \xe6\xb0\xb4 \xf0\x9f\x9a\xb0");
}

// What is no UTF-8 goes: stray and missing continuation bytes, overlong forms,
// surrogates, and what lies beyond Unicode.
TEST(PrintableTest, keepsLines) {
  EXPECT_EQ(printableLines("a\n\tb\x1b[31m\r\n"), "a\n\tb?[31m?\n");
  EXPECT_EQ(printable("a\n\tb"), "a??b");
}

TEST(PrintableTest, dropsWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff"), "?");
  EXPECT_EQ(printable("\x80"), "?");
  EXPECT_EQ(printable("a\xe6\xb0"), "a??");
  EXPECT_EQ(printable("\xc0\xaf"), "??");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "???");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");
}

// A name that is no UTF-8 is written, not thrown over.
TEST(TraceTest, writesNamesThatAreNoUtf8) {
  Trace trace;
  TraceRing &row = trace.addRow("cpu:\xff", "compute\xfe", 4);
  row.record({trace.intern("conv\xff"), "launch", 1, 2, 0});
  const std::string text = trace.toChromeJson();
  EXPECT_NE(text.find("conv\xef\xbf\xbd"), text.npos) << text;
}

// Spans outlive the text their names came from.
TEST(TraceTest, keepsNames) {
  Trace trace;
  TraceRing &row = trace.addRow("cpu:0", "compute", 4);
  {
    std::string name(1000, 'x');
    row.record({trace.intern(name), "launch", 1, 2, 0});
    EXPECT_EQ(trace.intern(name).data(), trace.intern(name).data());
    name.assign(1000, 'y');
  }
  EXPECT_NE(trace.toChromeJson().find(std::string(1000, 'x')),
            std::string::npos);
}
