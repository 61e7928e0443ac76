//===- ErrorFunction.cpp - erf --------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace weir;

/// erf(x) / x as a polynomial of x^2 for |x| <= 0.921875.
static constexpr double smallSingle[] = {
    1.12837917,    -0.37612634,     0.112836994,  -0.0268595923,
    0.00520146687, -0.000814720209, 8.38759105e-5};
/// log(erfc(x)) for x from 0.921875 to 4.
static constexpr double largeSingle[] = {
    0.000320581639, -1.13023808,    -0.631813884,   -0.110094942, 0.0264312121,
    -0.00476362303, 0.000597749843, -4.61782761e-5, 1.64357092e-6};
/// erf(x) / x as a polynomial of x^2 for |x| <= 1.
static constexpr double smallDouble[] = {
    1.1283791670955126,     -0.37612638903183752,   0.11283791670955126,
    -0.026866170645131219,  0.005223977625441674,   -0.00085483270234030006,
    0.00012055332978879484, -1.4925650236967502e-5, 1.6462110782018636e-6,
    -1.6365768648832072e-7, 1.4806027146128752e-8,  -1.2277734486795524e-9,
    9.3237235181530266e-11, -6.1967364287877e-12,   2.8067128195611262e-13};
/// erfc(x) * exp(x^2) as a polynomial of (x - 2) / (x + 2) for x from 1 to 6.
static constexpr double largeDouble[] = {
    0.25539567631050574,     -0.42718584741395849,    0.24165819424246585,
    -0.078978581015706104,   0.0037328924043978338,   0.0069974617369715787,
    -0.00084714325299195005, -0.00098197694110386427, 4.3555586865754816e-5,
    0.00017435947400205158,  2.7527175557227247e-5,   -2.7562209161129353e-5,
    -1.3998283772784977e-5,  1.3058577122278016e-6,   4.0117496473250669e-6,
    1.272567661840228e-6,    -1.1352571477273626e-6};

static Real erfSingle(Real x) {
  Real size = abs(x);
  Real small = x * polynomial(x * x, smallSingle);
  Real bounded = clamp(size, 0, 4);
  Real large = 1 - functions::exp(polynomial(bounded, largeSingle));
  return select(size < 0.921875, small, copySign(large, x));
}

static Real erfDouble(Real x) {
  Real size = abs(x);
  Real small = x * polynomial(x * x, smallDouble);
  Real bounded = clamp(size, 1, 6);
  Real place = (bounded - 2) / (bounded + 2);
  Real large =
      1 - functions::exp(-(bounded * bounded)) * polynomial(place, largeDouble);
  return select(size < 1, small, copySign(large, x));
}

Real functions::erf(Real x) {
  return keepNaN(x, x.isDouble() ? erfDouble(x) : erfSingle(x));
}
