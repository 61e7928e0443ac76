//===- TensorArguments.h - Parses tensors on the command line -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_TENSORARGUMENTS_H
#define WEIR_LIB_RUNTIME_TOOLS_TENSORARGUMENTS_H

#include "weir/Runtime/Tensor.h"
#include "weir/Support/HostTensor.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// "NAME=VALUE", resolved to an input or output.
struct TensorArgument {
  size_t port;
  std::string value;
};

/// "NAME=VALUE".
struct NamedValue {
  std::string name, value;
};

/// Parses the arguments of the flag `flag`. A name may be given only once.
StatusOr<std::vector<NamedValue>>
splitTensorArguments(std::span<const std::string> arguments,
                     std::string_view flag);

/// Checks that the arguments of --input are well-formed, without the model.
Status checkInputArguments(std::span<const std::string> arguments);

/// Parses the arguments of the flag `flag`. For an unknown name, the error
/// lists the valid names.
StatusOr<std::vector<TensorArgument>>
parseTensorArguments(std::span<const std::string> arguments,
                     std::span<const TensorInfo> ports, std::string_view flag);

/// Whether the value of an --input is "random" or "random:SEED" and not a file.
bool isRandom(std::string_view value);

/// The arguments of --input, with the tensors of their files.
struct InputArguments {
  std::vector<TensorArgument> arguments;
  /// The tensor of each argument; nothing for a random input.
  std::vector<std::optional<HostTensor>> files;
};

/// Parses the arguments of --input and reads the files.
StatusOr<InputArguments> readInputs(std::span<const std::string> arguments,
                                    std::span<const TensorInfo> ports);

/// The inputs of a run, from files or random. Inputs that no command of the
/// model reads may be left out.
StatusOr<std::vector<HostTensor>> makeInputs(InputArguments given,
                                             std::span<const TensorInfo> ports);

/// The text that an error of a run adds about the first random input of
/// integers; empty if there is none.
std::string describeRandomIntegers(const InputArguments &given,
                                   std::span<const TensorInfo> ports);

/// The text that an error of --check-numerics adds about the first of the
/// `given` inputs that has a NaN or infinity itself; empty if there is none.
std::string describeNonFinite(std::span<const TensorArgument> given,
                              std::span<const TensorInfo> ports,
                              std::span<const HostTensor> inputs);

/// A tensor of `desc` that depends only on `seed`. Floats are uniform in [-1,
/// 1), integers in 0 to 99, booleans are 0 or 1.
StatusOr<HostTensor> randomTensor(const TensorDesc &desc, uint64_t seed);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_TENSORARGUMENTS_H
