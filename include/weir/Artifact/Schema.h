//===- Schema.h - The generated FlatBuffers schema -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Always include weir_generated.h through this file: it disables our warnings
// for generated code.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_SCHEMA_H
#define WEIR_ARTIFACT_SCHEMA_H

#pragma GCC system_header
#include "weir/Artifact/weir_generated.h"

#endif // WEIR_ARTIFACT_SCHEMA_H
