//===- TrainingIdentity.cpp - What a training is --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingIdentity.h"

#include "TrainingOption.h"
#include "weir/Support/ContentHash.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

using namespace weir;

namespace {
/// Whether a part of an identity may change.
enum class Change {
  /// The part must not change.
  Refused,
  /// The part may change if the user says so.
  Overridable
};

/// A field of the compiler's description of a step.
struct StepField {
  std::string_view key;
  Change change;
};
} // namespace

static constexpr StepField stepFields[] = {
    {"optimizer", Change::Refused},    {"rate", Change::Overridable},
    {"schedule", Change::Overridable}, {"accumulate", Change::Refused},
    {"clip_value", Change::Refused},   {"clip_norm", Change::Refused},
    {"groups", Change::Refused}};

static const StepField *findStepField(std::string_view name) {
  // "1.rate" belongs to the second optimiser of an entry.
  const size_t dot = name.find('.');
  if (dot != name.npos && name.find_first_not_of("0123456789") == dot)
    name.remove_prefix(dot + 1);
  const auto *found = std::ranges::find(stepFields, name, &StepField::key);
  return found == std::end(stepFields) ? nullptr : found;
}

/// The beginning of the name of a part that is an input with a fixed value,
/// such as a rate.
static constexpr const char *inputPrefix = "input '";

/// Whether the part `name` may change if the user says so.
static bool isOverridable(const std::string &name) {
  const StepField *field = findStepField(name);
  return name.starts_with(inputPrefix) ||
         (field && field->change == Change::Overridable);
}

/// A hash of up to 64 examples, which are drawn from all over the data. For an
/// example that cannot be read, this fact is hashed. The step that needs the
/// example reports why.
static std::string hashRows(const Dataset &data) {
  constexpr int64_t most = 64;
  constexpr uint64_t seed = 64;
  const Dataset drawn = data.shuffled(seed);
  std::string bytes;
  for (int64_t row = 0; row < std::min(most, drawn.size()); ++row)
    for (size_t column = 0; column < drawn.columns().size(); ++column) {
      const auto value = drawn.read(column, row);
      const std::string_view unread = "unread";
      bytes += contentHash(value ? value->bytes()
                                 : std::as_bytes(std::span(unread)));
    }
  return contentHash(std::as_bytes(std::span(bytes)));
}

static std::string describeOrder(const Dataset &data,
                                 const LoaderOptions &loading) {
  return fmt::format(
      "{} examples, batches of {}, {}, {}", data.size(), loading.batchSize,
      loading.last == LastBatch::Keep   ? "last one kept"
      : loading.last == LastBatch::Drop ? "last one dropped"
                                        : "last one padded",
      loading.shuffle ? fmt::format("shuffled with seed {}", loading.seed)
                      : fmt::format("in order, seed {}", loading.seed));
}

StatusOr<TrainingIdentity> weir::identityOf(const Session &session,
                                            const Dataset &data,
                                            const TrainerOptions &options) {
  TrainingIdentity identity;
  identity["entry"] = options.entry;
  const std::string prefix = fmt::format("weir.training.{}.", options.entry);
  for (const auto &[key, value] : session.metadata())
    if (key.starts_with(prefix) && findStepField(key.substr(prefix.size())))
      identity[key.substr(prefix.size())] = value;
  for (const ColumnInfo &column : data.columns()) {
    identity["column '" + column.name + "'"] =
        TensorDesc::rowMajor(column.type, column.dims).toString();
    if (!column.classes.empty())
      identity["classes of '" + column.name + "'"] =
          toJsonText(nlohmann::json(column.classes));
  }
  for (const NamedColumn &input : options.inputs)
    identity[inputPrefix + input.name + "'"] =
        contentHash(input.values.bytes());
  for (const auto &[column, steps] : options.maps)
    identity["map of '" + column + "'"] = steps;
  identity["data"] = describeOrder(data, options.loader);
  identity["hash of 64 examples"] = hashRows(data);
  return identity;
}

/// The value of `name`, cut off for an error.
static std::string shown(const TrainingIdentity &identity,
                         const std::string &name) {
  constexpr size_t longest = 300;
  const auto found = identity.find(name);
  if (found == identity.end())
    return "none";
  return found->second.size() <= longest
             ? printable(found->second)
             : printable(found->second.substr(0, longest)) + "...";
}

/// The names of the parts that differ, among the parts that can be compared.
static std::vector<std::string> findChanges(const TrainingIdentity &saved,
                                            const TrainingIdentity &current,
                                            bool comparesStep) {
  std::set<std::string> names;
  for (const TrainingIdentity *identity : {&saved, &current})
    for (const auto &[name, value] : *identity)
      if (comparesStep || !findStepField(name))
        names.insert(name);
  std::erase_if(names, [&](const std::string &name) {
    const auto before = saved.find(name), now = current.find(name);
    return (before == saved.end()) == (now == current.end()) &&
           (now == current.end() || before->second == now->second);
  });
  return {names.begin(), names.end()};
}

/// Whether the identity is of an older checkpoint, which has only the order of
/// the examples.
static bool isOld(const TrainingIdentity &identity) {
  return !identity.contains("entry");
}

static Status refuse(const TrainingIdentity &saved,
                     const TrainingIdentity &current,
                     const std::vector<std::string> &changes,
                     OptionNames names) {
  std::vector<std::string> texts;
  bool allOverridable = true;
  for (const std::string &name : changes) {
    texts.push_back(fmt::format("{} was {}, and is {}", printable(name),
                                shown(saved, name), shown(current, name)));
    allOverridable &= isOverridable(name);
  }
  const std::string_view force = nameOf(TrainingOption::Override, names);
  return invalidArgument(fmt::format(
      "it is of another training: {}; {}", fmt::join(texts, "; "),
      allOverridable && !force.empty()
          ? fmt::format("go on with the new value with {}", force)
          : "use the same model, data and options, or begin a new training in "
            "another folder"));
}

StatusOr<std::vector<std::string>>
weir::compareIdentities(const TrainingIdentity &saved,
                        const TrainingIdentity &current,
                        const TrainerOptions &options) {
  std::vector<std::string> notes;
  if (isOld(saved)) {
    if (saved.contains("data") && saved.at("data") != current.at("data"))
      return refuse(saved, current, {"data"}, options.names);
    notes.emplace_back("it does not say what training it is of, because an "
                       "earlier version of Weir has written it; the model and "
                       "the data are taken as they are");
    return notes;
  }
  const bool comparesStep =
      saved.contains("optimizer") == current.contains("optimizer");
  if (!comparesStep)
    notes.emplace_back(fmt::format(
        "{} not say which optimiser it has; it is taken as it is",
        current.contains("optimizer") ? "the checkpoint does"
                                      : "the model was compiled by an earlier "
                                        "version of Weir and does"));
  std::vector<std::string> changes = findChanges(saved, current, comparesStep);
  const bool isAccepted =
      options.mayOverride && std::ranges::all_of(changes, isOverridable);
  if (!changes.empty() && !isAccepted)
    return refuse(saved, current, changes, options.names);
  for (const std::string &name : changes)
    notes.push_back(fmt::format("{} was {}, and is {} from here on",
                                printable(name), shown(saved, name),
                                shown(current, name)));
  return notes;
}
