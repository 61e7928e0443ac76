//===- CurveSeries.cpp - The values of a run, in little memory ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CurveSeries.h"

#include <algorithm>
#include <cmath>

using namespace weir;

void CurveSeries::Bin::add(const Bin &other) {
  if (count == 0) {
    *this = other;
    return;
  }
  lastStep = other.lastStep;
  count += other.count;
  sum += other.sum;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

void CurveSeries::add(int64_t step, double value) {
  // Sums and differences of larger values may not be finite.
  constexpr double most = 1e280;
  if (!(std::abs(value) <= most)) {
    ++notFinite;
    return;
  }
  open.add({step, step, 1, value, value, value});
  if (open.count < binSize)
    return;
  if (points.size() == capacity)
    mergePairs();
  // After a merge, a point needs twice as many values.
  if (open.count < binSize)
    return;
  points.push_back(open);
  open = {};
}

void CurveSeries::mergePairs() {
  for (size_t i = 0; i < capacity / 2; ++i) {
    points[i] = points[2 * i];
    points[i].add(points[2 * i + 1]);
  }
  points.resize(capacity / 2);
  binSize *= 2;
}

std::vector<CurvePoint> CurveSeries::curve() const {
  std::vector<Bin> bins = points;
  if (open.count > 0)
    bins.push_back(open);
  std::vector<CurvePoint> curve;
  curve.reserve(bins.size());
  for (const Bin &bin : bins)
    curve.push_back({(static_cast<double>(bin.firstStep) +
                      static_cast<double>(bin.lastStep)) /
                         2,
                     bin.sum / static_cast<double>(bin.count), bin.least,
                     bin.most});
  return curve;
}

/// How many numbers describe a bin, and how many numbers of a series come
/// before its bins.
static constexpr size_t numbersOfBin = 6, numbersInFront = 2;

std::vector<double> CurveSeries::state() const {
  std::vector<double> numbers = {static_cast<double>(binSize),
                                 static_cast<double>(notFinite)};
  const auto add = [&](const Bin &bin) {
    for (const int64_t count : {bin.firstStep, bin.lastStep, bin.count})
      numbers.push_back(static_cast<double>(count));
    numbers.insert(numbers.end(), {bin.sum, bin.least, bin.most});
  };
  add(open);
  for (const Bin &point : points)
    add(point);
  return numbers;
}

/// `number` as a count, even if a damaged file has a number that is no count.
static int64_t toCount(double number) {
  constexpr double most = 0x1p53;
  return static_cast<int64_t>(std::clamp(number, -most, most));
}

bool CurveSeries::setState(std::span<const double> numbers) {
  const auto isNumber = [](double number) { return std::isfinite(number); };
  if (numbers.size() < numbersInFront + numbersOfBin ||
      (numbers.size() - numbersInFront) % numbersOfBin != 0 ||
      numbers.size() > numbersInFront + (capacity + 1) * numbersOfBin ||
      !std::ranges::all_of(numbers, isNumber) || numbers[0] < 1)
    return false;
  std::vector<Bin> bins;
  for (size_t at = numbersInFront; at < numbers.size(); at += numbersOfBin) {
    const auto part = numbers.subspan(at, numbersOfBin);
    bins.push_back({toCount(part[0]), toCount(part[1]), toCount(part[2]),
                    part[3], part[4], part[5]});
  }
  binSize = toCount(numbers[0]);
  notFinite = toCount(numbers[1]);
  open = bins.front();
  points.assign(bins.begin() + 1, bins.end());
  return true;
}

RunCurves::RunCurves(const ReportedRun &run)
    : validationNames(run.validationValues), series(run.values.size()),
      validationSeries(run.validationValues.size()) {
  for (const ReportedValue &value : run.values)
    names.push_back(value.name);
}

void RunCurves::addStep(int64_t step, std::span<const double> values) {
  for (size_t i = 0; i < values.size(); ++i)
    series[i].add(step, values[i]);
}

void RunCurves::addValidation(int64_t step, std::span<const double> values) {
  for (size_t i = 0; i < values.size(); ++i)
    validationSeries[i].add(step, values[i]);
}

/// Adds `value` to the series called `name`, if there is such a series.
static void addNamed(const std::vector<std::string> &names,
                     std::vector<CurveSeries> &series, std::string_view name,
                     int64_t step, double value) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      series[i].add(step, value);
}

void RunCurves::addStep(int64_t step, std::string_view name, double value) {
  addNamed(names, series, name, step, value);
}

void RunCurves::addValidation(int64_t step, std::string_view name,
                              double value) {
  addNamed(validationNames, validationSeries, name, step, value);
}

std::vector<Curve> RunCurves::curves() const {
  std::vector<Curve> list;
  for (size_t i = 0; i < names.size(); ++i)
    list.push_back({names[i], series[i].curve(), {}, series[i].numNotFinite()});
  for (size_t i = 0; i < validationNames.size(); ++i) {
    const std::string &name = validationNames[i];
    auto known =
        std::find_if(list.begin(), list.end(),
                     [&](const Curve &curve) { return curve.name == name; });
    if (known == list.end())
      known = list.insert(known, Curve{name, {}, {}, 0});
    known->validation = validationSeries[i].curve();
    known->numNotFinite += validationSeries[i].numNotFinite();
  }
  std::erase_if(list, [](const Curve &curve) {
    return curve.train.empty() && curve.validation.empty();
  });
  return list;
}
