//===- GeneratedCases.h - Runs cases as generated code --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_OPCHECK_GENERATEDCASES_H
#define WEIR_TEST_OPCHECK_GENERATEDCASES_H

#include "Cases.h"
#include "Generated.h"

namespace weir::opcheck {

/// All cases of a module. Each is the cluster of one generated kernel.
class GeneratedCases {
public:
  static StatusOr<GeneratedCases> compile(const std::vector<Case> &cases,
                                          Machine machine, bool isAssembled);

  /// The results of `testCase` with its tasks divided into `numRanges` ranges.
  /// On a GPU, tasks are not divided: if there are several ranges, the threads
  /// of a block run in the opposite order.
  StatusOr<std::vector<HostTensor>> run(const Case &testCase,
                                        unsigned numRanges) const;

private:
  ClusterCode code;
};

} // namespace weir::opcheck

#endif // WEIR_TEST_OPCHECK_GENERATEDCASES_H
