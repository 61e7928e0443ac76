//===- WriteArtifact.cpp - Writes the module as an artifact -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Support/SafeTensors.h"
#include "weir/Target/Artifact/Passes.h"
#include "weir/Target/Artifact/Translation.h"

using namespace mlir;
using namespace weir;

namespace weir {
#define GEN_PASS_DEF_EXECWRITEARTIFACT
#include "weir/Target/Artifact/Passes.h.inc"
} // namespace weir

namespace {
struct WriteArtifact : weir::impl::ExecWriteArtifactBase<WriteArtifact> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    const EntryTensors tensors;
    ArtifactTranslation translation(tensors);
    if (failed(translation.add(getOperation())))
      return signalPassFailure();
    ArtifactImage image = translation.takeImage();
    Status status = checkOutput();
    if (status.isOk())
      status = artifact::writeFile(output, image.model, image.blobs);
    if (status.isOk())
      return;
    getOperation().emitError("cannot write the artifact: ") << status.message();
    signalPassFailure();
  }

private:
  /// Checks that the artifact does not replace a file that is read.
  Status checkOutput() {
    FileUses uses;
    if (auto source = dyn_cast<FileLineColLoc>(getOperation().getLoc()))
      uses.reads("the graph", source.getFilename().str());
    addParameterFiles(getOperation(), uses);
    uses.readsPlugins();
    uses.replaces("the artifact", output);
    return uses.check();
  }
};
} // namespace
