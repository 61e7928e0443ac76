//===- Measure.h - Runs an artifact and measures the runs -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_BATCH_MEASURE_H
#define WEIR_TEST_BATCH_MEASURE_H

#include "weir/Support/Status.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weir::batch {

/// Loads `artifact` and runs it as `request` says (see Batch.cpp).
StatusOr<nlohmann::ordered_json> measure(const std::string &artifact,
                                         const nlohmann::json &request);

} // namespace weir::batch

#endif // WEIR_TEST_BATCH_MEASURE_H
