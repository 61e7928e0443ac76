//===- MessageLog.cpp - The messages of one compilation ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MessageLog.h"

#include "Diagnostics.h"

#include "weir/Support/Printable.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace weir;

MessageLog::MessageLog(MLIRContext &context, std::string path,
                       const DiagnosticFn &diagnose)
    : file(std::move(path)), diagnose(diagnose), stream(messages),
      printer(sources, &context, stream),
      namer(&context,
            [this](Diagnostic &diagnostic) { return handle(diagnostic); }) {
  context.printOpOnDiagnostic(false);
}

LogicalResult MessageLog::handle(Diagnostic &diagnostic) {
  hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  if (listener)
    listener(diagnostic);
  nameOp(diagnostic);
  makePrintable(diagnostic);
  if (diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    return failure();
  printMessage(stream, file, diagnostic);
  return success();
}

void MessageLog::flush() {
  if (!diagnose || messages.empty())
    return;
  diagnose(printableLines(messages));
  messages.clear();
}

Status MessageLog::makeFailure() {
  flush();
  if (!hasError)
    return internalError("compilation ended without a result or an error");
  return invalidArgument(diagnose
                             ? std::string(describedErrors)
                             : printableLines(StringRef(messages).rtrim()));
}
