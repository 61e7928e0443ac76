//===- Handlers.cpp - Which ONNX ops Weir knows -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Support/NearNames.h"

using namespace weir;
using namespace weir::onnx;

/// All rows, sorted by op type.
static const std::multimap<std::string_view, HandlerRow> &getRows() {
  static const auto rows = [] {
    std::multimap<std::string_view, HandlerRow> all;
    for (HandlerRows family :
         {attentionRows(), contractionRows(), convolutionRows(),
          elementwiseRows(), fourierRows(), generatorRows(), indexingRows(),
          knownValueRows(), normalizationRows(), paddingRows(), poolingRows(),
          quantizationRows(), randomRows(), recurrentRows(), reductionRows(),
          samplingRows(), sequenceRows(), shapeRows()})
      for (const HandlerRow &row : family)
        all.emplace(row.opType, row);
    return all;
  }();
  return rows;
}

Handler onnx::findHandler(std::string_view opType, int64_t opset) {
  auto [first, last] = getRows().equal_range(opType);
  for (auto row = first; row != last; ++row)
    if (opset >= row->second.since && opset <= row->second.until)
      return row->second.handler;
  return nullptr;
}

bool onnx::isStandard(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

bool onnx::hasHandler(std::string_view opType) {
  return getRows().contains(opType);
}

std::string_view onnx::repairUnsupported(std::string_view domain) {
  if (isStandard(domain))
    return "replace ops that Weir does not have by others, or leave them to "
           "the program that runs the model";
  if (domain.starts_with("com.microsoft") || domain.starts_with("com.ms."))
    return "ops of com.microsoft come from the optimiser of ONNX Runtime; give "
           "the model as it was before";
  return "ops of other domains are imported where the model defines them as "
         "functions; export it so, or without custom ops";
}

/// Suggests an op that differs from `opType` only in upper and lower case. For
/// a long `opType`, also suggests an op that differs by one typing error. More
/// differences would lead to unrelated ops: a user who writes MaxRoiPool does
/// not mean MaxPool.
static std::string offerOp(std::string_view opType,
                           llvm::ArrayRef<std::string> opsWithBodies) {
  constexpr size_t fewLetters = 5;
  std::vector<std::string> names(opsWithBodies);
  for (const auto &[name, row] : getRows())
    names.emplace_back(name);
  const std::string_view meant =
      findSlip(opType, names, opType.size() < fewLetters ? 0 : 1);
  return meant.empty() ? std::string()
                       : fmt::format("; did you mean '{}'?", meant);
}

std::string onnx::describeSupport(std::string_view opType,
                                  llvm::ArrayRef<std::string> opsWithBodies) {
  auto [first, last] = getRows().equal_range(opType);
  if (first == last)
    return fmt::format("Weir has no {}{}", opType,
                       offerOp(opType, opsWithBodies));
  int64_t since = first->second.since, until = first->second.until;
  for (auto row = first; row != last; ++row) {
    since = std::min(since, row->second.since);
    until = std::max(until, row->second.until);
  }
  if (until > newestOpset)
    return fmt::format("{0} is supported from opset {1} on; export the model "
                       "with opset {1} or newer",
                       opType, since);
  return fmt::format("{} is supported in opsets {} to {}; export the model "
                     "with one of them",
                     opType, since, until);
}
