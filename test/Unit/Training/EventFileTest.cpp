//===- EventFileTest.cpp - Checksums and bytes of event files ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// reports_test.py reads whole event files.
//
//===----------------------------------------------------------------------===//

#include "Training/Reports/Crc32c.h"
#include "weir/Support/ProtoWire.h"
#include "weir/Support/WireWriter.h"

#include <gtest/gtest.h>

using namespace weir;

// The examples of RFC 3720, appendix B.4.
TEST(EventFile, checksums) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending, descending;
  for (char i = 0; i < 32; ++i) {
    ascending += i;
    descending += static_cast<char>(31 - i);
  }
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(crc32c(descending), 0x113fdb5cu);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

// The examples of protobuf's description of the wire format.
TEST(WireWriter, bytes) {
  std::string out;
  WireWriter writer(out);
  writer.addVarint(1, 150);
  writer.addBytes(2, "testing");
  EXPECT_EQ(out, "\x08\x96\x01\x12\x07testing");
}

// What is written, the reader reads.
TEST(WireWriter, roundTrip) {
  std::string out;
  WireWriter writer(out);
  writer.addVarint(1, UINT64_MAX);
  writer.addFloat(2, -0.5f);
  writer.addDouble(300, 0.1);
  writer.addBytes(4, std::string(1000, 'x'));
  WireReader reader(std::as_bytes(std::span(out)));
  WireField field;
  int64_t number = 0;
  ASSERT_TRUE(reader.next(field));
  ASSERT_TRUE(read(field, number).isOk());
  EXPECT_EQ(number, -1);
  float small = 0;
  ASSERT_TRUE(reader.next(field));
  ASSERT_TRUE(read(field, small).isOk());
  EXPECT_EQ(small, -0.5f);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 300u);
  EXPECT_EQ(std::bit_cast<double>(field.value), 0.1);
  std::string_view text;
  ASSERT_TRUE(reader.next(field));
  ASSERT_TRUE(read(field, text).isOk());
  EXPECT_EQ(text, std::string(1000, 'x'));
  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.status().isOk());
}
