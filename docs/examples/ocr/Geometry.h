//===- Geometry.h - Points, rectangles and projections -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Coordinates are those of pictures: x grows to the right and y downwards. The
// centre of a pixel has integer coordinates.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_GEOMETRY_H
#define OCR_GEOMETRY_H

#include <array>
#include <span>
#include <vector>

namespace ocr {

struct Point {
  double x = 0, y = 0;
};

double distance(Point a, Point b);

/// Four corners: top left, top right, bottom right, bottom left.
using Quad = std::array<Point, 4>;

/// `corners`, in any order, as a Quad. Of the two on the left, the upper one is
/// the first; of the two on the right, the upper one is the second.
Quad inReadingOrder(Quad corners);

/// Whether the convex `quad` contains `point`. Points on its sides count.
bool contains(const Quad &quad, Point point);

/// The corners of the convex hull of `points` in order, without those on a
/// straight side.
std::vector<Point> convexHull(std::vector<Point> points);

/// A rectangle with any orientation.
struct Rectangle {
  Point centre;
  /// The direction of `width`, a vector of length 1. `height` is perpendicular
  /// to it.
  Point axis{1, 0};
  double width = 0, height = 0;

  Quad corners() const;
  /// The rectangle with every side moved outwards by `margin`.
  Rectangle grown(double margin) const;
};

/// The rectangle with the smallest area that contains a convex polygon. One of
/// its sides contains a side of the polygon (Freeman and Shapira, 1975).
Rectangle minAreaRectangle(std::span<const Point> hull);

/// The perspective projection of the rectangle from (0, 0) to (width, height)
/// onto a convex quad, corner to corner.
class Projection {
public:
  Projection(double width, double height, const Quad &quad);
  Point operator()(double x, double y) const;

private:
  double width, height;
  /// x is (xu u + xv v + x0) / (wu u + wv v + 1) for u and v from 0 to 1; y
  /// likewise.
  double xu, xv, x0, yu, yv, y0, wu, wv;
};

} // namespace ocr

#endif // OCR_GEOMETRY_H
