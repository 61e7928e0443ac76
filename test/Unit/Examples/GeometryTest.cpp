//===- GeometryTest.cpp - Geometry of the OCR example -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Expected values are closed forms.
//
//===----------------------------------------------------------------------===//

#include "Geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

using namespace ocr;

namespace {
constexpr double tolerance = 1e-9;

void expectNear(Point found, Point expected) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
}

void expectNear(const Quad &found, const Quad &expected) {
  for (size_t i = 0; i < 4; ++i)
    expectNear(found[i], expected[i]);
}

Point turned(Point point, double angle) {
  return {point.x * std::cos(angle) - point.y * std::sin(angle),
          point.x * std::sin(angle) + point.y * std::cos(angle)};
}

double area(std::span<const Point> polygon) {
  double sum = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    sum += a.x * b.y - a.y * b.x;
  }
  return std::abs(sum) / 2;
}
} // namespace

//===----------------------------------------------------------------------===//
// Hulls
//===----------------------------------------------------------------------===//

// The hull of a full grid is its corners, whatever the order.
TEST(ConvexHullTest, keepsCornersOnly) {
  std::vector<Point> grid;
  for (int x = 6; x >= 0; --x)
    for (int y = 0; y < 4; ++y)
      grid.push_back({double(x), double(y)});
  std::vector<Point> hull = convexHull(grid);
  EXPECT_EQ(hull.size(), 4u);
  EXPECT_DOUBLE_EQ(area(hull), 6 * 3);
}

// All points of a circle are corners, and none inside it is.
TEST(ConvexHullTest, keepsCircle) {
  std::vector<Point> points{{0, 0}, {0.5, 0.2}, {-0.3, 0.1}};
  constexpr int count = 24;
  for (int i = 0; i < count; ++i)
    points.push_back(turned({1, 0}, 2 * std::numbers::pi * i / count));
  std::vector<Point> hull = convexHull(points);
  EXPECT_EQ(hull.size(), size_t(count));
  EXPECT_NEAR(area(hull), count / 2.0 * std::sin(2 * std::numbers::pi / count),
              tolerance);
}

TEST(ConvexHullTest, takesFewPoints) {
  EXPECT_TRUE(convexHull({}).empty());
  EXPECT_EQ(convexHull({{2, 3}, {2, 3}}).size(), 1u);
  EXPECT_EQ(convexHull({{2, 3}, {4, 5}, {3, 4}, {2, 3}}).size(), 2u);
}

//===----------------------------------------------------------------------===//
// Rectangles
//===----------------------------------------------------------------------===//

// A rectangle at any angle is its own smallest one.
TEST(RectangleTest, findsTurnedRectangle) {
  for (double angle : {0.0, 0.1, 0.7, 1.5, 3.0, -0.4}) {
    SCOPED_TRACE(angle);
    std::vector<Point> corners;
    for (Point corner : {Point{-20, -3}, {20, -3}, {20, 3}, {-20, 3}}) {
      Point place = turned(corner, angle);
      corners.push_back({place.x + 100, place.y + 50});
    }
    Rectangle found = minAreaRectangle(convexHull(corners));
    expectNear(found.centre, {100, 50});
    EXPECT_NEAR(std::max(found.width, found.height), 40, tolerance);
    EXPECT_NEAR(std::min(found.width, found.height), 6, tolerance);
    Quad box = found.corners();
    EXPECT_NEAR(area(box), 240, 1e-6);
  }
}

// The smallest rectangle around a triangle has twice its area.
TEST(RectangleTest, doublesTriangle) {
  std::vector<Point> triangle{{0, 0}, {9, 1}, {3, 5}};
  Rectangle found = minAreaRectangle(convexHull(triangle));
  EXPECT_NEAR(found.width * found.height, 2 * area(triangle), tolerance);
}

TEST(RectangleTest, takesPointsAndLines) {
  EXPECT_EQ(minAreaRectangle({}).width, 0);
  const std::vector<Point> point{{7, 8}};
  expectNear(minAreaRectangle(point).centre, {7, 8});
  const std::vector<Point> line{{0, 0}, {3, 4}};
  Rectangle found = minAreaRectangle(line);
  EXPECT_NEAR(found.width, 5, tolerance);
  EXPECT_NEAR(found.height, 0, tolerance);
}

// A margin moves each side by itself: the area gains perimeter times margin and
// a square in each corner.
TEST(RectangleTest, growsOnAllSides) {
  Rectangle small{{10, 20}, turned({1, 0}, 0.3), 8, 4};
  Rectangle large = small.grown(1.5);
  EXPECT_NEAR(area(large.corners()),
              area(small.corners()) + 24 * 1.5 + 4 * 1.5 * 1.5, tolerance);
  expectNear(large.centre, small.centre);
}

//===----------------------------------------------------------------------===//
// Quads
//===----------------------------------------------------------------------===//

TEST(QuadTest, ordersCorners) {
  const Quad expected{{{10, 11}, {50, 9}, {51, 20}, {11, 22}}};
  Quad corners = expected;
  for (int turn = 0; turn < 4; ++turn) {
    expectNear(inReadingOrder(corners), expected);
    std::rotate(corners.begin(), corners.begin() + 1, corners.end());
  }
  std::reverse(corners.begin(), corners.end());
  expectNear(inReadingOrder(corners), expected);
}

// The sides belong to a quad, whichever way round it goes.
TEST(QuadTest, containsItsSides) {
  Quad diamond{{{0, -2}, {2, 0}, {0, 2}, {-2, 0}}};
  for (int way = 0; way < 2; ++way) {
    EXPECT_TRUE(contains(diamond, {0, 0}));
    EXPECT_TRUE(contains(diamond, {1, 1}));
    EXPECT_FALSE(contains(diamond, {1.1, 1}));
    EXPECT_FALSE(contains(diamond, {-2, -2}));
    std::reverse(diamond.begin(), diamond.end());
  }
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

// Corners go to corners.
TEST(ProjectionTest, meetsCorners) {
  const Quad quad{{{10, 12}, {90, 5}, {84, 44}, {13, 31}}};
  Projection project(60, 20, quad);
  expectNear(project(0, 0), quad[0]);
  expectNear(project(60, 0), quad[1]);
  expectNear(project(60, 20), quad[2]);
  expectNear(project(0, 20), quad[3]);
}

// The diagonals of a rectangle cross in its middle, and so do their images.
TEST(ProjectionTest, keepsLinesStraight) {
  // From (0, 0) to (6, 4) and from (8, 0) to (2, 4): they meet at (4, 8/3).
  const Quad quad{{{0, 0}, {8, 0}, {6, 4}, {2, 4}}};
  Projection project(30, 10, quad);
  expectNear(project(15, 5), {4, 8.0 / 3});
}

// The middle of a parallelogram stays the middle.
TEST(ProjectionTest, isLinearOnParallelograms) {
  Projection project(4, 2, Quad{{{1, 1}, {9, 3}, {10, 7}, {2, 5}}});
  expectNear(project(2, 1), {5.5, 4});
  expectNear(project(1, 0), {3, 1.5});
}

// A quad without area still gives numbers.
TEST(ProjectionTest, survivesFlatQuads) {
  Projection project(4, 2, Quad{{{1, 1}, {5, 5}, {9, 9}, {3, 3}}});
  for (double x : {0.0, 2.0, 4.0})
    for (double y : {0.0, 1.0, 2.0}) {
      Point point = project(x, y);
      EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y));
    }
}
