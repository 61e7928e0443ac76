//===- NearNames.cpp - Offers the names that there are --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/NearNames.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>
#include <vector>

using namespace weir;

/// The number of characters of a name that are compared. The limit keeps the
/// time of an error short.
static constexpr size_t longestCompared = 256;

size_t weir::editDistance(std::string_view left, std::string_view right) {
  // The distances from a beginning of `left` to all beginnings of `right`. The
  // beginning of `left` has i - 1 characters in `before`, i in `row` and i + 1
  // in `next`.
  std::vector<size_t> before, row(right.size() + 1), next(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < left.size(); ++i) {
    next[0] = i + 1;
    for (size_t j = 0; j < right.size(); ++j) {
      const size_t changed = row[j] + (left[i] != right[j]);
      next[j + 1] = std::min({next[j] + 1, row[j + 1] + 1, changed});
      if (i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

/// The letters and digits of `name`, in small letters. Users remember these,
/// but not case and punctuation.
static std::string simplify(std::string_view name) {
  std::string text;
  for (char c : name.substr(0, longestCompared))
    if (c >= 'A' && c <= 'Z')
      text += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      text += c;
  return text;
}

/// The most typing errors that are accepted between `name` and `known`.
static size_t countSlips(std::string_view name, std::string_view known) {
  const size_t length = std::min(name.size(), known.size());
  return std::min(length / 2, length / 3 + 1);
}

std::string_view weir::findSlip(std::string_view name,
                                std::span<const std::string> names,
                                size_t mostEdits) {
  const std::string meant = simplify(name);
  std::string_view nearest;
  size_t least = mostEdits + 1;
  for (const std::string &each : names) {
    const std::string known = simplify(each);
    const size_t distance = editDistance(meant, known);
    if (distance < least && distance <= countSlips(meant, known)) {
      least = distance;
      nearest = each;
    }
  }
  return nearest;
}

/// The single one of `names` that contains `name` or is a part of it. Empty if
/// there are several or none.
static std::string_view findContaining(std::string_view name,
                                       std::span<const std::string> names) {
  constexpr size_t shortestPart = 3;
  const std::string meant = simplify(name);
  std::string_view containing;
  for (const std::string &each : names) {
    const std::string known = simplify(each);
    const bool isPart =
        std::min(meant.size(), known.size()) >= shortestPart &&
        (known.find(meant) != known.npos || meant.find(known) != meant.npos);
    if (isPart && !containing.empty())
      return {};
    if (isPart)
      containing = each;
  }
  return containing;
}

std::string_view weir::findNearest(std::string_view name,
                                   std::span<const std::string> names) {
  constexpr size_t mostEdits = 4;
  const std::string_view slip = findSlip(name, names, mostEdits);
  return slip.empty() ? findContaining(name, names) : slip;
}

/// The list of `names` as "'a', 'b'".
static std::string quoteAll(std::span<const std::string> names) {
  std::string list;
  for (const std::string &name : names)
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", printable(name));
  return list;
}

/// Whether a list of `names` is short enough to be read.
static bool fitsLine(std::span<const std::string> names) {
  constexpr size_t mostCharacters = 400;
  size_t length = 0;
  for (const std::string &name : names)
    if ((length += name.size() + 4) > mostCharacters)
      return false;
  return true;
}

std::string weir::nearNames(std::string_view name,
                            std::span<const std::string> names) {
  constexpr size_t numShown = 5;
  if (names.empty())
    return "none";
  if (fitsLine(names) || names.size() <= numShown)
    return quoteAll(names);
  std::vector<std::pair<size_t, const std::string *>> near;
  const std::string_view cut = name.substr(0, longestCompared);
  for (const std::string &known : names)
    near.emplace_back(
        editDistance(cut, std::string_view(known).substr(0, longestCompared)),
        &known);
  std::stable_sort(near.begin(), near.end(), [](const auto &a, const auto &b) {
    return a.first < b.first;
  });
  std::vector<std::string> shown;
  for (const auto &[distance, known] : std::span(near).first(numShown))
    shown.push_back(*known);
  return fmt::format("{} and {} more", quoteAll(shown),
                     names.size() - numShown);
}

std::string weir::offerNames(std::string_view name,
                             std::span<const std::string> names,
                             std::string_view kind, std::string_view listing) {
  if (names.empty())
    return kind.empty() ? "there is none"
                        : fmt::format("there are no {}", kind);
  if (names.size() == 1 && kind.empty())
    return "there is only " + quoteAll(names);
  std::string text;
  const std::string_view nearest = findNearest(name, names);
  const bool isSaid = !nearest.empty() && names.size() > 1;
  if (isSaid)
    text = fmt::format("did you mean '{}'? ", printable(nearest));
  text += isSaid ? "T" : "t";
  text += kind.empty() ? "here are " : fmt::format("he {} are ", kind);
  text += nearNames(name, names);
  if (!listing.empty() && !fitsLine(names))
    text += fmt::format("; {}", listing);
  return text;
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

namespace {
/// A word that other tools use for a flag of Weir.
struct Synonym {
  std::string_view word;
  std::string_view flag;
};
} // namespace

/// The synonyms. If a word occurs several times, the flags are tried in this
/// order.
static constexpr Synonym synonyms[] = {{"batchsize", "--batch"},
                                       {"batchsize", "--shape"},
                                       {"batch", "--shape"},
                                       {"benchmark", "--repeat"},
                                       {"debug", "--verbose"},
                                       {"debug", "--explain"},
                                       {"dtype", "--precision"},
                                       {"earlystop", "--stop-early"},
                                       {"earlystopping", "--stop-early"},
                                       {"eval", "--validation-data"},
                                       {"i", "--input"},
                                       {"iterations", "--repeat"},
                                       {"j", "--threads"},
                                       {"jobs", "--threads"},
                                       {"learningrate", "--train"},
                                       {"logdir", "--tensorboard"},
                                       {"loss", "--train"},
                                       {"lr", "--train"},
                                       {"momentum", "--train"},
                                       {"n", "--repeat"},
                                       {"numworkers", "--loader-threads"},
                                       {"optim", "--train"},
                                       {"optimizer", "--train"},
                                       {"out", "-o"},
                                       {"output", "-o"},
                                       {"outputfile", "-o"},
                                       {"patience", "--stop-early"},
                                       {"runs", "--repeat"},
                                       {"schedule", "--train"},
                                       {"scheduler", "--train"},
                                       {"seed", "--shuffle"},
                                       {"test", "--evaluate"},
                                       {"testdata", "--evaluate"},
                                       {"type", "--precision"},
                                       {"v", "--verbose"},
                                       {"v", "--explain"},
                                       {"valdata", "--validation-data"},
                                       {"validationmap", "--map"},
                                       {"validationsplit", "--validation-data"},
                                       {"valsplit", "--validation-data"},
                                       {"verbose", "--explain"},
                                       {"weightdecay", "--train"},
                                       {"workers", "--loader-threads"}};

/// The first of `flags` that begins with `letter`.
static std::string_view findFirstWith(char letter,
                                      std::span<const std::string> flags) {
  for (const std::string &flag : flags)
    if (flag.size() > 2 && flag[2] == letter)
      return flag;
  return {};
}

/// The first of `flags` that has `meant` as a word between dashes.
static std::string_view findWithPart(std::string_view meant,
                                     std::span<const std::string> flags) {
  for (const std::string &flag : flags)
    if ((flag + "-").find(fmt::format("-{}-", meant)) != flag.npos)
      return flag;
  return {};
}

/// The one of `flags` that was probably meant by `name`. `name` has no value.
static std::string_view findFlag(std::string_view name,
                                 std::span<const std::string> flags) {
  // "-j4" means "-j 4".
  const bool isShort = name.size() > 1 && name[0] == '-' && name[1] != '-' &&
                       name.find_first_not_of("0123456789", 2) == name.npos;
  const std::string meant = simplify(isShort ? name.substr(0, 2) : name);
  for (const auto &[word, flag] : synonyms)
    if (word == meant && std::ranges::find(flags, flag) != flags.end())
      return flag;
  if (meant.size() < 2)
    return meant.empty() ? "" : findFirstWith(meant.front(), flags);
  if (const std::string_view part =
          findWithPart(name.substr(name.find_first_not_of('-')), flags);
      !part.empty())
    return part;
  return findNearest(name, flags);
}

/// Whether `name` is a flag of graph-compile that graph-run does not have.
static bool isOfCompiler(std::string_view name) {
  constexpr std::string_view words[] = {
      "bind",      "device",    "devices",  "emit",      "isolated",
      "keep",      "memorycap", "place",    "placement", "portspace",
      "precision", "targetcpu", "topology", "train"};
  return std::ranges::find(words, simplify(name)) != std::end(words);
}

/// The flag of graph-compile that other tools call `name`. Empty if there is
/// none, or if graph-run has the flag, too.
static std::string_view findOfCompiler(std::string_view name) {
  const std::string meant = simplify(name);
  for (const auto &[word, flag] : synonyms)
    if (word == meant && isOfCompiler(flag))
      return flag;
  return {};
}

std::string weir::describeUnknownFlag(std::string_view tool,
                                      std::string_view flag,
                                      std::span<const std::string> flags) {
  constexpr size_t mostListed = 5;
  std::string text = fmt::format("unknown flag '{}'; ", flag);
  const std::string_view name = flag.substr(0, flag.find('='));
  if (tool == "graph-run" && isOfCompiler(name))
    return text +
           fmt::format("give it to graph-compile, since the artifact has "
                       "what it says; {} --help lists all flags",
                       tool);
  if (const std::string_view meant = findOfCompiler(name);
      tool == "graph-run" && !meant.empty())
    return text +
           fmt::format("did you mean {} of graph-compile? The artifact has "
                       "what it says; {} --help lists all flags",
                       meant, tool);
  const std::string_view nearest =
      name == "-V" ? "--version" : findFlag(name, flags);
  if (!nearest.empty())
    text += fmt::format("did you mean {}? ", nearest);
  if (flags.size() <= mostListed)
    return text + fmt::format("{}he flags are {}", nearest.empty() ? "t" : "T",
                              fmt::join(flags, ", "));
  return text + fmt::format("{} --help lists all flags", tool);
}
