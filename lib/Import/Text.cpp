//===- Text.cpp - Reads textual IR and keeps its names -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Import/Text.h"

#include "Attributes.h"
#include "ForeignFile.h"
#include "Nesting.h"
#include "Numbers.h"
#include "ONNX/Model.h"
#include "ParserErrors.h"
#include "Resources.h"
#include "Tuples.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weir;

namespace {
/// Gives ops and arguments of one module their names.
class Namer {
public:
  explicit Namer(MLIRContext *context) : context(context) {}

  void nameFromSource(const AsmParserState &state);
  void nameTheRest(ModuleOp module);

private:
  /// The attributes of the outputs of functions. Setting the attributes of one
  /// output copies those of all outputs, so they are set together.
  using OutputAttributes =
      llvm::MapVector<func::FuncOp, SmallVector<DictionaryAttr>>;

  void nameOutputs(const AsmParserState::OperationDefinition &def,
                   OutputAttributes &attributesOf);
  void nameOutput(func::FuncOp function, unsigned number, StringRef name,
                  OutputAttributes &attributesOf);
  Location makeNumberedName(StringRef base, Location where);
  Location makeName(StringRef name, Location where) {
    return NameLoc::get(StringAttr::get(context, name), where);
  }

  MLIRContext *context;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> numbers;
};
} // namespace

/// The SSA name at `range` without its '%'; empty if it is only a number.
static StringRef getSSAName(SMRange range) {
  const char *begin = range.Start.getPointer();
  StringRef text(begin, range.End.getPointer() - begin);
  text.consume_front("%");
  text = text.split(':').first;
  return text.empty() || llvm::all_of(text, llvm::isDigit) ? StringRef() : text;
}

/// Gives names to outputs of the function that return results of `def`. The op
/// itself has the name of its first group of results, so only results of later
/// groups are named.
void Namer::nameOutputs(const AsmParserState::OperationDefinition &def,
                        OutputAttributes &attributesOf) {
  for (const auto &group : llvm::drop_begin(def.resultGroups)) {
    StringRef name = getSSAName(group.definition.loc);
    if (name.empty())
      continue;
    for (OpOperand &use : def.op->getResult(group.startIndex).getUses()) {
      auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
      if (isa<func::ReturnOp>(use.getOwner()) && function &&
          use.getOperandNumber() < function.getNumResults())
        nameOutput(function, use.getOperandNumber(), name, attributesOf);
    }
  }
}

/// Names output `number` of `function`, if the text gives it no name.
void Namer::nameOutput(func::FuncOp function, unsigned number, StringRef name,
                       OutputAttributes &attributesOf) {
  SmallVector<DictionaryAttr> &attributes = attributesOf[function];
  if (attributes.empty())
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      attributes.push_back(
          NamedAttrList(function.getResultAttrDict(i)).getDictionary(context));
  NamedAttrList list(attributes[number]);
  if (list.get(attrs::name))
    return;
  list.set(attrs::name, StringAttr::get(context, name));
  attributes[number] = list.getDictionary(context);
}

void Namer::nameFromSource(const AsmParserState &state) {
  OutputAttributes attributesOf;
  for (AsmParserState::OperationDefinition &def : state.getOpDefs()) {
    if (def.resultGroups.empty())
      continue;
    nameOutputs(def, attributesOf);
    if (isa<NameLoc>(def.op->getLoc()))
      continue;
    StringRef name = getSSAName(def.resultGroups.front().definition.loc);
    if (!name.empty())
      def.op->setLoc(makeName(name, def.op->getLoc()));
  }
  for (auto &[function, attributes] : attributesOf)
    func::FuncOp(function).setAllResultAttrs(attributes);
  for (AsmParserState::BlockDefinition &def : state.getBlockDefs())
    for (auto [argument, source] :
         llvm::zip(def.block->getArguments(), def.arguments)) {
      StringRef name = getSSAName(source.loc);
      if (!name.empty() && !isa<NameLoc>(argument.getLoc()))
        argument.setLoc(makeName(name, argument.getLoc()));
    }
}

void Namer::nameTheRest(ModuleOp module) {
  auto take = [&](Location location) {
    if (auto name = dyn_cast<NameLoc>(location))
      taken.insert(name.getName());
  };
  module.walk([&](Operation *op) { take(op->getLoc()); });
  module.walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      take(argument.getLoc());
  });
  module.walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      if (!isa<NameLoc>(argument.getLoc()))
        argument.setLoc(makeNumberedName("arg", argument.getLoc()));
  });
  module.walk([&](Operation *op) {
    if (op->getNumResults() != 0 && !isa<NameLoc>(op->getLoc()))
      op->setLoc(makeNumberedName(op->getName().stripDialect(), op->getLoc()));
  });
}

/// A name that is not used yet: `base` followed by a number.
Location Namer::makeNumberedName(StringRef base, Location where) {
  std::string name;
  do
    name = (base + "_" + llvm::Twine(numbers[base]++)).str();
  while (!taken.insert(name).second);
  return makeName(name, where);
}

/// Whether `bytes` look binary. They do if they contain a zero, or if their
/// beginning has several kinds of control characters. A text may contain one
/// kind by accident.
static bool hasManyControls(StringRef bytes) {
  constexpr size_t numLooked = 512;
  char first = 0;
  for (char c : bytes.take_front(numLooked)) {
    if (!isBinary(std::string_view(&c, 1)))
      continue;
    if (c == 0 || (first != 0 && c != first))
      return true;
    first = c;
  }
  return bytes.contains('\0');
}

/// Rejects input that is not text, because no line of it could be quoted.
static LogicalResult checkIsText(const llvm::MemoryBuffer &buffer,
                                 MLIRContext *context) {
  const StringRef bytes = buffer.getBuffer();
  std::optional<ForeignFile> foreign = recogniseForeign(bytes);
  if (!foreign && !isBinary(bytes))
    return success();
  if (!foreign &&
      onnx::readModel(std::as_bytes(std::span(bytes.data(), bytes.size()))))
    foreign = {"an ONNX model",
               buffer.getBufferIdentifier() == "<stdin>"
                   ? "give it to graph-compile as a file"
                   : "give it to graph-compile as a file whose name ends in "
                     ".onnx"};
  // The parser reports a single control character in a text, with its place.
  if (!foreign && !hasManyControls(bytes))
    return success();
  if (!foreign)
    foreign = {"a binary file of an unknown kind",
               "export the network as ONNX, or give a graph in textual IR"};
  return emitError(UnknownLoc::get(context),
                   "expected a graph in textual IR, found ")
         << foreign->what << "; " << foreign->repair;
}

/// Begins an error about position `at` of the text.
static InFlightDiagnostic emitErrorAt(size_t at, llvm::SourceMgr &sources,
                                      MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  auto [line, column] = sources.getLineAndColumn(
      llvm::SMLoc::getFromPointer(buffer->getBufferStart() + at));
  return emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(),
                                       line, column));
}

/// Rejects a text that the parser cannot handle: nesting that would overflow
/// its stack, elements that it misreads, and wrong resources.
static LogicalResult checkBeforeParsing(StringRef text,
                                        llvm::SourceMgr &sources,
                                        MLIRContext *context) {
  if (size_t at = findTooDeep(text); at != StringRef::npos)
    return emitErrorAt(at, sources, context)
           << "brackets or signs are nested deeper than " << maxNesting
           << " levels; a graph needs far fewer";
  if (size_t at = findTuple(text); at != StringRef::npos)
    return emitErrorAt(at, sources, context)
           << "expected elements in brackets, as in dense<[1.0, 2.0]>, found "
              "'('";
  if (auto wrong = findWrongResource(text))
    return emitErrorAt(wrong->at, sources, context) << wrong->what;
  return success();
}

/// Refuses numbers that the parser has turned into infinities.
static LogicalResult checkNumbers(const AsmParserState &state,
                                  llvm::SourceMgr &sources,
                                  MLIRContext *context) {
  const char *begin =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
  for (const AsmParserState::OperationDefinition &def : state.getOpDefs()) {
    // An op with regions is skipped, because the ops in a region have
    // definitions of their own.
    if (!isa_and_nonnull<WeirDialect>(def.op->getDialect()) ||
        def.op->getNumRegions() != 0)
      continue;
    const char *start = def.scopeLoc.Start.getPointer();
    StringRef text(start, def.scopeLoc.End.getPointer() - start);
    if (auto wrong = findTooLarge(def.op, text))
      return emitErrorAt(wrong->at - begin, sources, context) << wrong->what;
  }
  return success();
}

/// The text for `value` in an error.
static std::string describe(Value value) {
  auto name = dyn_cast<NameLoc>(value.getLoc());
  return name ? ("'" + name.getName().getValue() + "'").str() : "a value";
}

/// Refuses an op that reads a value that is defined after it.
static LogicalResult checkOrder(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    for (Value operand : op->getOperands()) {
      // The parser also accepts names from later functions.
      if (!operand.getParentRegion()->isAncestor(op->getParentRegion())) {
        op->emitError("reads ")
            << describe(operand)
            << ", which another function defines; define it in this one, or "
               "correct the name";
        return WalkResult::interrupt();
      }
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != op->getBlock() ||
          producer->isBeforeInBlock(op))
        continue;
      InFlightDiagnostic error = op->emitError("reads ") << describe(operand);
      if (producer == op)
        error << ", which is its own result; a graph has no cycles";
      else
        error << ", which is defined below it; move the definition up, and "
                 "break the cycle if there is one";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether two types differ only in unknown dims.
static bool differInOpenDims(Type left, Type right) {
  auto first = dyn_cast<RankedTensorType>(left);
  auto second = dyn_cast<RankedTensorType>(right);
  return first && second && left != right &&
         succeeded(verifyCompatibleShape(first, second)) &&
         first.getElementType() == second.getElementType();
}

/// Refuses calls that do not fit the signature of the function. The error shows
/// both signatures.
static LogicalResult checkCalls(ModuleOp module) {
  std::optional<SymbolTable> symbols;
  WalkResult result = module.walk([&](func::CallOp call) {
    if (!symbols)
      symbols.emplace(module);
    auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
    const FunctionType called = call.getCalleeType();
    if (!callee || callee.getFunctionType() == called)
      return WalkResult::advance();
    InFlightDiagnostic error = call.emitError("calls '")
                               << call.getCallee() << "' as " << called
                               << ", but it is " << callee.getFunctionType()
                               << "; make them equal";
    for (auto [left, right] :
         llvm::zip(called.getInputs(), callee.getFunctionType().getInputs()))
      if (differInOpenDims(left, right)) {
        error << ": a dim is open (?) in both functions, and --shape sets it";
        break;
      }
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

OwningOpRef<ModuleOp> weir::importText(llvm::SourceMgr &sources,
                                       MLIRContext *context) {
  // The names are set before the verification, so that its errors contain them.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  Block block;
  AsmParserState state;
  LocationAttr location;
  const llvm::MemoryBuffer &whole =
      *sources.getMemoryBuffer(sources.getMainFileID());
  const StringRef bytes = whole.getBuffer();
  ParserErrors errors(sources, context);
  if (failed(checkIsText(whole, context)) ||
      failed(checkBeforeParsing(bytes, sources, context)) ||
      failed(parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  location = FileLineColLoc::get(context, whole.getBufferIdentifier(), 1, 1);
  OwningOpRef<ModuleOp> module =
      mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
          &block, context, location);
  if (!module || failed(checkNumbers(state, sources, context)))
    return {};
  Namer namer(context);
  namer.nameFromSource(state);
  namer.nameTheRest(*module);
  if (failed(checkOrder(*module)) || failed(checkCalls(*module)) ||
      failed(checkAttributes(*module)) || failed(verify(*module)))
    return {};
  return module;
}

void weir::nameOps(ModuleOp module) {
  Namer(module.getContext()).nameTheRest(module);
}

void weir::printWithNames(ModuleOp module, llvm::raw_ostream &os) {
  module.print(os, OpPrintingFlags().printNameLocAsPrefix());
  os << '\n';
}
