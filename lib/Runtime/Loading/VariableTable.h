//===- VariableTable.h - The variables of a model ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_VARIABLETABLE_H
#define WEIR_LIB_RUNTIME_LOADING_VARIABLETABLE_H

#include "DevicePool.h"
#include "ModelMemory.h"
#include "Plan.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A parameter that some entry assigns, alone or as a part of a bucket.
struct Variable {
  std::string name;
  TensorDesc desc;
  size_t device = 0;
  void *data = nullptr;
  /// The class of the variable. Variables that the same plans read and the same
  /// plans write form a class.
  size_t variableClass = 0;
  /// Whether the variable holds a value. A run or a call that failed or was
  /// stopped while it wrote the variable leaves it without a value.
  bool isValid = true;
};

/// The variables of a model, numbered as `ModelMemory::parametersOf` says. The
/// admission decides who may use their values.
class VariableTable {
public:
  /// Forms the classes of variables, and writes into each plan which classes it
  /// uses.
  VariableTable(const artifact::Artifact &artifact,
                const artifact::Variant &variant, const ModelMemory &memory,
                std::span<const std::unique_ptr<Plan>> plans);

  size_t numClasses() const { return classCount; }

  size_t size() const { return variables.size(); }
  const Variable &operator[](size_t index) const { return variables[index]; }
  /// The position of the variable `name`, or nothing.
  std::optional<size_t> find(std::string_view name) const;

  /// Whether some variable is not valid.
  bool hasInvalid() const { return numInvalid != 0; }
  void setValid(size_t index, bool isValid);
  /// Ok if all of `indices` are valid; else an error that names a variable
  /// without a value.
  Status checkValid(std::span<const uint32_t> indices) const;
  Status checkValid(size_t index) const;

private:
  void formClasses(std::span<const std::unique_ptr<Plan>> plans);

  std::vector<Variable> variables;
  std::map<std::string, size_t, std::less<>> byName;
  size_t classCount = 0;
  size_t numInvalid = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_VARIABLETABLE_H
