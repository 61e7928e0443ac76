//===- ResampleTest.cpp - Scaling and cutting of the OCR example ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Resample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace ocr;

namespace {
/// A picture whose channels are linear in the place.
Image slope(int64_t width, int64_t height) {
  Image image(width, height);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      image.at(x, y) = {static_cast<uint8_t>(4 * x),
                        static_cast<uint8_t>(4 * y),
                        static_cast<uint8_t>(2 * x + 2 * y)};
  return image;
}
} // namespace

TEST(ResizeTest, keepsSameSize) {
  Image image = slope(13, 7);
  EXPECT_EQ(resize(image, 13, 7).pixels, image.pixels);
}

// The middle of new pixel i lies at (i + 0.5) / 2 - 0.5; beyond the first and
// last middle the border goes on.
TEST(ResizeTest, doublesSlope) {
  Image doubled = resize(slope(10, 6), 20, 12);
  for (int64_t y = 0; y < 12; ++y)
    for (int64_t x = 0; x < 20; ++x) {
      double place = std::clamp((x + 0.5) / 2 - 0.5, 0.0, 9.0);
      EXPECT_EQ(doubled.at(x, y)[0], std::round(4 * place)) << x;
      place = std::clamp((y + 0.5) / 2 - 0.5, 0.0, 5.0);
      EXPECT_EQ(doubled.at(x, y)[1], std::round(4 * place)) << y;
    }
}

// Halving takes the mean of two by two pixels.
TEST(ResizeTest, halves) {
  Image image(4, 2);
  image.at(0, 0) = {0, 0, 0}, image.at(1, 0) = {100, 8, 0};
  image.at(0, 1) = {20, 0, 0}, image.at(1, 1) = {40, 0, 255};
  Image half = resize(image, 2, 1);
  EXPECT_EQ(half.at(0, 0), (Colour{40, 2, 64}));
}

// An upright quad at whole pixels is a copy.
TEST(CutOutTest, copiesUprightQuad) {
  Image image = slope(40, 30);
  Image cut = cutOut(image, Quad{{{5, 6}, {25, 6}, {25, 16}, {5, 16}}});
  ASSERT_EQ(cut.width, 20);
  ASSERT_EQ(cut.height, 10);
  for (int64_t y = 0; y < cut.height; ++y)
    for (int64_t x = 0; x < cut.width; ++x)
      EXPECT_EQ(cut.at(x, y), image.at(x + 5, y + 6));
}

// Between pixels a gentle slope is met to a twentieth of a pixel's step.
TEST(CutOutTest, keepsSlopeBetweenPixels) {
  Image cut =
      cutOut(slope(40, 30),
             Quad{{{5.5, 6.25}, {25.5, 6.25}, {25.5, 16.25}, {5.5, 16.25}}});
  for (int64_t y = 0; y < cut.height; ++y)
    for (int64_t x = 0; x < cut.width; ++x) {
      EXPECT_EQ(cut.at(x, y)[0], 4 * x + 22);
      EXPECT_EQ(cut.at(x, y)[1], 4 * y + 25);
    }
}

// Half between two pixels Keys' formula with a = -0.75 gives 19/32 to the
// nearer two and -3/32 to the next.
TEST(CutOutTest, weighsFourNeighbours) {
  Image image(9, 4);
  image.pixels.assign(image.pixels.size(), {50, 50, 50});
  for (int64_t y = 0; y < 4; ++y)
    image.at(4, y) = {210, 210, 210};
  Image cut = cutOut(image, Quad{{{0.5, 0}, {8.5, 0}, {8.5, 3}, {0.5, 3}}});
  const int expected[] = {50, 50, 35, 145, 145, 35, 50, 50};
  for (int64_t x = 0; x < cut.width; ++x)
    EXPECT_EQ(cut.at(x, 1)[0], expected[x]) << x;
}

// A quarter turned, columns become rows.
TEST(CutOutTest, followsTurnedQuad) {
  Image image = slope(40, 30);
  Image cut = cutOut(image, Quad{{{25, 6}, {25, 16}, {5, 16}, {5, 6}}});
  ASSERT_EQ(cut.width, 10);
  ASSERT_EQ(cut.height, 20);
  for (int64_t y = 0; y < cut.height; ++y)
    for (int64_t x = 0; x < cut.width; ++x)
      EXPECT_EQ(cut.at(x, y), image.at(25 - y, 6 + x));
}

// Beyond the border its pixels go on.
TEST(CutOutTest, extendsBorder) {
  Image image(5, 5);
  image.pixels.assign(25, {7, 8, 9});
  Image cut = cutOut(image, Quad{{{-9, -9}, {90, -9}, {90, 90}, {-9, 90}}});
  for (const Colour &pixel : cut.pixels)
    EXPECT_EQ(pixel, (Colour{7, 8, 9}));
}

TEST(TurnLeftTest, movesLastColumnToTop) {
  Image image = slope(3, 2);
  Image turned = turnLeft(image);
  ASSERT_EQ(turned.width, 2);
  ASSERT_EQ(turned.height, 3);
  EXPECT_EQ(turned.at(0, 0), image.at(2, 0));
  EXPECT_EQ(turned.at(1, 0), image.at(2, 1));
  EXPECT_EQ(turned.at(0, 2), image.at(0, 0));
}

// Planes of blue, green and red, from -1 to 1, then zeros.
TEST(WritePlanesTest, scalesAndPads) {
  Image image(2, 1);
  image.at(0, 0) = {0, 51, 255}, image.at(1, 0) = {255, 204, 0};
  std::vector<float> planes(9, 5.0f);
  writePlanes(image, 3, planes);
  const float expected[] = {-1, 1, 0, -0.6f, 0.6f, 0, 1, -1, 0};
  for (size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(planes[i], expected[i], 1e-6) << i;
}
