//===- TensorArguments.cpp - Parses tensors on the command line -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TensorArguments.h"

#include "../Session/PortCheck.h"
#include "weir/Support/Counted.h"
#include "weir/Support/ElementWalk.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Random.h"
#include "weir/Support/TensorFile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

using namespace weir;

StatusOr<std::vector<NamedValue>>
weir::splitTensorArguments(std::span<const std::string> arguments,
                           std::string_view flag) {
  std::vector<NamedValue> named;
  std::map<std::string, std::string> seen;
  for (const std::string &argument : arguments) {
    // A name has one character at least.
    const size_t equals = argument.find('=', 1);
    if (equals == argument.npos || equals + 1 == argument.size())
      return invalidArgument(
          fmt::format("{} {}: expected NAME=FILE", flag, argument));
    named.push_back({argument.substr(0, equals), argument.substr(equals + 1)});
    // If there is another '=', the name may extend to it.
    const bool isSure = named.back().value.find('=') == std::string::npos;
    if (!isSure)
      continue;
    auto [other, isNew] = seen.emplace(named.back().name, argument);
    if (!isNew)
      return givenTwice(other->first, other->second, argument)
          .withContext(flag);
  }
  return named;
}

/// The port with the longest name with which `argument`, "NAME=VALUE", begins.
/// Names may contain a '=' too.
static std::optional<size_t> findPort(std::string_view argument,
                                      std::span<const TensorInfo> ports) {
  std::optional<size_t> found;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string &name = ports[i].name;
    if (argument.size() > name.size() + 1 && argument.starts_with(name) &&
        argument[name.size()] == '=' &&
        (!found || name.size() > ports[*found].name.size()))
      found = i;
  }
  return found;
}

/// Checks that `value` is for one port only. "x.npy,y=z.npy" is for two, if
/// there is a port `y`.
static Status checkOneValue(std::string_view value,
                            std::span<const TensorInfo> ports) {
  for (size_t at = value.find_first_of(",;"); at != value.npos;
       at = value.find_first_of(",;", at + 1))
    if (findPort(value.substr(at + 1), ports))
      return invalidArgument("expected one value" +
                             describeList(value.substr(at, 1)));
  return Status::ok();
}

StatusOr<std::vector<TensorArgument>>
weir::parseTensorArguments(std::span<const std::string> arguments,
                           std::span<const TensorInfo> ports,
                           std::string_view flag) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<NamedValue> named,
                        splitTensorArguments(arguments, flag));
  std::vector<TensorArgument> parsed;
  std::map<size_t, std::string> seen;
  for (size_t i = 0; i < named.size(); ++i) {
    const std::optional<size_t> port = findPort(arguments[i], ports);
    if (!port)
      return invalidArgument(
          fmt::format("{} {}: there is no '{}'; there are {}", flag,
                      arguments[i], named[i].name, describePorts(ports)));
    const std::string &name = ports[*port].name;
    auto [other, isNew] = seen.emplace(*port, arguments[i]);
    if (!isNew)
      return givenTwice(name, other->second, arguments[i]).withContext(flag);
    parsed.push_back({*port, arguments[i].substr(name.size() + 1)});
    WEIR_RETURN_IF_ERROR(
        checkOneValue(parsed.back().value, ports)
            .withContext(fmt::format("{} {}", flag, arguments[i])));
  }
  return parsed;
}

/// The seed of "random" or "random:SEED"; nothing if `value` is something else.
static StatusOr<std::optional<uint64_t>> parseRandom(std::string_view value) {
  constexpr std::string_view word = "random";
  if (value == word)
    return std::optional<uint64_t>(0);
  if (value.substr(0, word.size() + 1) != "random:")
    return std::optional<uint64_t>();
  const std::string_view digits = value.substr(word.size() + 1);
  uint64_t seed = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (error != std::errc() || end != digits.data() + digits.size())
    return invalidArgument(fmt::format(
        "the seed '{}' is not a number from 0 to 2^64 - 1; expected random or "
        "random:SEED",
        digits));
  return std::optional<uint64_t>(seed);
}

Status weir::checkInputArguments(std::span<const std::string> arguments) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<NamedValue> named,
                        splitTensorArguments(arguments, "--input"));
  for (const NamedValue &argument : named)
    if (Status status = parseRandom(argument.value).status(); !status.isOk())
      return std::move(status).withContext(
          fmt::format("--input {}", argument.name));
  return Status::ok();
}

StatusOr<HostTensor> weir::randomTensor(const TensorDesc &desc, uint64_t seed) {
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  SplitMix64 random(seed);
  const int64_t limit = desc.type == DType::I1 ? 2 : 100;
  for (int64_t i = 0; i < desc.numElements(); ++i) {
    const uint64_t bits = random.next() >> 11;
    if (isFloat(desc.type))
      storeFloat(desc.type, tensor.data(), i,
                 static_cast<double>(bits) * 0x1p-52 - 1);
    else
      storeInt(desc.type, tensor.data(), i, static_cast<int64_t>(bits) % limit);
  }
  return tensor;
}

/// `tensor`, rounded to bf16. numpy has no bf16, so files hold such tensors as
/// f32.
static StatusOr<HostTensor> toBFloat16(const HostTensor &tensor) {
  WEIR_ASSIGN_OR_RETURN(HostTensor rounded,
                        HostTensor::zeros(DType::BF16, tensor.dims()));
  for (int64_t i = 0; i < tensor.desc().numElements(); ++i)
    storeFloat(DType::BF16, rounded.data(), i,
               loadFloat(DType::F32, tensor.data(), i));
  return rounded;
}

/// How to repair a tensor whose type or shape differs from the input's.
static std::string repairTensor(const HostTensor &tensor,
                                const TensorInfo &info) {
  const std::string convert =
      tensor.type() == info.desc.type
          ? ""
          : fmt::format("convert its elements to {}", toString(info.desc.type));
  if (tensor.dims() == info.desc.dims)
    return convert;
  if (tensor.dims().size() != info.desc.dims.size())
    return fmt::format("reshape it: the model has {} here, whatever --shape it "
                       "is compiled with{}",
                       counted(info.desc.dims.size(), "dim"),
                       convert.empty() ? "" : ", and " + convert);
  if (std::ranges::is_permutation(tensor.dims(), info.desc.dims))
    return "transpose it, so that its dims have this order" +
           (convert.empty() ? "" : ", and " + convert);
  const bool fits = tensor.desc().numElements() == info.desc.numElements();
  return fmt::format("{}, or, if the graph leaves these dims open, compile it "
                     "with --shape={}:{}{}",
                     fits ? "reshape it" : "give a tensor of this shape",
                     printable(info.name), fmt::join(tensor.dims(), "x"),
                     convert.empty() ? "" : "; and " + convert);
}

/// Refuses the first file that does not fit its input, if it was exchanged with
/// the file of another input.
static Status checkExchange(const InputArguments &given,
                            std::span<const TensorInfo> ports) {
  const auto fits = [&](size_t file, size_t argument) {
    return given.files[file] && given.files[file]->desc() ==
                                    ports[given.arguments[argument].port].desc;
  };
  size_t first = 0;
  while (first < given.arguments.size() &&
         (!given.files[first] || fits(first, first)))
    ++first;
  for (size_t i = first + 1; i < given.arguments.size(); ++i)
    if (fits(i, first) && fits(first, i))
      return invalidArgument(fmt::format(
          "'{}' fits input '{}', and '{}' input '{}'; exchange the two files",
          printable(given.arguments[first].value),
          printable(ports[given.arguments[i].port].name),
          printable(given.arguments[i].value),
          printable(ports[given.arguments[first].port].name)));
  return Status::ok();
}

/// Checks that the tensor of a file matches the input; the error says how to
/// repair it.
static Status checkTensor(const HostTensor &tensor, const TensorInfo &info,
                          const std::string &path) {
  if (tensor.type() == info.desc.type && tensor.dims() == info.desc.dims)
    return Status::ok();
  return invalidArgument(
      fmt::format("expected {}, found {} in '{}'; {}", info.desc.toString(),
                  tensor.desc().toString(), path, repairTensor(tensor, info)));
}

/// The tensor of an input, made from the tensor of its file.
static StatusOr<HostTensor> convertInput(HostTensor tensor,
                                         const TensorInfo &info,
                                         const std::string &path) {
  if (info.desc.type == DType::BF16 && tensor.type() == DType::F32) {
    WEIR_ASSIGN_OR_RETURN(tensor, toBFloat16(tensor));
  }
  WEIR_RETURN_IF_ERROR(checkTensor(tensor, info, path));
  return tensor;
}

static StatusOr<HostTensor> randomInput(const TensorArgument &argument,
                                        const TensorInfo &info) {
  WEIR_ASSIGN_OR_RETURN(const std::optional<uint64_t> seed,
                        parseRandom(argument.value));
  // Inputs with the same seed should still differ.
  return randomTensor(info.desc, *seed * 1000003 + argument.port);
}

bool weir::isRandom(std::string_view value) {
  const auto seed = parseRandom(value);
  return seed.isOk() && *seed;
}

/// Whether random elements of `info` are integers.
static bool drawsIntegers(const TensorInfo &info) {
  return !isFloat(info.desc.type) && info.desc.type != DType::I1;
}

/// The name of the integer type `type` in numpy.
static std::string numpyName(DType type) {
  return fmt::format("{}int{}", isUnsigned(type) ? "u" : "",
                     8 * byteSize(type));
}

std::string weir::describeRandomIntegers(const InputArguments &given,
                                         std::span<const TensorInfo> ports) {
  for (size_t i = 0; i < given.arguments.size(); ++i) {
    const TensorInfo &info = ports[given.arguments[i].port];
    if (!given.files[i] && drawsIntegers(info))
      return fmt::format("; --input {0}=random gives integers from 0 to 99; if "
                         "the model takes fewer, give --input {0}=FILE.npy, as "
                         "numpy.save('FILE.npy', numpy.zeros([{1}], '{2}')) "
                         "writes it",
                         printable(info.name), fmt::join(info.desc.dims, ", "),
                         numpyName(info.desc.type));
  }
  return {};
}

std::string weir::describeNonFinite(std::span<const TensorArgument> given,
                                    std::span<const TensorInfo> ports,
                                    std::span<const HostTensor> inputs) {
  for (const TensorArgument &argument : given) {
    const HostTensor &tensor = inputs[argument.port];
    const int64_t count =
        isFloat(tensor.type()) ? tensor.desc().numElements() : 0;
    for (int64_t i = 0; i < count; ++i) {
      const double value = loadFloat(tensor.type(), tensor.data(), i);
      if (!std::isfinite(value))
        return fmt::format("; input '{}' holds {} at [{}] itself ('{}')",
                           printable(ports[argument.port].name),
                           std::isnan(value) ? "nan" : "inf",
                           fmt::join(unravelIndex(i, tensor.dims()), ", "),
                           printable(argument.value));
    }
  }
  return {};
}

/// The value of an input that no command reads.
static StatusOr<HostTensor> unreadInput(const TensorInfo &info) {
  return HostTensor::zeros(info.desc.type, info.desc.dims);
}

/// "input 'x'".
static std::string describeInput(const TensorInfo &info) {
  return fmt::format("input '{}'", printable(info.name));
}

StatusOr<InputArguments>
weir::readInputs(std::span<const std::string> arguments,
                 std::span<const TensorInfo> ports) {
  InputArguments given;
  WEIR_ASSIGN_OR_RETURN(given.arguments,
                        parseTensorArguments(arguments, ports, "--input"));
  for (const TensorArgument &argument : given.arguments) {
    auto seed = parseRandom(argument.value);
    if (!seed)
      return std::move(seed).status().withContext(
          describeInput(ports[argument.port]));
    auto &file = given.files.emplace_back();
    if (*seed)
      continue;
    auto tensor = readTensorFile(argument.value);
    if (!tensor)
      return offerForms(std::move(tensor).status(), argument.value,
                        "FILE.npy, FILE.pb, random or random:SEED")
          .withContext(describeInput(ports[argument.port]));
    file = *std::move(tensor);
  }
  return given;
}

StatusOr<std::vector<HostTensor>>
weir::makeInputs(InputArguments given, std::span<const TensorInfo> ports) {
  WEIR_RETURN_IF_ERROR(checkExchange(given, ports).withContext("--input"));
  std::vector<std::optional<HostTensor>> found(ports.size());
  for (size_t i = 0; i < given.arguments.size(); ++i) {
    const TensorArgument &argument = given.arguments[i];
    const TensorInfo &info = ports[argument.port];
    auto tensor = given.files[i] ? convertInput(*std::move(given.files[i]),
                                                info, argument.value)
                                 : randomInput(argument, info);
    if (!tensor)
      return std::move(tensor).status().withContext(describeInput(info));
    found[argument.port] = *std::move(tensor);
  }
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (!found[i] && !ports[i].isRead) {
      WEIR_ASSIGN_OR_RETURN(found[i], unreadInput(ports[i]));
    }
    if (!found[i])
      return invalidArgument(fmt::format(
          "input '{0}' is missing; give --input {0}=FILE.npy or --input "
          "{0}=random{1}; the inputs are {2}",
          printable(ports[i].name),
          drawsIntegers(ports[i]) ? " (integers from 0 to 99)" : "",
          describePorts(ports)));
    inputs.push_back(*std::move(found[i]));
  }
  return inputs;
}
