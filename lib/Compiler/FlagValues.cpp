//===- FlagValues.cpp - Errors in the flags of LLVM -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FlagValues.h"

#include "weir/Support/NearNames.h"

#include "llvm/Support/CommandLine.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;
using llvm::StringRef;

static Status refuseEmpty(StringRef flag) {
  return invalidArgument(fmt::format(
      "expected a value for {}, found an empty one", std::string_view(flag)));
}

/// The flag that `word` is, such as "--verbose". Null if `word` is not a flag,
/// or has a value.
static const llvm::cl::Option *findFlag(StringRef word) {
  if (!word.consume_front("-"))
    return nullptr;
  word.consume_front("-");
  return llvm::cl::getRegisteredOptions().lookup(word);
}

Status weir::checkFlagValue(std::string_view argument) {
  auto [flag, value] = StringRef(argument).split('=');
  if (!flag.starts_with("-") || flag.size() == argument.size())
    return Status::ok();
  if (value.empty())
    return refuseEmpty(flag);
  // The value may contain options of a pass: "{devices=cpu:0 threads=2}".
  for (size_t at = value.find('='); at != value.npos;
       at = value.find('=', at + 1)) {
    if (at + 1 < value.size() && !StringRef(" ,}").contains(value[at + 1]))
      continue;
    StringRef option = value.take_front(at);
    option = option.substr(option.find_last_of(" ,{}=") + 1);
    return refuseEmpty((option + " in " + flag).str());
  }
  return Status::ok();
}

Status weir::checkFlagValues(llvm::ArrayRef<const char *> words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const StringRef word = words[i];
    if (word == "--")
      break;
    if (word.empty())
      return invalidArgument(
          "expected a file or a flag, found an empty argument");
    WEIR_RETURN_IF_ERROR(checkFlagValue(word));
    const llvm::cl::Option *flag = findFlag(word);
    if (!flag || i + 1 == words.size() ||
        flag->getValueExpectedFlag() != llvm::cl::ValueRequired)
      continue;
    const StringRef value = words[++i];
    if (value.empty())
      return refuseEmpty(word);
    if (findFlag(value.split('=').first))
      return invalidArgument(fmt::format(
          "expected a value for {0}, found the flag {1}; if it is the value, "
          "write {0}={1}",
          std::string_view(word), std::string_view(value)));
  }
  return Status::ok();
}

/// The flags that LLVM shows in --help, each with its dashes.
static std::vector<std::string> listShownFlags() {
  std::vector<std::string> flags;
  for (const auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      flags.push_back((name.size() == 1 ? "-" : "--") + name.str());
  std::sort(flags.begin(), flags.end());
  return flags;
}

std::string weir::describeFlagError(StringRef said) {
  constexpr StringRef unknown = "Unknown command line argument '";
  if (said.contains("Too many positional arguments"))
    return "expected one file and flags, found several files; see graph-opt "
           "--help";
  const size_t begin = said.find(unknown);
  if (begin == said.npos)
    return said.trim().str();
  const StringRef flag =
      said.substr(begin + unknown.size()).split("'.  Try").first;
  return describeUnknownFlag("graph-opt", std::string_view(flag),
                             listShownFlags());
}
