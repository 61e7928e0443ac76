//===- CurveSeries.cpp - The values of a run, in little memory ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CurveSeries.h"

#include <algorithm>
#include <cmath>

using namespace weir;

void CurveSeries::Group::add(const Group &other) {
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
  if (open.count < groupSize)
    return;
  if (points.size() == capacity)
    mergePairs();
  // After a merge, a point needs twice as many values.
  if (open.count < groupSize)
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
  groupSize *= 2;
}

std::vector<CurvePoint> CurveSeries::curve() const {
  std::vector<Group> groups = points;
  if (open.count > 0)
    groups.push_back(open);
  std::vector<CurvePoint> curve;
  curve.reserve(groups.size());
  for (const Group &group : groups)
    curve.push_back({(static_cast<double>(group.firstStep) +
                      static_cast<double>(group.lastStep)) /
                         2,
                     group.sum / static_cast<double>(group.count), group.least,
                     group.most});
  return curve;
}

/// The numbers of a group, and those of a series that come before its groups.
static constexpr size_t numbersOfGroup = 6, numbersInFront = 2;

std::vector<double> CurveSeries::state() const {
  std::vector<double> numbers = {static_cast<double>(groupSize),
                                 static_cast<double>(notFinite)};
  const auto add = [&](const Group &group) {
    for (const int64_t count : {group.firstStep, group.lastStep, group.count})
      numbers.push_back(static_cast<double>(count));
    numbers.insert(numbers.end(), {group.sum, group.least, group.most});
  };
  add(open);
  for (const Group &point : points)
    add(point);
  return numbers;
}

/// A count, whatever a file says.
static int64_t toCount(double number) {
  constexpr double most = 0x1p53;
  return static_cast<int64_t>(std::clamp(number, -most, most));
}

bool CurveSeries::setState(std::span<const double> numbers) {
  const auto isNumber = [](double number) { return std::isfinite(number); };
  if (numbers.size() < numbersInFront + numbersOfGroup ||
      (numbers.size() - numbersInFront) % numbersOfGroup != 0 ||
      numbers.size() > numbersInFront + (capacity + 1) * numbersOfGroup ||
      !std::ranges::all_of(numbers, isNumber) || numbers[0] < 1)
    return false;
  std::vector<Group> groups;
  for (size_t at = numbersInFront; at < numbers.size(); at += numbersOfGroup) {
    const auto part = numbers.subspan(at, numbersOfGroup);
    groups.push_back({toCount(part[0]), toCount(part[1]), toCount(part[2]),
                      part[3], part[4], part[5]});
  }
  groupSize = toCount(numbers[0]);
  notFinite = toCount(numbers[1]);
  open = groups.front();
  points.assign(groups.begin() + 1, groups.end());
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

/// Adds to the series of `name`, if there is one.
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
