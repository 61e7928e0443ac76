//===- KernelEntries.cpp - Adds entry points to compiled kernels ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelEntries.h"

#include "Machine.h"

#include "weir/Artifact/KernelABI.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>

using namespace llvm;

static constexpr size_t numOtherArguments = 3;

/// Loads the field of WeirKernelArgs at `offset`.
static Value *loadField(IRBuilder<> &builder, Value *args, Type *type,
                        size_t offset) {
  Value *address =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), args, offset);
  return builder.CreateLoad(type, address);
}

/// Tells LLVM which pointers do not alias. Operands that overlap are only read.
/// A result overlaps nothing except an operand that it may overwrite. So only
/// such a pair may alias in LLVM's sense.
static void describeBody(Function &body, ArrayRef<int64_t> overwrittenBy,
                         bool sharesBuffers) {
  body.setLinkage(GlobalValue::InternalLinkage);
  body.addFnAttr(Attribute::NoInline);
  body.addFnAttr(Attribute::NoUnwind);
  if (sharesBuffers)
    return;
  SmallVector<bool> mayAlias(body.arg_size());
  for (auto [operand, result] : enumerate(overwrittenBy))
    if (result >= 0)
      mayAlias[operand] =
          mayAlias[overwrittenBy.size() + static_cast<size_t>(result)] = true;
  for (Argument &argument : body.args())
    if (argument.getType()->isPointerTy() && !mayAlias[argument.getArgNo()])
      argument.addAttr(Attribute::NoAlias);
}

void weir::addEntry(Function &body, ArrayRef<int64_t> overwrittenBy,
                    bool sharesBuffers) {
  std::string name = body.getName().str();
  body.setName(Twine(name) + bodyEnding);
  describeBody(body, overwrittenBy, sharesBuffers);
  LLVMContext &context = body.getContext();
  Type *pointer = PointerType::get(context, 0);
  Type *word = Type::getInt64Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  auto *entry = Function::Create(type, GlobalValue::ExternalLinkage, name,
                                 body.getParent());
  entry->setVisibility(GlobalValue::HiddenVisibility);
  entry->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  Value *args = entry->getArg(0);
  Value *buffers =
      loadField(builder, args, pointer, offsetof(WeirKernelArgs, buffers));
  SmallVector<Value *> values;
  for (size_t i = 0; i + numOtherArguments < body.arg_size(); ++i)
    values.push_back(loadField(builder, buffers, pointer, i * sizeof(void *)));
  values.push_back(
      loadField(builder, args, word, offsetof(WeirKernelArgs, begin)));
  values.push_back(
      loadField(builder, args, word, offsetof(WeirKernelArgs, end)));
  values.push_back(
      loadField(builder, args, pointer, offsetof(WeirKernelArgs, scratch)));
  builder.CreateCall(&body, values);
  builder.CreateRetVoid();
}

std::unique_ptr<Module> weir::makeTable(const std::vector<std::string> &names,
                                        LLVMContext &context,
                                        const DataLayout &layout) {
  auto module = std::make_unique<Module>("table", context);
  module->setTargetTriple(targetTriple());
  module->setDataLayout(layout);
  Type *pointer = PointerType::get(context, 0);
  Type *number = Type::getInt32Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  SmallVector<Constant *> functions;
  for (const std::string &name : names) {
    auto *function = Function::Create(type, GlobalValue::ExternalLinkage, name,
                                      module.get());
    function->setVisibility(GlobalValue::HiddenVisibility);
    functions.push_back(function);
  }
  Constant *list =
      ConstantArray::get(ArrayType::get(pointer, functions.size()), functions);
  Constant *table = ConstantStruct::getAnon(
      {ConstantInt::get(number, WEIR_KERNEL_ABI),
       ConstantInt::get(number, functions.size()), list});
  new GlobalVariable(*module, table->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, table, "weir_kernels");
  return module;
}
