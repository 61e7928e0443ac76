//===- TextTest.cpp - Decoding of the OCR example -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace ocr;

namespace {
const Alphabet alphabet{"", "a", "é", " "};

/// A row of probabilities per class of `best`; the others share the rest.
std::vector<float> steps(std::span<const std::pair<size_t, float>> best) {
  std::vector<float> rows;
  for (auto [index, probability] : best) {
    std::vector<float> row(alphabet.size(), (1 - probability) / 3);
    row[index] = probability;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::string writeFile(const std::string &contents) {
  std::string path =
      (std::filesystem::path(testing::TempDir()) / "ocr-characters.txt");
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}
} // namespace

// A class that goes on counts once, one that comes back after nothing again.
TEST(TextTest, mergesRepeats) {
  const std::pair<size_t, float> best[] = {{0, 0.9f},   {1, 0.5f},  {1, 0.9f},
                                           {0, 0.9f},   {1, 0.75f}, {3, 1.0f},
                                           {2, 0.625f}, {2, 0.5f},  {0, 0.9f}};
  Reading reading = decode(steps(best), alphabet);
  EXPECT_EQ(reading.text, "aa é");
  EXPECT_FLOAT_EQ(float(reading.score), (0.5f + 0.75f + 1 + 0.625f) / 4);
}

TEST(TextTest, readsNothing) {
  const std::pair<size_t, float> best[] = {{0, 0.9f}, {0, 0.8f}};
  Reading reading = decode(steps(best), alphabet);
  EXPECT_EQ(reading.text, "");
  EXPECT_EQ(reading.score, 0);
  EXPECT_EQ(decode({}, alphabet).text, "");
}

// A line per character, with nothing before them and a space behind.
TEST(TextTest, readsAlphabet) {
  for (const char *contents : {"a\né\n", "a\né"}) {
    auto read = readAlphabet(writeFile(contents));
    ASSERT_TRUE(read.isOk()) << read.status().message();
    EXPECT_EQ(*read, alphabet);
  }
  EXPECT_FALSE(readAlphabet("/nowhere/characters.txt").isOk());
}
