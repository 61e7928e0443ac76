//===- DamagedDataTest.cpp - Damaged files of every format ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A damaged file is refused by an error that names it, or it is read: then each
// row that the dataset has gives an example or an error. AddressSanitizer,
// under which this runs too, finds what else might happen.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "../Support/Damage.h"
#include "../Support/Trials.h"

#include "TestPaths.h"
#include "weir/Data/DataText.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace weir;

namespace {
class DamagedDataTest : public FolderTest,
                        public testing::WithParamInterface<const char *> {};

std::vector<std::byte> contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Reads all rows of `data`. Whether all of them could be read.
bool readRows(const Dataset &data, std::string_view path) {
  bool areRead = true;
  for (int64_t i = 0; i < data.size(); ++i)
    for (size_t column = 0; column < data.columns().size(); ++column) {
      const auto example = data.read(column, i);
      areRead &= example.isOk();
      if (!example) {
        EXPECT_NE(example.status().message().find(path), std::string::npos)
            << example.status().message();
      }
    }
  return areRead;
}
} // namespace

TEST_P(DamagedDataTest, IsReadOrRefused) {
  const std::string name = GetParam();
  const bool isImage = name.find("images/") != name.npos;
  const std::vector<std::byte> whole =
      contents(isImage ? std::string(paths::images) + "/" + name : input(name));
  ASSERT_FALSE(whole.empty());
  const std::string file =
      isImage ? "ant/image" + name.substr(name.rfind('.')) : "file";
  int readable = 0;
  const int trials = countTrials(1000);
  for (int seed = 0; seed < trials; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<std::byte> bytes = damage(whole, seed);
    const std::string path = write(
        file, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    const std::string text = isImage ? folder + ":size=8x8:channels=3" : path;
    const auto data = parseDataset(text);
    if (!data) {
      // Columns that do not fit together are named instead.
      const std::string_view message = data.status().message();
      EXPECT_TRUE(message.find(path) != message.npos ||
                  message.find("column '") != message.npos)
          << message;
      continue;
    }
    // A damaged shape may have many rows of no elements.
    if (data->size() < 100000)
      readable += readRows(*data, path);
  }
  // What is behind the end of an image is not read.
  EXPECT_LT(readable, trials * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, DamagedDataTest,
    testing::Values("plain.npy", "fortran.npy", "stored.npz", "deflated.npz",
                    "wide.npz", "array-i2-idx3", "digits-idx3.gz", "trees.csv",
                    "numbers.csv", "images/ant/rgb.png",
                    "images/ant/palette.png", "images/ant/sixteen.png",
                    "images/bee/rgb.jpg", "images/bee/progressive.JPEG"),
    [](const auto &info) {
      std::string name = info.param;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
          '_');
      return name;
    });
