//===- Cubin.h - Machine code of NVIDIA's GPUs ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ARTIFACT_CUBIN_H
#define WEIR_LIB_ARTIFACT_CUBIN_H

#include <cstddef>
#include <span>
#include <string>

namespace weir::artifact {

/// What is wrong with machine code; empty if it may be loaded. The driver gets
/// the address of the code without its size, so wrong offsets would lead it to
/// bytes behind the code.
std::string findCubinDamage(std::span<const std::byte> bytes);

} // namespace weir::artifact

#endif // WEIR_LIB_ARTIFACT_CUBIN_H
