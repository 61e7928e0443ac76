//===- Summary.cpp - The ops of a graph as a table --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Report.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Support/Counted.h"
#include "weir/Support/Printable.h"
#include "weir/Support/ShapeLimits.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether `value` has numbers that are learned. These are parameters, and
/// float constants with dims. Other constants are numbers in formulas.
static bool isLearned(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto type = cast<RankedTensorType>(constant.getType());
    return isa<FloatType>(type.getElementType()) && type.getRank() > 0;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto entry = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return entry && entry.getArgAttr(argument.getArgNumber(), attrs::parameter);
}

namespace {
/// Reports the ops of all entries. Parameters are counted by name, because each
/// entry that reads a parameter has its own argument for it.
class OpLister {
public:
  OpReport list(WeirOpInterface op, const std::string &prefix);

private:
  int64_t countParameters(WeirOpInterface op);

  CostTable costs;
  llvm::DenseSet<const void *> counted;
};
} // namespace

int64_t OpLister::countParameters(WeirOpInterface op) {
  int64_t count = 0;
  for (Value operand : op->getOperands()) {
    if (!isLearned(operand))
      continue;
    const void *identity = operand.getAsOpaquePointer();
    if (auto argument = dyn_cast<BlockArgument>(operand))
      identity = cast<func::FuncOp>(argument.getOwner()->getParentOp())
                     .getArgAttr(argument.getArgNumber(), attrs::parameter)
                     .getAsOpaquePointer();
    if (counted.insert(identity).second)
      count = saturatingAdd(count, getTensorType(operand).getNumElements());
  }
  return count;
}

OpReport OpLister::list(WeirOpInterface op, const std::string &prefix) {
  OpReport report;
  report.name = prefix + getOpName(op).str();
  report.op = op->getName().stripDialect().str();
  for (Value result : op->getResults()) {
    const TensorDesc desc = toTensorDesc(getTensorType(result));
    report.results.push_back(desc.toString());
    report.bytes =
        saturatingAdd(report.bytes, static_cast<int64_t>(desc.spanBytes()));
  }
  report.parameters = countParameters(op);
  report.flops = costs.get(op).flops;
  return report;
}

void weir::reportOps(ModuleOp module, CompileReport &report) {
  OpLister lister;
  for (auto entry : module.getOps<func::FuncOp>()) {
    const std::string prefix = getReportPrefix(entry);
    entry.walk([&](WeirOpInterface op) {
      if (!isa<ConstantOp>(op))
        report.ops.push_back(lister.list(op, prefix));
    });
  }
}

//===----------------------------------------------------------------------===//
// Text and JSON
//===----------------------------------------------------------------------===//

/// The sums over all ops.
static OpReport sumUp(const CompileReport &report) {
  OpReport sum;
  sum.name = "total";
  sum.op = counted(report.ops.size(), "op");
  for (const OpReport &op : report.ops) {
    sum.parameters = saturatingAdd(sum.parameters, op.parameters);
    sum.flops = saturatingAdd(sum.flops, op.flops);
    sum.bytes = saturatingAdd(sum.bytes, op.bytes);
  }
  return sum;
}

using SummaryRow = std::array<std::string, 6>;

static SummaryRow makeRow(const OpReport &op) {
  return {printable(op.name),
          op.op,
          fmt::format("{}", fmt::join(op.results, ", ")),
          std::to_string(op.parameters),
          std::to_string(op.flops),
          std::to_string(op.bytes)};
}

std::string weir::summaryText(const CompileReport &report) {
  std::vector<SummaryRow> rows = {
      {"name", "op", "result", "parameters", "flops", "bytes"}};
  for (const OpReport &op : report.ops)
    rows.push_back(makeRow(op));
  rows.push_back(makeRow(sumUp(report)));
  std::array<size_t, 6> widths = {};
  for (const SummaryRow &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const SummaryRow &row : rows)
    text +=
        fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}\n", row[0],
                    widths[0], row[1], widths[1], row[2], widths[2], row[3],
                    widths[3], row[4], widths[4], row[5], widths[5]);
  return text;
}

std::string weir::summaryJson(const CompileReport &report) {
  llvm::json::Array ops;
  for (const OpReport &op : report.ops)
    ops.push_back(llvm::json::Object{{"name", op.name},
                                     {"op", op.op},
                                     {"results", op.results},
                                     {"parameters", op.parameters},
                                     {"flops", op.flops},
                                     {"bytes", op.bytes}});
  const OpReport sum = sumUp(report);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                    {"ops", std::move(ops)},
                                    {"parameters", sum.parameters},
                                    {"flops", sum.flops},
                                    {"bytes", sum.bytes}}))
      << '\n';
  return text;
}
