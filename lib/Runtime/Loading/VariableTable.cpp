//===- VariableTable.cpp - The variables of a model -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VariableTable.h"

#include "weir/Artifact/Convert.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <map>

using namespace weir;

VariableTable::VariableTable(const artifact::Artifact &artifact,
                             const artifact::Variant &variant,
                             const ModelMemory &memory,
                             std::span<const std::unique_ptr<Plan>> plans) {
  if (!variant.variables())
    return;
  for (uint32_t i = 0; i < variant.variables()->size(); ++i) {
    const artifact::Variable &from = *variant.variables()->Get(i);
    const auto add = [&](uint32_t number, std::byte *data) {
      const artifact::Blob &blob = *artifact.model().blobs()->Get(number);
      byName.emplace(blob.name()->str(), variables.size());
      Variable &variable = variables.emplace_back();
      variable.name = blob.name()->str();
      if (blob.type())
        variable.desc = artifact::toTensorDesc(*blob.type());
      variable.device = from.device();
      variable.data = data;
    };
    if (!from.parts() || from.parts()->size() == 0)
      add(from.blob(), memory.variable(i));
    else
      for (const artifact::VariablePart *part : *from.parts())
        add(part->blob(), memory.variable(i) + part->offset());
  }
  formClasses(plans);
}

void VariableTable::formClasses(std::span<const std::unique_ptr<Plan>> plans) {
  // For each variable, the plans that use it. An element is twice the number of
  // the plan, plus one if the plan writes the variable.
  std::vector<std::vector<size_t>> users(variables.size());
  for (const std::unique_ptr<Plan> &plan : plans) {
    const auto add = [&](uint32_t variable, size_t writes) {
      std::vector<size_t> &of = users[variable];
      if (of.empty() || of.back() / 2 != plan->index)
        of.push_back(2 * plan->index);
      of.back() |= writes;
    };
    for (uint32_t variable : plan->readVariables)
      add(variable, 0);
    for (const PlanProgram &program : plan->programs)
      for (const VariableWrite &write : program.variableWrites)
        add(write.variable, 1);
  }
  std::map<std::vector<size_t>, size_t> classes;
  for (size_t i = 0; i < variables.size(); ++i)
    variables[i].variableClass =
        classes.try_emplace(users[i], classes.size()).first->second;
  classCount = classes.size();
  for (const auto &[usersOfClass, number] : classes)
    for (size_t user : usersOfClass)
      plans[user / 2]->classes.push_back({number, (user & 1) != 0});
}

std::optional<size_t> VariableTable::find(std::string_view name) const {
  const auto at = byName.find(name);
  return at == byName.end() ? std::nullopt : std::optional(at->second);
}

void VariableTable::setValid(size_t index, bool isValid) {
  Variable &variable = variables[index];
  numInvalid -= !variable.isValid;
  variable.isValid = isValid;
  numInvalid += !variable.isValid;
}

Status VariableTable::checkValid(size_t index) const {
  if (variables[index].isValid)
    return Status::ok();
  return Status(
      StatusCode::Unavailable,
      fmt::format("variable '{}' has no value, because a run or a call that "
                  "wrote it failed or was stopped; set it, or load all "
                  "variables",
                  printable(variables[index].name)));
}

Status VariableTable::checkValid(std::span<const uint32_t> indices) const {
  if (hasInvalid())
    for (uint32_t index : indices)
      WEIR_RETURN_IF_ERROR(checkValid(index));
  return Status::ok();
}
