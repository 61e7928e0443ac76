//===- Topology.cpp - Devices and the links between them -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Topology.h"

#include "weir/Support/FileKind.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>

using namespace weir;
using Json = nlohmann::json;

namespace {

/// The largest integer that a JSON reader with doubles represents exactly.
constexpr double maxExactInteger = 9007199254740992.0;

/// The text of a value in a message. A long value is shortened.
std::string quoted(std::string value) {
  constexpr size_t longest = 40;
  return value.size() > longest ? value.substr(0, longest) + "..." : value;
}

/// The number of the line that contains `position`.
size_t lineOf(std::string_view text, size_t position) {
  const std::string_view before = text.substr(0, position);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

/// A value and its path in the JSON text, such as "devices[1].flops.f32".
struct Node {
  const Json &value;
  std::string path;

  Status expected(std::string_view what, std::string_view found) const {
    return invalidArgument(fmt::format("{}: expected {}, found {}",
                                       path.empty() ? "top level" : path, what,
                                       found));
  }
  Status expected(std::string_view what) const {
    return expected(what, quoted(value.dump(-1, ' ', true,
                                            Json::error_handler_t::replace)));
  }
  Node at(size_t index) const {
    return {value[index], fmt::format("{}[{}]", path, index)};
  }
  Node at(const std::string &key) const {
    return {value[key], path.empty() ? key : path + "." + key};
  }
  bool has(const char *key) const { return value.contains(key); }

  /// Checks that the value is an object, and that it has no other keys than
  /// `keys`. The first `numRequired` of `keys` must be present.
  Status checkObject(std::initializer_list<const char *> keys,
                     size_t numRequired) const;
};

Status Node::checkObject(std::initializer_list<const char *> keys,
                         size_t numRequired) const {
  if (!value.is_object())
    return expected(
        fmt::format("an object such as {{\"{}\": ...}}", *keys.begin()));
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const auto &item : value.items())
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      return invalidArgument(fmt::format(
          "{}: there is no key '{}'; {}", path.empty() ? "top level" : path,
          printable(item.key()), offerNames(item.key(), known, "keys")));
  for (const char *key : std::span(keys.begin(), numRequired))
    if (!has(key))
      return expected(fmt::format("the key \"{}\"", key));
  return Status::ok();
}

/// Reads a number from `least` to `most`.
StatusOr<double> readNumber(const Node &node, double least, double most) {
  double number = node.value.is_number() ? node.value.get<double>() : -1;
  // The comparisons are false for NaN.
  if (!(number >= least && number <= most))
    return node.expected(
        fmt::format("a number from {:g} to {:g}", least, most));
  return number;
}

/// Reads a number of flop per second or of bytes per second. The limits ensure
/// that predicted times are finite.
StatusOr<double> readRate(const Node &node) {
  return readNumber(node, 1, 1e30);
}

Status readRate(const Node &parent, const char *key, double &rate) {
  if (!parent.has(key))
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(rate, readRate(parent.at(key)));
  return Status::ok();
}

Status readSeconds(const Node &parent, const char *key, double &seconds) {
  if (!parent.has(key))
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(seconds, readNumber(parent.at(key), 0, 1e6));
  return Status::ok();
}

template <typename T>
Status readInteger(const Node &parent, const char *key, double most, T &out) {
  if (!parent.has(key))
    return Status::ok();
  Node node = parent.at(key);
  double number = node.value.is_number() ? node.value.get<double>() : -1;
  if (!(number >= 1 && number <= most) || std::floor(number) != number)
    return node.expected(fmt::format("a whole number from 1 to {:.0f}", most));
  out = static_cast<T>(number);
  return Status::ok();
}

StatusOr<std::string> readText(const Node &node) {
  if (!node.value.is_string() ||
      node.value.get_ref<const std::string &>().empty())
    return node.expected("a text that is not empty");
  return node.value.get<std::string>();
}

StatusOr<DeviceName> readDeviceName(const Node &node) {
  WEIR_ASSIGN_OR_RETURN(std::string text, readText(node));
  StatusOr<DeviceName> name = parseDeviceName(text);
  if (!name)
    return std::move(name).status().withContext(node.path);
  return name;
}

StatusOr<std::vector<std::string>> readTexts(const Node &node) {
  if (!node.value.is_array())
    return node.expected("a list of kernel names");
  std::vector<std::string> texts;
  for (size_t i = 0; i < node.value.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(std::string text, readText(node.at(i)));
    texts.push_back(std::move(text));
  }
  return texts;
}

Status readFlops(const Node &node, DeviceDesc &device) {
  if (!node.value.is_object() || node.value.empty())
    return node.expected("an object of rates by element type");
  for (const auto &item : node.value.items()) {
    Node rate = node.at(item.key());
    std::optional<DType> type = parseDType(item.key());
    if (!type)
      return rate.expected(
          "an element type as key (f32, f16, bf16, f64, i8, u8, i16, u16, "
          "i32, u32, i64, u64, i1)",
          fmt::format("the key \"{}\"", printable(item.key())));
    WEIR_ASSIGN_OR_RETURN(device.flopsPerSecond[static_cast<int>(*type)],
                          readRate(rate));
  }
  return Status::ok();
}

Status readKernels(const Node &node, DeviceDesc &device) {
  if (node.has("kernels") && node.has("excluded_kernels"))
    return node.expected("only one of \"kernels\" and \"excluded_kernels\"");
  if (node.has("kernels")) {
    WEIR_ASSIGN_OR_RETURN(device.kernels, readTexts(node.at("kernels")));
  }
  if (node.has("excluded_kernels")) {
    WEIR_ASSIGN_OR_RETURN(device.excludedKernels,
                          readTexts(node.at("excluded_kernels")));
  }
  return Status::ok();
}

/// Reads the options of a device. A number stands for its text.
Status readOptions(const Node &node, DeviceDesc &device) {
  if (!node.value.is_object())
    return node.expected("an object of options by name");
  for (const auto &item : node.value.items()) {
    const Node option = node.at(item.key());
    if (!option.value.is_string() && !option.value.is_number())
      return option.expected("a text or a number");
    std::string value = option.value.is_string()
                            ? option.value.get<std::string>()
                            : option.value.dump();
    WEIR_RETURN_IF_ERROR(checkDeviceOption(device.name.kind, item.key(), value)
                             .withContext(option.path));
    device.options.emplace(item.key(), std::move(value));
  }
  if (device.name.kind == DeviceKind::CPU && device.options.contains("cores") &&
      device.options.contains("numa_node"))
    return node.expected("only one of \"cores\" and \"numa_node\"");
  return Status::ok();
}

Status readDevice(const Node &node, Topology &topology) {
  WEIR_RETURN_IF_ERROR(node.checkObject(
      {"name", "kind", "threads", "memory_bytes", "flops", "bytes_per_second",
       "launch_seconds", "kernels", "excluded_kernels", "isolated", "options"},
      1));
  DeviceDesc device;
  WEIR_ASSIGN_OR_RETURN(device.name, readDeviceName(node.at("name")));
  if (topology.indexOf(device.name))
    return node.at("name").expected("a device that is not listed before");
  if (node.has("kind") &&
      node.at("kind").value != Json(toString(device.name.kind)))
    return node.at("kind").expected(fmt::format(
        "the kind in the device's name, \"{}\"", toString(device.name.kind)));
  WEIR_RETURN_IF_ERROR(
      readInteger(node, "threads", maxDeviceThreads, device.threads));
  if (device.threads > 0 && isForGpus(device.name.kind->codeGenerator))
    return node.at("threads").expected(
        fmt::format("none, since {} devices do not run on threads of the CPU",
                    toString(device.name.kind)));
  WEIR_RETURN_IF_ERROR(
      readInteger(node, "memory_bytes", maxExactInteger, device.memoryBytes));
  if (node.has("flops"))
    WEIR_RETURN_IF_ERROR(readFlops(node.at("flops"), device));
  WEIR_RETURN_IF_ERROR(
      readRate(node, "bytes_per_second", device.bytesPerSecond));
  WEIR_RETURN_IF_ERROR(
      readSeconds(node, "launch_seconds", device.launchSeconds));
  WEIR_RETURN_IF_ERROR(readKernels(node, device));
  if (node.has("isolated")) {
    if (!node.at("isolated").value.is_boolean())
      return node.at("isolated").expected("true or false");
    device.isIsolated = node.at("isolated").value.get<bool>();
    if (!device.isIsolated && device.name.kind->hasOwnMemory)
      return node.at("isolated")
          .expected(
              fmt::format("true, since {} devices have memory of their own",
                          toString(device.name.kind)));
  }
  if (node.has("options"))
    WEIR_RETURN_IF_ERROR(readOptions(node.at("options"), device));
  topology.devices.push_back(std::move(device));
  return Status::ok();
}

/// Reads a link. `names` are the devices of the topology.
Status readLink(const Node &node, const std::set<DeviceName> &names,
                Topology &topology) {
  WEIR_RETURN_IF_ERROR(node.checkObject(
      {"between", "bytes_per_second", "latency_seconds", "shared"}, 2));
  Node between = node.at("between");
  if (!between.value.is_array() || between.value.size() != 2)
    return between.expected("a list of two device names");
  WEIR_ASSIGN_OR_RETURN(DeviceName from, readDeviceName(between.at(0)));
  WEIR_ASSIGN_OR_RETURN(DeviceName to, readDeviceName(between.at(1)));
  for (size_t i = 0; i < 2; ++i)
    if (!names.contains(i ? to : from))
      return between.at(i).expected(
          fmt::format("one of the devices ({})", toString(topology.names())));
  if (from == to)
    return between.expected("two different devices");
  if (topology.link(from, to))
    return between.expected("two devices without a link listed before");
  LinkDesc link;
  WEIR_RETURN_IF_ERROR(readRate(node, "bytes_per_second", link.bytesPerSecond));
  WEIR_RETURN_IF_ERROR(
      readSeconds(node, "latency_seconds", link.latencySeconds));
  if (node.has("shared")) {
    WEIR_ASSIGN_OR_RETURN(link.shared, readText(node.at("shared")));
  }
  topology.links[{from, to}] = topology.links[{to, from}] = link;
  return Status::ok();
}

/// Checks a text before it is read as JSON. The check finds two errors that the
/// reader does not find. A key may occur twice, and the reader keeps the last
/// one. Values may be nested so deeply that they overflow the stack. The time
/// is linear in the length of the text. With nlohmann's `parser_callback_t`, it
/// would be quadratic.
class JsonChecker final : public nlohmann::json_sax<Json> {
public:
  explicit JsonChecker(std::string_view text) : text(text) {}

  bool start_object(size_t) override { return enter({.isList = false}); }
  bool start_array(size_t) override { return enter({.isList = true}); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t &name) override {
    if (!levels.back().keys.insert(name).second)
      return failAtLevel(fmt::format(
          "the key \"{}\" occurs twice in one object", printable(name)));
    levels.back().key = name;
    return true;
  }
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t &) override {
    return count();
  }
  bool string(string_t &) override { return count(); }
  bool binary(binary_t &) override { return count(); }
  bool parse_error(size_t position, const std::string &token,
                   const Json::exception &error) override {
    // The last character that was read may be the end of the line.
    const size_t line = lineOf(text, std::max<size_t>(position, 1) - 1);
    if (dynamic_cast<const Json::out_of_range *>(&error))
      return fail(fmt::format("line {}: expected a number from -1.79e308 to "
                              "1.79e308, found {}",
                              line, quoted(printable(token))));
    const size_t at = std::min(std::max<size_t>(position, 1) - 1, text.size());
    const size_t lineBegin = text.substr(0, at).rfind('\n') + 1;
    return fail(fmt::format("line {}: malformed JSON at column {}; {}", line,
                            at - lineBegin + 1, repairAt(at)));
  }

  Status status;

private:
  /// The advice about the character at `at`, which JSON does not allow there.
  std::string_view repairAt(size_t at) const {
    const std::string_view before = text.substr(0, at);
    const size_t last = before.find_last_not_of(" \t\r\n");
    const char found = at < text.size() ? text[at] : '\0';
    // The reader stops behind the first character of a comment or word.
    const char begun = last == before.npos ? '\0' : before[last];
    if (found == '\0')
      return "the text ends too early: close each bracket and quote";
    if ((found == ']' || found == '}') && begun == ',')
      return "remove the comma in front of it";
    if (found == '/' || found == '#' || begun == '/')
      return "JSON has no comments";
    if (found == '\'')
      return "texts and keys are in double quotes";
    return "check its commas, quotes and brackets";
  }

  static constexpr size_t mostLevels = 64;

  /// A list or object that has not ended.
  struct Level {
    bool isList;
    /// The number of values so far, if it is a list.
    size_t numValues = 0;
    /// The last key, if it is an object. `keys` has all keys so far.
    std::string key = {};
    std::set<std::string> keys = {};
  };

  bool enter(Level level) {
    if (levels.size() == mostLevels)
      return failAtLevel(fmt::format(
          "expected at most {} levels of lists and objects", mostLevels));
    count();
    levels.push_back(std::move(level));
    return true;
  }
  bool leave() {
    levels.pop_back();
    return true;
  }
  bool count() {
    if (!levels.empty())
      ++levels.back().numValues;
    return true;
  }
  bool failAtLevel(std::string_view message) {
    std::string path;
    for (size_t i = 0; i + 1 < levels.size(); ++i)
      path += levels[i].isList ? fmt::format("[{}]", levels[i].numValues - 1)
                               : fmt::format("{}{}", i == 0 ? "" : ".",
                                             printable(levels[i].key));
    return fail(fmt::format("{}: {}", path.empty() ? "top level" : quoted(path),
                            message));
  }
  bool fail(std::string message) {
    status = invalidArgument(std::move(message));
    return false;
  }

  std::string_view text;
  std::vector<Level> levels;
};

StatusOr<Json> parseJson(std::string_view text) {
  if (const size_t zero = text.find('\0'); zero != text.npos)
    return invalidArgument(
        fmt::format("line {}: expected JSON in UTF-8, found a byte of 0",
                    lineOf(text, zero)));
  JsonChecker checker(text);
  Json::sax_parse(text, &checker);
  WEIR_RETURN_IF_ERROR(std::move(checker.status));
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

StatusOr<Topology> readRoot(const Json &root) {
  Node node{root, ""};
  WEIR_RETURN_IF_ERROR(node.checkObject({"devices", "links"}, 1));
  Node devices = node.at("devices");
  if (!devices.value.is_array() || devices.value.empty() ||
      devices.value.size() > maxDevices)
    return devices.expected(
        fmt::format("a list of 1 to {} devices", maxDevices));
  Topology topology;
  for (size_t i = 0; i < devices.value.size(); ++i)
    WEIR_RETURN_IF_ERROR(readDevice(devices.at(i), topology));
  if (!node.has("links"))
    return topology;
  Node links = node.at("links");
  if (!links.value.is_array())
    return links.expected("a list of links");
  const std::vector<DeviceName> listed = topology.names();
  const std::set<DeviceName> names(listed.begin(), listed.end());
  for (size_t i = 0; i < links.value.size(); ++i)
    WEIR_RETURN_IF_ERROR(readLink(links.at(i), names, topology));
  return topology;
}

} // namespace

bool DeviceDesc::allowsKernel(std::string_view name) const {
  auto lists = [&](const std::vector<std::string> &names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return kernels ? lists(*kernels) : !lists(excludedKernels);
}

std::optional<size_t> Topology::indexOf(DeviceName name) const {
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i].name == name)
      return i;
  return std::nullopt;
}

const LinkDesc *Topology::link(DeviceName from, DeviceName to) const {
  const auto found = links.find({from, to});
  return found == links.end() ? nullptr : &found->second;
}

std::vector<DeviceName> Topology::names() const {
  std::vector<DeviceName> out;
  for (const DeviceDesc &device : devices)
    out.push_back(device.name);
  return out;
}

void Topology::keepOnly(const std::function<bool(DeviceName)> &isKept) {
  std::erase_if(devices,
                [&](const DeviceDesc &device) { return !isKept(device.name); });
  std::erase_if(links, [&](const auto &link) {
    return !isKept(link.first.first) || !isKept(link.first.second);
  });
}

Topology Topology::of(const std::vector<DeviceName> &names) {
  Topology topology;
  for (const DeviceName &name : names) {
    DeviceDesc device;
    device.name = name;
    topology.devices.push_back(std::move(device));
  }
  return topology;
}

StatusOr<Topology> weir::parseTopology(std::string_view json,
                                       std::string_view source) {
  StatusOr<Json> root = parseJson(json);
  if (!root)
    return std::move(root).status().withContext(source);
  StatusOr<Topology> topology = readRoot(*root);
  if (!topology)
    return std::move(topology).status().withContext(source);
  return topology;
}

StatusOr<Topology> weir::readTopology(const std::string &path) {
  const std::string what =
      fmt::format("cannot read the topology file '{}'", printable(path));
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return systemError(what, EISDIR);
  // A character device such as /dev/zero has no end.
  if (std::error_code error; std::filesystem::is_character_file(path, error))
    return invalidArgument(what + ": it is a device; expected a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file)
    text << file.rdbuf();
  if (!file || file.bad())
    return systemError(what, errno ? errno : EIO);
  if (text.view().empty())
    return invalidArgument(what + ": it is empty; expected an object with the "
                                  "key \"devices\"");
  if (std::optional<FileKind> kind = recogniseFile(text.view()))
    return invalidArgument(fmt::format("{}: it is {}; expected JSON in UTF-8",
                                       what, describe(*kind)));
  return parseTopology(text.str(), path);
}
