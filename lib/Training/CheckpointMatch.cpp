//===- CheckpointMatch.cpp - Whether a checkpoint fits a session ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An optimiser stores what it keeps for `w` under names such as `w.exp_avg`. So
// names tell whether another optimiser has written a file, or whether other
// parameters were trained.
//
//===----------------------------------------------------------------------===//

#include "CheckpointMatch.h"

#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <set>
#include <string_view>

using namespace weir;

/// The most names that an error lists. Further names are only counted.
static constexpr size_t maxListed = 8;

using Names = std::set<std::string, std::less<>>;

/// Whether `name` is a member of `names` with a dot and a suffix, such as
/// "w.exp_avg" if "w" is a member.
static bool isStateOf(std::string_view name, const Names &names) {
  for (size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = name.rfind('.', dot - 1))
    if (names.contains(name.substr(0, dot)))
      return true;
  return false;
}

/// The members of `names` that are no state of other members.
static Names parametersOf(const Names &names) {
  Names parameters;
  for (const std::string &name : names)
    if (!isStateOf(name, names))
      parameters.insert(name);
  return parameters;
}

/// "'w', 'v' and 3 more".
static std::string list(const Names &names) {
  std::string text;
  size_t count = 0;
  for (const std::string &name : names) {
    if (count == maxListed)
      return fmt::format("{} and {} more", text, names.size() - maxListed);
    text += fmt::format("{}'{}'", count++ ? ", " : "", printable(name));
  }
  return text;
}

/// " (its 'w1' may be what is 'w_1' here)", for the first name of
/// `missingInFile` that is similar to a name of `missingInModel`; empty if no
/// names are similar.
static std::string findRenamed(const Names &missingInModel,
                               const Names &missingInFile) {
  // This bounds the time to compare two names.
  constexpr size_t longest = 256;
  for (const std::string &name : missingInFile | std::views::take(maxListed)) {
    const auto distance = [&](std::string_view other) {
      return editDistance(name.substr(0, longest), other.substr(0, longest));
    };
    const auto near = std::ranges::min_element(missingInModel, {}, distance);
    // Up to a third of the name may differ.
    if (near != missingInModel.end() &&
        distance(*near) <= std::min(name.size(), longest) / 3)
      return fmt::format(" (its '{}' may be what is '{}' here)",
                         printable(*near), printable(name));
  }
  return "";
}

/// "it has 'v' and lacks 'w'".
static std::string listDifferences(const Names &missingInModel,
                                   const Names &missingInFile) {
  std::string text = "it ";
  if (!missingInModel.empty())
    text += fmt::format("has {}", list(missingInModel));
  if (!missingInFile.empty())
    text += fmt::format("{}lacks {}", missingInModel.empty() ? "" : " and ",
                        list(missingInFile));
  return text + findRenamed(missingInModel, missingInFile);
}

Status weir::checkMatch(std::span<const VariableInfo> variables,
                        const SafeTensors &tensors, const std::string &path) {
  Names common, missingInFile, missingInModel;
  for (const VariableInfo &variable : variables) {
    if (!tensors.entries().contains(variable.name)) {
      missingInFile.insert(variable.name);
      continue;
    }
    common.insert(variable.name);
    WEIR_ASSIGN_OR_RETURN(const TensorDesc found, tensors.desc(variable.name));
    if (found != variable.desc)
      return invalidArgument(fmt::format(
          "tensor '{}': expected {}, found {}; another model has written it, "
          "so name the folder of this one",
          printable(variable.name), variable.desc.toString(),
          found.toString()));
  }
  for (const auto &[name, entry] : tensors.entries())
    if (!common.contains(name))
      missingInModel.insert(name);
  if (missingInFile.empty() && missingInModel.empty())
    return Status::ok();
  const std::string differences =
      listDifferences(missingInModel, missingInFile);
  const auto isState = [&](const std::string &name) {
    return isStateOf(name, common);
  };
  if (std::ranges::any_of(missingInFile, isState) ||
      std::ranges::any_of(missingInModel, isState))
    return invalidArgument(fmt::format(
        "{}; another optimiser has written it, so use that one, or name the "
        "folder of this one",
        differences));
  // The number of the step says nothing about a model.
  if (common.empty() || (common.size() == 1 && common.contains("step")))
    return invalidArgument(fmt::format(
        "{}; another model has written it, so name the folder of this one",
        differences));
  return invalidArgument(fmt::format(
      "{}: other parameters were trained there; train those of that run, or "
      "compile the model with graph-compile --weights={} and train in another "
      "folder",
      listDifferences(parametersOf(missingInModel),
                      parametersOf(missingInFile)),
      printable(path)));
}
