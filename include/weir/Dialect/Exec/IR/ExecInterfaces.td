//===- ExecInterfaces.td - What all buffers have in common -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_IR_EXECINTERFACES_TD
#define WEIR_DIALECT_EXEC_IR_EXECINTERFACES_TD

include "mlir/IR/OpBase.td"

def BufferOpInterface : OpInterface<"BufferOpInterface"> {
  let cppNamespace = "::weir::exec";
  let description = [{An op that defines a buffer.}];
  let methods = [
    InterfaceMethod<"The device in whose memory the buffer lies; empty for the "
        "host.", "::llvm::StringRef", "getDevice", (ins)>,
    InterfaceMethod<"The buffer's size in bytes.", "uint64_t", "getByteSize",
        (ins)>,
    InterfaceMethod<"Whether commands may write to the buffer.", "bool",
        "isWritable", (ins), [{}], [{ return true; }]>,
  ];
}

#endif // WEIR_DIALECT_EXEC_IR_EXECINTERFACES_TD
