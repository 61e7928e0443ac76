//===- TunedChoices.h - Keeps what tuning has found -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_TUNEDCHOICES_H
#define WEIR_LIB_PLUGINS_CUDA_TUNEDCHOICES_H

#include "weir/Support/Status.h"

#include <optional>
#include <string>

namespace weir {

/// The choice that was kept under `key`, if there is one. `problem` gets the
/// error of the user's cache, if there is one. Thread-safe.
std::optional<std::string> findChoice(const std::string &key, Status &problem);

/// Keeps `choice` in the user's cache. If that fails, it is kept until the
/// process ends. Thread-safe.
Status keepChoice(const std::string &key, const std::string &choice);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_TUNEDCHOICES_H
