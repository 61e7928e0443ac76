//===- Expectations.cpp - The outputs that a run should have ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Expectations.h"

#include "TensorArguments.h"
#include "weir/Support/Counted.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/Printable.h"
#include "weir/Support/TensorFile.h"
#include "weir/Support/ToolMain.h"

#include <fmt/format.h>

using namespace weir;

/// "--expect y".
static std::string describeFlag(const TensorInfo &port) {
  return fmt::format("--expect {}", printable(port.name));
}

/// Floats of all types can be compared with each other, as can integers.
static Status checkExpectation(const HostTensor &values, const TensorInfo &info,
                               const TensorArgument &argument) {
  if (values.dims() == info.desc.dims &&
      isFloat(values.type()) == isFloat(info.desc.type))
    return Status::ok();
  return invalidArgument(fmt::format(
      "{}: the output is {}, found {} in '{}'; {}", describeFlag(info),
      info.desc.toString(), values.desc().toString(), printable(argument.value),
      values.dims() == info.desc.dims
          ? fmt::format("convert its elements to {}", toString(info.desc.type))
          : "give the expected values in the output's shape"));
}

StatusOr<Expectations>
Expectations::read(std::span<const std::string> arguments,
                   std::span<const TensorInfo> ports) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<TensorArgument> parsed,
                        parseTensorArguments(arguments, ports, "--expect"));
  Expectations expectations;
  for (const TensorArgument &argument : parsed) {
    const TensorInfo &port = ports[argument.port];
    StatusOr<HostTensor> values = readTensorFile(argument.value);
    if (!values)
      return offerForms(std::move(values).status(), argument.value,
                        "FILE.npy or FILE.pb")
          .withContext(describeFlag(port));
    WEIR_RETURN_IF_ERROR(checkExpectation(*values, port, argument));
    expectations.all.push_back(
        {argument.port, argument.value, *std::move(values)});
  }
  return expectations;
}

void Expectations::addFiles(std::span<const TensorInfo> ports,
                            FileUses &uses) const {
  for (const Expectation &each : all)
    uses.reads(describeFlag(ports[each.port]), each.file);
}

Status Expectations::compare(std::span<const TensorInfo> ports,
                             std::span<const HostTensor> outputs,
                             const Tolerance &tolerance) const {
  size_t numDifferent = 0;
  for (const Expectation &each : all) {
    const std::string name =
        fmt::format("output '{}'", printable(ports[each.port].name));
    const HostTensor &found = outputs[each.port];
    auto comparison = compareTensors(found, each.values, tolerance);
    if (!comparison)
      return std::move(comparison).status().withContext(name);
    if (comparison->numDifferent == 0)
      continue;
    ++numDifferent;
    printReport(toTable(*comparison, found.dims(), name));
  }
  if (numDifferent == 0)
    return Status::ok();
  return invalidArgument(fmt::format(
      "differences beyond rtol {} and atol {} in {}", tolerance.rtol,
      tolerance.atol, counted(numDifferent, "output")));
}
