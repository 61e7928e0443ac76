//===- Repairs.cpp - Repairs for errors of MLIR's parser ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Repairs.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

/// The name in the source at `location`, such as "%conv1".
static StringRef findName(Location location, const llvm::SourceMgr &sources) {
  auto place = dyn_cast<FileLineColLoc>(location);
  if (!place || sources.getNumBuffers() == 0)
    return {};
  llvm::SMLoc at =
      const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
          sources.getMainFileID(), place.getLine(), place.getColumn());
  if (!at.isValid())
    return {};
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef rest(at.getPointer(), buffer->getBufferEnd() - at.getPointer());
  constexpr size_t longest = 100;
  return rest.take_front(longest).take_while([](char c) {
    return llvm::isAlnum(c) || StringRef("%_.$-#").contains(c);
  });
}

/// Weir's op with the name that is most similar to `name`.
static StringRef findSimilarOp(StringRef name, MLIRContext *context) {
  StringRef closest;
  unsigned least = ~0u;
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    StringRef known = op.getStringRef();
    if (!known.starts_with("weir."))
      continue;
    unsigned distance = name.edit_distance(known);
    if (distance < least) {
      least = distance;
      closest = known;
    }
  }
  return closest;
}

void weir::addRepair(Diagnostic &diagnostic, const llvm::SourceMgr &sources) {
  const std::string text = diagnostic.str();
  Location location = diagnostic.getLocation();
  if (text == "use of undeclared SSA value name")
    diagnostic << " '" << findName(location, sources)
               << "'; define it above, or correct the name";
  if (StringRef(text).starts_with("Dialect `"))
    diagnostic << "; it is of a later phase: " << compiledPhases;
  StringRef unknown(text);
  if (unknown.consume_front("custom op '") && unknown.contains("is unknown"))
    diagnostic << "; did you mean '"
               << findSimilarOp(unknown.split('\'').first,
                                location.getContext())
               << "'?";
}
