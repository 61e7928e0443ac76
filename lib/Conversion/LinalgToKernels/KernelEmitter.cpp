//===- KernelEmitter.cpp - Emits the function of one phase ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Type kernels::getMemoryElement(Value tensor) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

MemRefType KernelEmitter::getBufferType(Value tensor, const Home &home) const {
  switch (home.kind) {
  case Home::Kind::Operand:
    return memory.operands[home.number];
  case Home::Kind::Result:
    return memory.results[home.number];
  default:
    return MemRefType::get(getShape(tensor), getMemoryElement(tensor));
  }
}

/// Adds all operands, the memory that other phases write, and the memory that
/// this phase writes.
void KernelEmitter::addArguments() {
  SmallVector<std::pair<Value, ClusterBuffer>> reads, writes;
  for (auto &[tensor, home] : plan.homes) {
    using Kind = ClusterBuffer::Kind;
    auto &own = plan.getPhase(tensor) == phase ? writes : reads;
    if (home.kind == Home::Kind::Operand)
      reads.push_back({tensor, {Kind::Operand, home.number}});
    else if (home.kind == Home::Kind::Result)
      own.push_back({tensor, {Kind::Result, home.number}});
    else if (home.kind == Home::Kind::Shared)
      own.push_back({tensor, {Kind::Temporary, home.number}});
  }
  SmallVector<Type> types;
  for (auto [list, kept] :
       {std::pair(&reads, &kernel.reads), std::pair(&writes, &kernel.writes)})
    for (auto [tensor, buffer] : *list) {
      arguments[tensor] = types.size();
      types.push_back(getBufferType(tensor, plan.homes[tensor]));
      kept->push_back(buffer);
    }
  addScratch(types);
  const std::string name =
      getKernelName(memory.tensors.getSymName(), static_cast<size_t>(phase));
  kernel.function = func::FuncOp::create(builder, memory.tensors.getLoc(), name,
                                         builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(kernel.function.addEntryBlock());
}

/// `buffer` as a memref of one dim. Addresses are computed here, because it
/// depends on the layout along which dim elements are adjacent.
Value KernelEmitter::makeFlat(Value buffer, const Home &home) {
  auto type = cast<MemRefType>(buffer.getType());
  auto flat = MemRefType::get({home.extent}, type.getElementType());
  if (flat == type)
    return buffer;
  return memref::ReinterpretCastOp::create(
      builder, kernel.function.getLoc(), flat, buffer, /*offset=*/0,
      ArrayRef<int64_t>{home.extent}, ArrayRef<int64_t>{1});
}

/// The global of `module` with `elements` as a `type`. It is created if the
/// module has no such global. Its name follows from its contents, so that equal
/// kernels stay equal.
static memref::GlobalOp findGlobal(ModuleOp module, Location location,
                                   DenseElementsAttr elements,
                                   MemRefType type) {
  std::string text;
  llvm::raw_string_ostream(text) << type << elements.isSplat();
  ArrayRef<char> data = elements.getRawData();
  text.append(data.begin(), data.end());
  std::string base =
      "weir_constant_" + llvm::utohexstr(llvm::xxh3_64bits(text));
  std::string name = base;
  for (unsigned n = 1;; ++n) {
    auto global = module.lookupSymbol<memref::GlobalOp>(name);
    if (!global)
      break;
    if (global.getType() == type && global.getInitialValueAttr() == elements)
      return global;
    name = (base + "_" + Twine(n)).str();
  }
  OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
  return memref::GlobalOp::create(outside, location, name,
                                  outside.getStringAttr("private"), type,
                                  elements, /*constant=*/true,
                                  /*alignment=*/IntegerAttr());
}

/// The elements of `constant` as data of the module.
Value KernelEmitter::makeConstant(arith::ConstantOp constant,
                                  const Home &home) {
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  auto type = MemRefType::get({home.extent}, getMemoryElement(constant));
  if (elements.getElementType().isInteger(1))
    elements = elements.mapValues(builder.getI8Type(),
                                  [](const APInt &bit) { return bit.zext(8); });
  elements = elements.reshape(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  auto global = findGlobal(kernel.function->getParentOfType<ModuleOp>(),
                           constant.getLoc(), elements, type);
  return memref::GetGlobalOp::create(builder, kernel.function.getLoc(), type,
                                     global.getSymName());
}

void KernelEmitter::makeBuffers() {
  for (auto &[tensor, home] : plan.homes) {
    Value buffer;
    switch (home.kind) {
    case Home::Kind::Operand:
    case Home::Kind::Result:
    case Home::Kind::Shared:
      buffer = makeFlat(kernel.function.getArgument(arguments[tensor]), home);
      break;
    case Home::Kind::Constant:
      buffer = makeConstant(tensor.getDefiningOp<arith::ConstantOp>(), home);
      break;
    case Home::Kind::Scratch:
      buffer = makeScratch(tensor, home);
      break;
    }
    point.setBuffer(tensor, buffer);
  }
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

void KernelEmitter::describe(StringRef name, int64_t value) {
  kernel.function->setAttr(name, builder.getI64IntegerAttr(value));
}

/// Removes arguments that the phase does not read. The first phase keeps all
/// operands.
void KernelEmitter::dropUnread() {
  llvm::BitVector unread(kernel.function.getNumArguments());
  for (unsigned number = kernel.reads.size(); number-- > 0;) {
    if (phase == 0 && kernel.reads[number].kind == ClusterBuffer::Kind::Operand)
      continue;
    Value argument = kernel.function.getArgument(number);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      if (user->use_empty() && isMemoryEffectFree(user))
        user->erase();
    if (!argument.use_empty())
      continue;
    unread.set(number);
    kernel.reads.erase(kernel.reads.begin() + number);
  }
  LogicalResult erased = kernel.function.eraseArguments(unread);
  assert(succeeded(erased) && "arguments that nothing reads can be erased");
  (void)erased;
}

/// The number of the written buffer that may lie in the bytes of `read`, or -1.
int64_t KernelEmitter::findOverwriter(const ClusterBuffer &read,
                                      const Overwritten &overwritten) {
  if (read.kind != ClusterBuffer::Kind::Operand)
    return -1;
  Value home =
      overwritten.lookup({memory.tensors.getArgument(read.index), phase});
  if (!home)
    return -1;
  unsigned result = plan.homes.find(home)->second.number;
  if (memory.operands[read.index] != memory.results[result])
    return -1;
  const auto *write = llvm::find_if(kernel.writes, [&](const auto &buffer) {
    return buffer.kind == ClusterBuffer::Kind::Result && buffer.index == result;
  });
  return write == kernel.writes.end() ? -1 : write - kernel.writes.begin();
}

void KernelEmitter::describeOverwrites(const Overwritten &overwritten) {
  for (const ClusterBuffer &read : kernel.reads)
    kernel.overwrittenBy.push_back(findOverwriter(read, overwritten));
  if (llvm::any_of(kernel.overwrittenBy, [](int64_t n) { return n >= 0; }))
    kernel.function->setAttr(
        kernelattrs::overwrittenBy,
        builder.getDenseI64ArrayAttr(kernel.overwrittenBy));
}

FailureOr<KernelFunction> KernelEmitter::emit(const Overwritten &overwritten) {
  addArguments();
  makeBuffers();
  emitBody();
  func::ReturnOp::create(builder, kernel.function.getLoc());
  if (const auto &fault = code.getFault())
    return emitError(fault->location)
           << "in a kernel " << fault->what
           << "; this is a bug of the compiler: report it, and until it is "
              "fixed exclude the kernel 'generated' in a topology file";
  dropUnread();
  describeOverwrites(overwritten);
  return kernel;
}

std::string weir::getKernelName(StringRef cluster, size_t number) {
  return number == 0 ? cluster.str()
                     : (cluster + Twine('.') + Twine(number)).str();
}

MemRefType weir::getKernelMemory(RankedTensorType tensor,
                                 ArrayRef<int64_t> strides) {
  Type element = tensor.getElementType();
  MLIRContext *context = tensor.getContext();
  if (element.isInteger())
    element = IntegerType::get(context,
                               std::max(element.getIntOrFloatBitWidth(), 8u));
  if (strides.empty())
    return MemRefType::get(tensor.getShape(), element);
  return MemRefType::get(tensor.getShape(), element,
                         StridedLayoutAttr::get(context, 0, strides));
}
