//===- ImageTest.cpp - PNG files of the OCR example -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "../Support/Damage.h"
#include "TestPaths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace ocr;
using testing::HasSubstr;

namespace {
std::string temporary(const std::string &name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expectRefused(const std::string &bytes, const std::string &message) {
  std::string path = temporary("ocr-damaged.png");
  std::ofstream(path, std::ios::binary) << bytes;
  auto image = readPng(path);
  ASSERT_FALSE(image.isOk());
  EXPECT_THAT(std::string(image.status().message()), HasSubstr(message));
}
} // namespace

TEST(PngTest, readsWhatItWrote) {
  Image image(3, 2);
  for (size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = {uint8_t(i), uint8_t(40 * i), uint8_t(255 - i)};
  std::string path = temporary("ocr-written.png");
  auto written = writePng(path, image);
  ASSERT_TRUE(written.isOk()) << written.message();
  auto read = readPng(path);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->width, 3);
  EXPECT_EQ(read->pixels, image.pixels);
}

// The colours of known pixels, as another reader gives them: the ink of the
// title's first letter, and paper.
TEST(PngTest, readsStoredPicture) {
  auto read = readPng(weir::paths::picture);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->width, 640);
  EXPECT_EQ(read->height, 480);
  EXPECT_EQ(read->at(40, 30), (Colour{60, 44, 40}));
  EXPECT_EQ(read->at(5, 5), (Colour{220, 230, 234}));
}

TEST(PngTest, refusesOthers) {
  EXPECT_FALSE(readPng(temporary("ocr-no-such.png")).isOk());
  expectRefused("", "expected a whole PNG picture");
  expectRefused("GIF89a, or anything else", "expected a whole PNG picture");
  std::string whole = contents(weir::paths::picture);
  expectRefused(whole.substr(0, whole.size() / 2),
                "expected a whole PNG picture");
}

// The header claims a size that no memory holds; its checksum is right.
TEST(PngTest, refusesHugeSize) {
  const char header[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x07\xa1 "
                        "\0\x07\xa1 \x08\x02\0\0\0Sj\xb0g\0\0\0\x0aIDAT";
  expectRefused(std::string(header, sizeof(header) - 1),
                "500000x500000 pixels, more than 100000000");
}

// A damaged file is refused with its name; what is behind the end is no damage.
TEST(PngTest, survivesDamages) {
  std::string path = temporary("ocr-damaged.png");
  Image image(40, 30);
  for (size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = {uint8_t(i), uint8_t(i / 7), uint8_t(i * i)};
  ASSERT_TRUE(writePng(path, image).isOk());
  const std::string whole = contents(path);
  auto bytes = std::as_bytes(std::span(whole));
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    auto damaged = weir::damage({bytes.begin(), bytes.end()}, seed);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(damaged.data()),
               static_cast<std::streamsize>(damaged.size()));
    auto read = readPng(path);
    bool isWhole = damaged.size() >= whole.size() &&
                   std::equal(bytes.begin(), bytes.end(), damaged.begin());
    if (isWhole) {
      ASSERT_TRUE(read.isOk()) << read.status().message();
      EXPECT_EQ(read->pixels, image.pixels);
    } else if (read.isOk()) {
      EXPECT_EQ(read->pixels.size(), size_t(read->width * read->height));
    } else {
      EXPECT_THAT(std::string(read.status().message()), HasSubstr(path));
    }
  }
}

// A side two pixels wide, whatever lies outside is left out.
TEST(DrawQuadTest, drawsSides) {
  Image image(20, 10);
  drawQuad(image, Quad{{{2, 2}, {12, 2}, {12, 30}, {2, 30}}}, {1, 2, 3});
  const Colour drawn{1, 2, 3}, empty{0, 0, 0};
  EXPECT_EQ(image.at(2, 2), drawn);
  EXPECT_EQ(image.at(7, 3), drawn);
  EXPECT_EQ(image.at(13, 9), drawn);
  EXPECT_EQ(image.at(7, 5), empty);
  EXPECT_EQ(image.at(14, 2), empty);
}
