//===- UpdateReport.cpp - Reports how variables are updated ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "UpdateReport.h"

#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/Recompute.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Support/Counted.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

void weir::reportUpdates(ModuleOp module, CompileReport &report) {
  auto entries = module.getOps<exec::EntryOp>();
  const bool isOnly = llvm::hasSingleElement(entries);
  for (exec::EntryOp entry : entries) {
    const std::string prefix =
        isOnly ? std::string() : getReportName(entry).str() + "/";
    for (auto version : entry.getBlock().getOps<exec::VersionOp>()) {
      auto variable = version.getSource().getDefiningOp<exec::VariableOp>();
      if (!variable)
        continue;
      auto reason = variable->getAttrOfType<StringAttr>(exec::copiedAttr);
      report.updates.push_back({prefix + variable.getParameter().str(),
                                reason ? reason.getValue().str() : ""});
    }
    entry.walk([&](exec::CopyOp copy) {
      if (auto reason = copy->getAttrOfType<StringAttr>(exec::copiedAttr))
        report.packCopies.push_back(
            {prefix + copy.getName().str(), reason.getValue().str()});
    });
    for (const std::string &text : exec::describeRepetitions(entry))
      report.recomputed.push_back(
          isOnly ? text
                 : fmt::format("{}: {}", getReportName(entry).str(), text));
  }
}

std::string weir::explainRecomputed(const CompileReport &report) {
  std::string text;
  for (const std::string &line : report.recomputed)
    text += line + '\n';
  return text;
}

std::string weir::explainUpdates(const CompileReport &report) {
  std::string text;
  for (const UpdateReport &update : report.updates)
    text += update.copied.empty()
                ? fmt::format("{}: updated in place\n", update.variable)
                : fmt::format("{}: updated by a copy: {}\n", update.variable,
                              update.copied);
  for (const auto &[name, reason] : report.packCopies)
    text += fmt::format("{}: a copy: {}\n", name, reason);
  return text + explainRecomputed(report);
}

llvm::json::Array weir::explainUpdatesJson(const CompileReport &report) {
  llvm::json::Array updates;
  for (const UpdateReport &update : report.updates)
    updates.push_back(llvm::json::Object{{"name", update.variable},
                                         {"in_place", update.copied.empty()},
                                         {"why_copied", update.copied}});
  return updates;
}

llvm::json::Object weir::explainPacksJson(const CompileReport &report) {
  llvm::json::Object copies;
  for (const auto &[name, reason] : report.packCopies)
    copies[name] = reason;
  return copies;
}

static size_t countCopied(const CompileReport &report) {
  return static_cast<size_t>(
      llvm::count_if(report.updates, [](const UpdateReport &update) {
        return !update.copied.empty();
      }));
}

std::string weir::countUpdates(const CompileReport &report) {
  if (report.updates.empty())
    return {};
  return fmt::format("{}, {} of them by copies\n",
                     counted(report.updates.size(), "update"),
                     countCopied(report));
}

llvm::json::Object weir::countUpdatesJson(const CompileReport &report) {
  const size_t copied = countCopied(report);
  return llvm::json::Object{
      {"in_place", static_cast<int64_t>(report.updates.size() - copied)},
      {"copied", static_cast<int64_t>(copied)}};
}
