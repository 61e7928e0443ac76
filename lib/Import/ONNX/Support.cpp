//===- Support.cpp - Which nodes can be imported ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <set>

using namespace weir;
using namespace weir::onnx;

const Function *Importer::findFunction(const Node &node) const {
  for (const Function &function : model.functions)
    if (function.name == node.opType && function.domain == node.domain &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

/// The handlers of nodes with bodies, by op type.
const Importer::BodyHandlers &Importer::getBodyHandlers() {
  static const BodyHandlers handlers = {{"If", &Importer::importIf},
                                        {"Loop", &Importer::importLoop},
                                        {"Scan", &Importer::importScan}};
  return handlers;
}

/// The handler of `node`, if it has bodies.
Importer::BodyHandler Importer::findBodyHandler(const Node &node) {
  auto known = getBodyHandlers().find(node.opType);
  return isStandard(node.domain) && known != getBodyHandlers().end()
             ? known->second
             : nullptr;
}

bool Importer::isSupported(const Node &node, const Scope &scope) const {
  if (findFunction(node))
    return true;
  const int64_t opset = findOpset(*scope.opsets, node.domain);
  return isStandard(node.domain) && opset != 0 &&
         (findBodyHandler(node) || findHandler(node.opType, opset));
}

/// The reason why an unsupported node is not supported.
std::string Importer::whyUnsupported(const Node &node, const Scope &scope) {
  int64_t opset = findOpset(*scope.opsets, node.domain);
  if (!isStandard(node.domain))
    return fmt::format("domain '{}' is not supported{}", node.domain,
                       opset == 0 ? ", and the model names no opset for it"
                                  : "");
  if (opset == 0)
    return "the model names no opset for its domain";
  if (node.opType.empty())
    return "it has no op type; export the model again";
  std::vector<std::string> opsWithBodies;
  for (const auto &[opType, handler] : getBodyHandlers())
    opsWithBodies.emplace_back(opType);
  return describeSupport(node.opType, opsWithBodies);
}

/// Refuses all unsupported nodes at once.
Status Importer::checkSupport(const std::vector<Node> &nodes,
                              const Scope &scope) {
  constexpr int maxListed = 50;
  int64_t newest = findOpset(*scope.opsets, "");
  if (newest > newestOpset)
    return unimplemented(fmt::format(
        "opset {} is newer than {}, the newest that Weir knows; export the "
        "model with an opset from {} to {}",
        newest, newestOpset, oldestOpset, newestOpset));
  int count = 0;
  std::string list;
  std::set<std::string_view> repairs;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    if (isSupported(node, scope) || ++count > maxListed)
      continue;
    const int64_t opset = findOpset(*scope.opsets, node.domain);
    list += fmt::format(
        "\n  node {} '{}': {}{}{}{}: {}", i,
        node.name.empty() && !node.outputs.empty() ? node.outputs[0]
                                                   : node.name,
        node.domain, node.domain.empty() ? "" : ".", node.opType,
        opset == 0 ? std::string() : fmt::format(" at opset {}", opset),
        whyUnsupported(node, scope));
    const bool isUnknown =
        !isStandard(node.domain) ||
        (opset != 0 && !hasHandler(node.opType) && !findBodyHandler(node));
    if (isUnknown && !node.opType.empty())
      repairs.insert(repairUnsupported(node.domain));
  }
  if (count == 0)
    return Status::ok();
  if (count > maxListed)
    list += fmt::format("\n  and {} more", count - maxListed);
  for (std::string_view repair : repairs)
    list += fmt::format("\n  {}", repair);
  return unimplemented(fmt::format(
      "{} cannot be imported (docs/onnx.md lists what is supported):{}",
      count == 1 ? std::string("a node") : fmt::format("{} nodes", count),
      list));
}
