//===- Geometry.cpp - Points, rectangles and projections -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Geometry.h"

#include <algorithm>
#include <cmath>

using namespace ocr;

static Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
static double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
static double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

double ocr::distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

Quad ocr::inReadingOrder(Quad corners) {
  std::ranges::stable_sort(corners, {}, &Point::x);
  auto [upperLeft, lowerLeft] = std::minmax(
      corners[0], corners[1], [](Point a, Point b) { return a.y < b.y; });
  auto [upperRight, lowerRight] = std::minmax(
      corners[2], corners[3], [](Point a, Point b) { return a.y < b.y; });
  return {upperLeft, upperRight, lowerRight, lowerLeft};
}

bool ocr::contains(const Quad &quad, Point point) {
  bool isLeft = true, isRight = true;
  for (size_t i = 0; i < 4; ++i) {
    double side = cross(quad[(i + 1) % 4] - quad[i], point - quad[i]);
    isLeft &= side <= 0;
    isRight &= side >= 0;
  }
  return isLeft || isRight;
}

/// Andrew's monotone chain: the points from left to right give one half of the
/// hull, and those from right to left the other half.
std::vector<Point> ocr::convexHull(std::vector<Point> points) {
  auto isBefore = [](Point a, Point b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
  };
  auto isSame = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
  std::ranges::sort(points, isBefore);
  points.erase(std::unique(points.begin(), points.end(), isSame), points.end());
  if (points.size() < 3)
    return points;

  std::vector<Point> hull;
  auto addHalf = [&](auto first, auto last) {
    size_t start = hull.size();
    for (; first != last; ++first) {
      while (hull.size() >= start + 2 &&
             cross(hull.back() - hull[hull.size() - 2],
                   *first - hull[hull.size() - 2]) <= 0)
        hull.pop_back();
      hull.push_back(*first);
    }
    // The last point is the first point of the other half.
    hull.pop_back();
  };
  addHalf(points.begin(), points.end());
  addHalf(points.rbegin(), points.rend());
  return hull;
}

Quad Rectangle::corners() const {
  Point along{axis.x * width / 2, axis.y * width / 2};
  Point across{-axis.y * height / 2, axis.x * height / 2};
  auto corner = [&](double a, double b) {
    return Point{centre.x + a * along.x + b * across.x,
                 centre.y + a * along.y + b * across.y};
  };
  return {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)};
}

Rectangle Rectangle::grown(double margin) const {
  return {centre, axis, width + 2 * margin, height + 2 * margin};
}

/// The rectangle around `hull` whose sides have the direction `axis`.
static Rectangle rectangleAlong(std::span<const Point> hull, Point axis) {
  Point normal{-axis.y, axis.x};
  double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;
  for (Point point : hull) {
    double along = dot(point, axis), across = dot(point, normal);
    left = std::min(left, along), right = std::max(right, along);
    top = std::min(top, across), bottom = std::max(bottom, across);
  }
  double along = (left + right) / 2, across = (top + bottom) / 2;
  return {
      {along * axis.x + across * normal.x, along * axis.y + across * normal.y},
      axis,
      right - left,
      bottom - top};
}

Rectangle ocr::minAreaRectangle(std::span<const Point> hull) {
  if (hull.empty())
    return {};
  // A single point has no side, but it has a rectangle of size zero.
  Rectangle best = rectangleAlong(hull, {1, 0});
  bool isFirst = true;
  for (size_t i = 0; i < hull.size(); ++i) {
    Point side = hull[(i + 1) % hull.size()] - hull[i];
    double length = std::hypot(side.x, side.y);
    if (length == 0)
      continue;
    Rectangle candidate =
        rectangleAlong(hull, {side.x / length, side.y / length});
    if (isFirst ||
        candidate.width * candidate.height < best.width * best.height)
      best = candidate;
    isFirst = false;
  }
  return best;
}

/// Heckbert, 1989: the projection of the unit square onto a quad.
Projection::Projection(double width, double height, const Quad &quad)
    : width(width), height(height), wu(0), wv(0) {
  auto [a, b, c, d] = quad;
  Point right = b - c, below = d - c;
  // Zero for a parallelogram, for which a linear map is enough.
  Point bend = (a - b) - (d - c);
  double area = cross(right, below);
  if (std::abs(area) > 1e-9) {
    wu = cross(bend, below) / area;
    wv = cross(right, bend) / area;
  }
  xu = b.x - a.x + wu * b.x, xv = d.x - a.x + wv * d.x, x0 = a.x;
  yu = b.y - a.y + wu * b.y, yv = d.y - a.y + wv * d.y, y0 = a.y;
}

Point Projection::operator()(double x, double y) const {
  double u = x / width, v = y / height;
  // Positive everywhere on a convex quad. The limit avoids a division by zero
  // for other quads.
  double w = std::max(wu * u + wv * v + 1, 1e-6);
  return {(xu * u + xv * v + x0) / w, (yu * u + yv * v + y0) / w};
}
