//===- CommandLine.h - Command-line parsing for all tools -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TOOLS_COMMANDLINE_H
#define WEIR_TOOLS_COMMANDLINE_H

#include "weir/Support/NearNames.h"
#include "weir/Support/ToolMain.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

namespace detail {
/// Prints flags in --help without the flags that they exclude, which would be
/// many. If a user gives two flags that exclude each other, the error names
/// both.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option_opts(const CLI::Option *option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(" " + get_label("Excludes") + ":"));
  }
};

/// All flags of `app`, with their dashes.
inline std::vector<std::string> listFlags(const CLI::App &app) {
  std::vector<std::string> flags;
  for (const CLI::Option *option : app.get_options())
    if (!option->get_lnames().empty())
      flags.push_back("--" + option->get_lnames().front());
    else if (!option->get_snames().empty())
      flags.push_back("-" + option->get_snames().front());
  return flags;
}

/// Whether `option` is a flag that never has a value.
inline bool isSwitch(const CLI::Option &option) {
  return option.get_expected_max() == 0 && option.get_fnames().empty();
}

/// The flag in front of `argument` on the command line, if the flag takes no
/// value or takes it only behind '='. Null if there is no such flag.
inline const CLI::Option *findFlagBefore(const CLI::App &app, int argc,
                                         const char *const *argv,
                                         std::string_view argument) {
  for (int i = 2; i < argc; ++i)
    if (argv[i] == argument)
      for (const CLI::Option *option : app.get_options())
        if (option->get_expected_min() == 0 && !option->get_lnames().empty() &&
            "--" + option->get_lnames().front() == argv[i - 1])
          return option;
  return nullptr;
}

/// Says how to write `argument` if it looks like a part of the value of the
/// flag in front of it. For example, `--data x=a.npy y=b.npy` should be written
/// with a comma. Empty if it does not look like one.
inline std::string describeSplit(const CLI::App &app, int argc,
                                 const char *const *argv,
                                 std::string_view argument) {
  int at = 2;
  while (at < argc && argv[at] != argument)
    ++at;
  if (at == argc)
    return {};
  std::string_view flag = argv[at - 1], value;
  if (flag.starts_with("--")) {
    const size_t equals = std::min(flag.find('='), flag.size() - 1);
    value = flag.substr(equals + 1);
    flag = flag.substr(0, equals);
  } else {
    value = flag;
    flag = argv[at - 2];
  }
  const CLI::Option *option = flag.starts_with("--")
                                  ? app.get_option_no_throw(std::string(flag))
                                  : nullptr;
  if (!option || value.empty())
    return {};
  const std::string type = option->get_type_name();
  const bool isPair = type.find('=') != type.npos;
  // A '=' may stand between two spaces.
  std::string rest(argument);
  if (isPair && argument == "=" && at + 1 < argc)
    rest += argv[at + 1];
  std::string_view between;
  if (value.ends_with(',') || rest.starts_with(','))
    between = "";
  else if (type == "COLUMNS" && argument.find('=') != argument.npos)
    between = ",";
  else if (isPair && (value.ends_with('=') || rest.starts_with('=')))
    between = "";
  else if (isPair && value.find('=') == value.npos)
    between = "=";
  else
    return {};
  std::string text = "the value of ";
  text.append(flag).append(" goes on, so write ").append(flag).append(" ");
  return text.append(value).append(between).append(rest);
}

/// Describes the first argument that `app` does not know.
inline std::string describeUnknown(const CLI::App &app, int argc,
                                   const char *const *argv) {
  std::string unknown;
  for (const std::string &argument : app.remaining())
    if (unknown.empty() || argument.starts_with("-"))
      unknown = argument;
  if (unknown.starts_with("-"))
    return describeUnknownFlag(app.get_name(), unknown, listFlags(app));
  const CLI::Option *flag = findFlagBefore(app, argc, argv, unknown);
  if (flag && isSwitch(*flag))
    return "unexpected argument '" + unknown + "'; " + flag->get_name() +
           " takes no value, and the file is given once";
  if (flag)
    return "unexpected argument '" + unknown + "'; if it is the value of " +
           flag->get_name() + ", write " + flag->get_name() + "=" + unknown;
  if (const std::string split = describeSplit(app, argc, argv, unknown);
      !split.empty())
    return "unexpected argument '" + unknown + "'; " + split;
  return "unexpected argument '" + unknown +
         "'; a value needs its flag in front, and the file is given once; "
         "see " +
         app.get_name() + " --help";
}

/// The flag that `word` names, with or without "=VALUE". Null if there is none.
inline const CLI::Option *findFlag(const CLI::App &app, std::string_view word) {
  if (word.size() < 2 || !word.starts_with("-"))
    return nullptr;
  return app.get_option_no_throw(std::string(word.substr(0, word.find('='))));
}

/// The error if `value`, the word after `flag`, cannot be its value. Without
/// it, CLI11 would treat the next flag as the value, and an option would treat
/// an empty value as none. The result is empty if there is no error.
inline std::string describeNoValue(const CLI::App &app, std::string_view flag,
                                   std::string_view value) {
  if (value.empty())
    return "expected a value for " + std::string(flag) + ", found an empty one";
  if (!findFlag(app, value))
    return {};
  const CLI::Option *option = app.get_option_no_throw(std::string(flag));
  if (option && option->get_type_name().starts_with("SEED"))
    return "expected a value for " + std::string(flag) + ", found the flag " +
           std::string(value) + "; it is the seed of an order, as in " +
           std::string(flag) + "=7";
  const std::string meant =
      flag.starts_with("--") ? std::string(flag) + "=" + std::string(value)
                             : std::string(flag) + " ./" + std::string(value);
  return "expected a value for " + std::string(flag) + ", found the flag " +
         std::string(value) + "; if it is the value, write " + meant;
}

/// The error about the first flag of the command line that lacks its value, or
/// about the first empty argument. Empty if there is neither.
inline std::string describeMissing(const CLI::App &app, int argc,
                                   const char *const *argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--")
      break;
    if (word.empty())
      return "expected a file or a flag, found an empty argument";
    const CLI::Option *option = findFlag(app, word);
    if (!option)
      continue;
    std::string wrong;
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view flag = word.substr(0, equals);
    if (equals == word.size()) {
      if (option->get_expected_min() > 0 && i + 1 < argc)
        wrong = describeNoValue(app, flag, argv[++i]);
    } else if (isSwitch(*option)) {
      wrong = std::string(flag) + ": takes no value, found '" +
              std::string(word.substr(equals + 1)) + "'; write " +
              std::string(flag) + " alone, or leave it out";
    } else if (equals + 1 == word.size()) {
      wrong = describeNoValue(app, flag, "");
    }
    if (!wrong.empty())
      return wrong;
  }
  return {};
}

/// The values of `option`, as "'a' and 'b'".
inline std::string listValues(const CLI::Option &option) {
  std::string list;
  for (const std::string &value : option.results())
    list += (list.empty() ? "'" : " and '") + value + "'";
  return list;
}

/// Says how to write all values of `option` as one value. They are columns.
inline std::string joinValues(const CLI::Option &option) {
  std::string text = "columns are joined by commas, as in ";
  char before = ' ';
  text += option.get_name();
  for (const std::string &value : option.results()) {
    text += before + value;
    before = ',';
  }
  return text;
}

/// The error about a flag that takes one value but has several different ones.
/// Empty if there is no such flag.
inline std::string describeRepeated(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast &&
        !std::all_of(option->results().begin(), option->results().end(),
                     [&](const std::string &value) {
                       return value == option->results().front();
                     }))
      return option->get_name() + ": takes one value, found " +
             listValues(*option) + "; " +
             (option->get_type_name() == "COLUMNS" ? joinValues(*option)
                                                   : "give one of them");
  return {};
}

/// Rewords CLI11's message "--threads: Value -1 not in range 0 to 1024".
inline std::string describeRange(const std::string &message) {
  const std::string value = ": Value ", range = " not in range ";
  const size_t first = message.find(value), second = message.find(range);
  if (first == message.npos || second == message.npos || second < first)
    return message;
  const size_t begin = first + value.size();
  return message.substr(0, first) + ": expected a whole number from " +
         message.substr(second + range.size()) + ", found '" +
         message.substr(begin, second - begin) + "'";
}

/// The text of `error`, in our style.
inline std::string describe(const CLI::ParseError &error) {
  std::string message = error.what();
  // The message is "--devices: 1 required TEXT missing".
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&error))
    return message.substr(0, message.find(": ")) + ": expected a value";
  // The message is "--verbose excludes --list-devices".
  const std::string_view excludes = " excludes ";
  if (const size_t at = message.find(excludes); at != message.npos)
    message = message.substr(0, at) + " cannot be given with " +
              message.substr(at + excludes.size());
  while (!message.empty() && (message.back() == '\n' || message.back() == '.'))
    message.pop_back();
  return describeRange(message);
}

/// Adds an example to `message` if it is about a flag of `app` whose value is a
/// seed.
inline std::string addExample(const CLI::App &app, const std::string &message) {
  const CLI::Option *option =
      app.get_option_no_throw(message.substr(0, message.find(':')));
  return option && option->get_type_name().starts_with("SEED")
             ? message + "; it is the seed of an order, as in " +
                   option->get_name() + "=7"
             : message;
}
} // namespace detail

/// Gives a heading of --help to the options that are added to `app` while this
/// object exists. Options that have another heading keep it.
class OptionGroup {
public:
  OptionGroup(CLI::App &app, std::string heading)
      : app(app), heading(std::move(heading)),
        numBefore(app.get_options({}).size()) {}
  ~OptionGroup() {
    const std::string &usual = app.get_help_ptr()->get_group();
    const std::vector<CLI::Option *> all = app.get_options({});
    for (size_t i = numBefore; i < all.size(); ++i)
      if (all[i]->get_group() == usual)
        all[i]->group(heading);
  }
  OptionGroup(const OptionGroup &) = delete;
  OptionGroup &operator=(const OptionGroup &) = delete;

private:
  CLI::App &app;
  std::string heading;
  size_t numBefore;
};

/// Adds --version to `app`, and parses the command line. Returns the exit code
/// if the tool should end. This is so after --help and --version, and after
/// wrong usage, about which an error is printed.
inline std::optional<ExitCode> parseCommandLine(CLI::App &app, int argc,
                                                const char *const *argv) {
  startTool(app.get_name());
  app.formatter(std::make_shared<detail::HelpFormatter>());
  app.set_version_flag("--version", toolVersion(app.get_name()));
  for (CLI::Option *option : app.get_options({}))
    if (option->get_expected_max() <= 1)
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  const auto refuse = [&](const std::string &why) {
    printError(app.get_name(), why + "; see " + app.get_name() + " --help");
    return exitWrongUsage;
  };
  if (const std::string why = detail::describeMissing(app, argc, argv);
      !why.empty())
    return refuse(why);
  try {
    app.parse(argc, argv);
    if (const std::string why = detail::describeRepeated(app); !why.empty())
      return refuse(why);
    return std::nullopt;
  } catch (const CLI::Success &answer) {
    const int code = app.exit(answer);
    if (std::cout.flush())
      return static_cast<ExitCode>(code);
    printError(app.get_name(), "cannot write to standard output");
    return exitFailed;
  } catch (const CLI::ExtrasError &) {
    printError(app.get_name(), detail::describeUnknown(app, argc, argv));
    return exitWrongUsage;
  } catch (const CLI::ParseError &error) {
    // A misspelt flag is reported before a missing one, which may be the same
    // flag.
    if ((dynamic_cast<const CLI::RequiredError *>(&error) ||
         dynamic_cast<const CLI::RequiresError *>(&error)) &&
        app.remaining_size() > 0) {
      printError(app.get_name(), detail::describeUnknown(app, argc, argv));
      return exitWrongUsage;
    }
    return refuse(detail::addExample(app, detail::describe(error)));
  }
}

} // namespace weir

#endif // WEIR_TOOLS_COMMANDLINE_H
