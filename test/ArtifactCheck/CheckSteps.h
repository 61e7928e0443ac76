//===- CheckSteps.h - Compares steps of training on two devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_ARTIFACTCHECK_CHECKSTEPS_H
#define WEIR_TEST_ARTIFACTCHECK_CHECKSTEPS_H

#include "CheckArtifacts.h"

namespace weir::opcheck {

/// Trains the artifact FOLDER/NAME.weir and FOLDER/cpu/NAME.weir on the data in
/// FOLDER/NAME.safetensors, and compares what they compute, as
/// ArtifactCheck.cpp says. An artifact that fails is printed and counted. It is
/// an error if one cannot be loaded, or the first one runs without `device`.
Status checkSteps(const std::string &path, const std::string &device,
                  Totals &totals);

} // namespace weir::opcheck

#endif // WEIR_TEST_ARTIFACTCHECK_CHECKSTEPS_H
