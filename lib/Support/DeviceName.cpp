//===- DeviceName.cpp - Names of devices and lists of them -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DeviceName.h"

#include "weir/Support/DevicePlugin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

using namespace weir;

namespace {

constexpr std::string_view validNames =
    "expected KIND:INDEX such as cpu:0, host:2/cpu:0 or /device:GPU:0";

/// `text` for a message: in quotes, shortened, without control characters.
std::string quoted(std::string_view text) {
  constexpr size_t longest = 60;
  std::string out = "'";
  for (char c : text.substr(0, longest)) {
    bool isPrintable = c >= 0x20 && c < 0x7f;
    out += isPrintable ? std::string(1, c)
                       : fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
  }
  return out + (text.size() > longest ? "...'" : "'");
}

Status malformed(std::string_view name, std::string_view why) {
  return invalidArgument(fmt::format("malformed device name {}: {}; {}",
                                     quoted(name), why, validNames));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Parses a decimal number of at most maxDeviceIndex. `text` must contain
/// nothing else.
std::optional<uint32_t> parseIndex(std::string_view text) {
  uint32_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = value * 10 + static_cast<uint32_t>(c - '0');
    if (value > maxDeviceIndex)
      return std::nullopt;
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

Status badIndex(std::string_view name, std::string_view what,
                std::string_view text) {
  return malformed(name, fmt::format("the {} {} is not a number from 0 to {}",
                                     what, quoted(text), maxDeviceIndex));
}

/// Removes `prefix` from the beginning of `text`, if it is there.
bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Parses a kind in the words of TensorFlow: CPU is `cpu`, and GPU is `cuda`.
/// Old versions of TensorFlow also accepted small letters.
StatusOr<DeviceKind> parseTensorFlowKind(std::string_view text) {
  std::string name = lower(text);
  return parseDeviceKind(name == "gpu" ? "cuda" : std::string_view(name));
}

/// Parses "KIND:INDEX", which is the end of the name `whole`.
Status parseKindAndIndex(std::string_view whole, std::string_view text,
                         bool isTensorFlow, DeviceName &device) {
  size_t colon = text.find(':');
  std::string_view kind = text.substr(0, colon);
  if (kind.empty())
    return malformed(whole, "the device kind is missing");
  if (kind.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                             "VWXYZ0123456789_") != kind.npos)
    return malformed(whole,
                     fmt::format("{} is not a device kind", quoted(kind)));
  bool isCapital = kind == "CPU" || kind == "GPU";
  StatusOr<DeviceKind> known = isTensorFlow || isCapital
                                   ? parseTensorFlowKind(kind)
                                   : parseDeviceKind(kind);
  if (!known)
    return std::move(known).status().withContext(quoted(whole));
  if (colon == text.npos)
    return malformed(whole, "the device index is missing");
  std::optional<uint32_t> index = parseIndex(text.substr(colon + 1));
  if (!index)
    return badIndex(whole, "device index", text.substr(colon + 1));
  device.kind = *known;
  device.index = *index;
  return Status::ok();
}

/// Parses "/job:NAME/replica:N/task:N/device:KIND:INDEX". Only the last part is
/// required, and its "device:" may be omitted.
StatusOr<DeviceName> parseTensorFlowName(std::string_view whole) {
  DeviceName device;
  std::string_view text = whole.substr(1);
  while (true) {
    size_t slash = text.find('/');
    if (slash == text.npos)
      break;
    std::string_view part = text.substr(0, slash);
    text.remove_prefix(slash + 1);
    if (consume(part, "job:")) {
      if (part.empty())
        return malformed(whole, "the job has no name");
    } else if (consume(part, "task:")) {
      std::optional<uint32_t> host = parseIndex(part);
      if (!host)
        return badIndex(whole, "task", part);
      device.host = *host;
    } else if (consume(part, "replica:")) {
      if (!parseIndex(part))
        return badIndex(whole, "replica", part);
    } else {
      return malformed(whole, fmt::format("{} is none of job:NAME, replica:N "
                                          "and task:N",
                                          quoted(part)));
    }
  }
  consume(text, "device:");
  WEIR_RETURN_IF_ERROR(parseKindAndIndex(whole, text, true, device));
  return device;
}

/// Parses one element of a list, and adds its devices to `devices`. An element
/// is a name, or a range such as "cpu:0-3".
Status parseListElement(std::string_view text,
                        std::vector<DeviceName> &devices) {
  size_t dash = text.rfind('-');
  size_t colon = text.rfind(':');
  // "cpu:-1" is a name with a wrong index, and not a range without a beginning.
  bool isRange = dash != text.npos && colon != text.npos && dash > colon + 1;
  WEIR_ASSIGN_OR_RETURN(DeviceName device,
                        parseDeviceName(isRange ? text.substr(0, dash) : text));
  uint32_t last = device.index;
  if (isRange) {
    std::optional<uint32_t> end = parseIndex(text.substr(dash + 1));
    if (!end)
      return badIndex(text, "end of the range", text.substr(dash + 1));
    if (*end < device.index)
      return malformed(text, "the range runs backwards");
    last = *end;
  }
  if (last - device.index >= maxDevices - devices.size())
    return invalidArgument(fmt::format(
        "the device list has more than {} devices; name fewer", maxDevices));
  for (; device.index <= last; ++device.index)
    devices.push_back(device);
  return Status::ok();
}

} // namespace

/// The names of all kinds, for an error: the kinds that are built in, and the
/// kinds of plug-ins.
static std::vector<std::string> listKinds() {
  std::vector<std::string> names;
  for (DeviceKind kind : deviceKinds())
    names.emplace_back(kind->name);
  for (std::string &name : listDevicePlugins())
    if (std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  return names;
}

StatusOr<DeviceKind> weir::parseDeviceKind(std::string_view name) {
  for (DeviceKind kind : {DeviceKind::CPU, DeviceKind::Null})
    if (kind->name == name)
      return kind;
  StatusOr<const DevicePlugin *> plugin = findDevicePlugin(name);
  if (plugin)
    return DeviceKind((*plugin)->kind);
  if (plugin.status().code() != StatusCode::NotFound)
    return std::move(plugin).status();
  const std::string kinds = fmt::format("{}", fmt::join(listKinds(), ", "));
  if (lower(name) == "gpu")
    return invalidArgument(fmt::format(
        "unknown device kind {}; expected {} (a GPU of NVIDIA is cuda)",
        quoted(name), kinds));
  // "cpu0" and "0" are mistakes, so no plug-in is searched for them.
  const std::string_view letters =
      name.substr(0, name.find_first_of("0123456789"));
  if (letters.empty() || std::ranges::count(listKinds(), letters))
    return invalidArgument(
        fmt::format("unknown device kind {}; expected KIND:INDEX such as {}:{}",
                    quoted(name), letters.empty() ? "cpu" : letters,
                    name.substr(letters.size())));
  return invalidArgument(fmt::format("unknown device kind {}; expected {}; "
                                     "{}",
                                     quoted(name), kinds,
                                     plugin.status().message()));
}

std::string DeviceName::toString() const {
  std::string name = fmt::format("{}:{}", weir::toString(kind), index);
  return host ? fmt::format("host:{}/{}", host, name) : name;
}

StatusOr<DeviceName> weir::parseDeviceName(std::string_view text) {
  if (text.empty())
    return malformed(text, "it is empty");
  if (text[0] == '/')
    return parseTensorFlowName(text);
  DeviceName device;
  std::string_view rest = text;
  if (consume(rest, "host:")) {
    size_t slash = rest.find('/');
    if (slash == rest.npos)
      return malformed(text, "the host is not followed by '/' and a device");
    std::optional<uint32_t> host = parseIndex(rest.substr(0, slash));
    if (!host)
      return badIndex(text, "host", rest.substr(0, slash));
    device.host = *host;
    rest.remove_prefix(slash + 1);
  }
  WEIR_RETURN_IF_ERROR(parseKindAndIndex(text, rest, false, device));
  return device;
}

bool weir::isCanonicalDeviceName(std::string_view text) {
  auto isNumber = [](std::string_view digits) {
    return parseIndex(digits) && (digits.size() == 1 || digits[0] != '0');
  };
  if (consume(text, "host:")) {
    const size_t slash = text.find('/');
    if (slash == text.npos || text[0] == '0' ||
        !isNumber(text.substr(0, slash)))
      return false;
    text.remove_prefix(slash + 1);
  }
  const size_t colon = text.find(':');
  if (colon == 0 || colon == text.npos || !isNumber(text.substr(colon + 1)))
    return false;
  return text.substr(0, colon).find_first_not_of(
             "abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

StatusOr<std::vector<DeviceName>> weir::parseDeviceList(std::string_view text) {
  std::vector<DeviceName> devices;
  if (text.empty())
    return invalidArgument(
        "the device list is empty; expected names such as cpu:0-1,cuda:0");
  if (const size_t at = text.find_first_of(";| "); at != text.npos)
    return invalidArgument(
        fmt::format("malformed device list {}: expected ',' between devices, "
                    "without spaces, found '{}'",
                    quoted(text), text[at]));
  while (true) {
    size_t comma = text.find(',');
    WEIR_RETURN_IF_ERROR(parseListElement(text.substr(0, comma), devices));
    if (comma == text.npos)
      break;
    text.remove_prefix(comma + 1);
  }
  std::set<DeviceName> seen;
  for (const DeviceName &device : devices)
    if (!seen.insert(device).second)
      return invalidArgument(
          fmt::format("the device list names {} twice; name each device once",
                      device.toString()));
  return devices;
}

std::string weir::toString(const std::vector<DeviceName> &devices) {
  std::string out;
  for (const DeviceName &device : devices)
    out += (out.empty() ? "" : ", ") + device.toString();
  return out;
}
