//===- FiniteChecks.cpp - Whether variables are finite --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The loss of a step is computed before the update of the step. So it does not
// show that the update has made variables NaN or infinite.
//
//===----------------------------------------------------------------------===//

#include "FiniteChecks.h"

#include "TrainingOption.h"
#include "weir/Support/Printable.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace weir;

/// The number of elements whose exponent has all its bits, `mask`, set. These
/// elements are NaN or infinite.
template <typename Bits>
static int64_t countFullExponents(std::span<const std::byte> bytes, Bits mask) {
  int64_t count = 0;
  for (size_t at = 0; at < bytes.size(); at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + at, sizeof(bits));
    count += (bits & mask) == mask;
  }
  return count;
}

int64_t weir::countNonFinite(const HostTensor &tensor) {
  switch (tensor.type()) {
  case DType::F16:
    return countFullExponents<uint16_t>(tensor.bytes(), 0x7c00);
  case DType::BF16:
    return countFullExponents<uint16_t>(tensor.bytes(), 0x7f80);
  case DType::F32:
    return countFullExponents<uint32_t>(tensor.bytes(), 0x7f800000);
  case DType::F64:
    return countFullExponents<uint64_t>(tensor.bytes(), 0x7ff0000000000000);
  default:
    return 0;
  }
}

int64_t weir::findFirstNonFinite(const HostTensor &tensor) {
  int64_t at = 0;
  while (std::isfinite(loadFloat(tensor.type(), tensor.data(), at)))
    ++at;
  return at;
}

std::string weir::suggestCheck(OptionNames names) {
  return fmt::format("find the first op whose result is not finite with {}",
                     nameOf(TrainingOption::CheckNumerics, names));
}

StatusOr<FiniteVariables> FiniteVariables::startingAt(const Session &session) {
  FiniteVariables variables;
  for (const VariableInfo &variable : session.variables()) {
    // A variable without a value cannot be read. Its first value has to be
    // finite.
    if (!isFloat(variable.desc.type) || !variable.isValid)
      continue;
    WEIR_ASSIGN_OR_RETURN(const HostTensor value,
                          session.getVariable(variable.name));
    if (countNonFinite(value) > 0)
      variables.accepted.insert(variable.name);
  }
  return variables;
}

Status FiniteVariables::check(std::string_view name,
                              const HostTensor &value) const {
  const int64_t count = countNonFinite(value);
  if (count == 0 || accepted.contains(name))
    return Status::ok();
  return dataLoss(fmt::format(
      "variable '{}' is not finite: {} of its {} elements are NaN or infinite; "
      "{}",
      printable(name), count, value.desc().numElements(), repairNonFinite));
}

Status FiniteVariables::check(const Session &session) const {
  for (const VariableInfo &variable : session.variables()) {
    if (!isFloat(variable.desc.type))
      continue;
    WEIR_ASSIGN_OR_RETURN(const HostTensor value,
                          session.getVariable(variable.name));
    WEIR_RETURN_IF_ERROR(check(variable.name, value));
  }
  return Status::ok();
}
