//===- BoxesTest.cpp - Boxes of the OCR example -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ocr;

namespace {
/// A map that is `low`, and `high` in rectangles.
class Map {
public:
  Map(int64_t width, int64_t height, float low = 0)
      : width(width), height(height), values(width * height, low) {}

  Map &fill(int64_t left, int64_t top, int64_t right, int64_t bottom,
            float high) {
    for (int64_t y = top; y <= bottom; ++y)
      for (int64_t x = left; x <= right; ++x)
        values[y * width + x] = high;
    return *this;
  }
  operator TextMap() const { return {width, height, values}; }

private:
  int64_t width, height;
  std::vector<float> values;
};

void expectBox(const Quad &found, double left, double top, double right,
               double bottom) {
  const Quad expected{
      {{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].x, expected[i].x) << i;
    EXPECT_EQ(found[i].y, expected[i].y) << i;
  }
}
} // namespace

// A pixel marks those to its right and below; patches meet at corners.
TEST(BoxesTest, findsPatches) {
  Map map(20, 10);
  map.fill(2, 2, 4, 3, 0.9f).fill(6, 5, 8, 6, 0.9f).fill(15, 1, 15, 1, 0.9f);
  auto patches = findPatches(map);
  ASSERT_EQ(patches.size(), 2u);
  EXPECT_EQ(patches[0].size(), 2u * 2);
  EXPECT_EQ(patches[1].size(), 2u * (4 * 3));
}

// What is at the threshold is no text; the border of the map ends a patch.
TEST(BoxesTest, marksAboveThreshold) {
  EXPECT_TRUE(findPatches(Map(5, 5, 0.3f)).empty());
  auto patches = findPatches(Map(5, 5).fill(4, 4, 4, 4, 0.31f));
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].size(), 1u);
}

// An upright box counts whole pixels, sides included; a turned one half of
// those of the square around it.
TEST(BoxesTest, averagesInside) {
  Map map(30, 30, 0.25f);
  map.fill(10, 10, 19, 19, 0.75f);
  EXPECT_DOUBLE_EQ(
      meanInside(map, Quad{{{10, 10}, {19, 10}, {19, 19}, {10, 19}}}), 0.75);
  EXPECT_DOUBLE_EQ(
      meanInside(map, Quad{{{0, 10}, {19, 10}, {19, 19}, {0, 19}}}), 0.5);
  // Corners out of the map change nothing.
  EXPECT_DOUBLE_EQ(
      meanInside(map, Quad{{{-9, -9}, {40, -9}, {40, 40}, {-9, 40}}}),
      (900 * 0.25 + 100 * 0.5) / 900);
  // A diamond of 5 pixels each way covers 61: 1, 3, 5, 7, 9, 11, 9, ...
  EXPECT_DOUBLE_EQ(meanInside(Map(30, 30).fill(14, 14, 14, 14, 1),
                              Quad{{{14, 9}, {19, 14}, {14, 19}, {9, 14}}}),
                   1.0 / 61);
}

// Area times 1.6 over perimeter.
TEST(BoxesTest, outsetFollowsAreaAndPerimeter) {
  EXPECT_DOUBLE_EQ(outset({{0, 0}, {1, 0}, 60, 20}), 60 * 20 * 1.6 / 160);
  EXPECT_EQ(outset({}), 0);
}

// The core spans 62 by 21 pixel steps, so the box lies 12.55 further out.
TEST(BoxesTest, findsBoxInPictureOfSameSize) {
  Map map(200, 100);
  map.fill(50, 40, 111, 60, 0.95f);
  auto boxes = findBoxes(map, 200, 100);
  ASSERT_EQ(boxes.size(), 1u);
  const double margin = 62 * 21 * 1.6 / (2 * (62 + 21));
  expectBox(boxes[0], std::nearbyint(50 - margin), std::nearbyint(40 - margin),
            std::nearbyint(112 + margin), std::nearbyint(61 + margin));
}

TEST(BoxesTest, scalesBoxToPicture) {
  Map map(200, 100);
  map.fill(50, 40, 111, 60, 0.95f);
  auto boxes = findBoxes(map, 100, 200);
  ASSERT_EQ(boxes.size(), 1u);
  const double margin = 62 * 21 * 1.6 / (2 * (62 + 21));
  expectBox(boxes[0], std::nearbyint((50 - margin) / 2),
            std::nearbyint((40 - margin) * 2),
            std::nearbyint((112 + margin) / 2),
            std::nearbyint((61 + margin) * 2));
}

// A box ends where the picture does.
TEST(BoxesTest, staysInPicture) {
  auto boxes = findBoxes(Map(120, 60).fill(0, 0, 118, 58, 0.9f), 120, 60);
  ASSERT_EQ(boxes.size(), 1u);
  expectBox(boxes[0], 0, 0, 119, 59);
}

// What is too small, or text only at its seams, is none.
TEST(BoxesTest, leavesOutSpecksAndFaintPatches) {
  Map map(200, 100);
  map.fill(10, 10, 11, 60, 0.95f);
  map.fill(50, 40, 111, 60, 0.4f);
  EXPECT_TRUE(findBoxes(map, 200, 100).empty());
}

// Two of one line, though the right one begins higher, then what is below.
TEST(BoxesTest, sortsForReading) {
  auto box = [](double x, double y) {
    return Quad{{{x, y}, {x + 50, y}, {x + 50, y + 20}, {x, y + 20}}};
  };
  std::vector<Quad> boxes{box(10, 100), box(200, 41), box(120, 47), box(10, 49),
                          box(10, 12)};
  sortForReading(boxes);
  const std::vector<std::pair<double, double>> expected{
      {10, 12}, {10, 49}, {120, 47}, {200, 41}, {10, 100}};
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_EQ(boxes[i][0].x, expected[i].first) << i;
    EXPECT_EQ(boxes[i][0].y, expected[i].second) << i;
  }
}
