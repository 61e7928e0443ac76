//===- OpRecord.cpp - The contents of an op's TableGen record ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace weir;

llvm::StringRef weir::toString(Combiner combiner) {
  switch (combiner) {
  case Combiner::None:
    return "none";
  case Combiner::Sum:
    return "sum";
  case Combiner::Product:
    return "product";
  case Combiner::Maximum:
    return "maximum";
  case Combiner::Minimum:
    return "minimum";
  }
  llvm_unreachable("all combiners are spelled");
}

/// The value of `parsed`. A record that does not parse is a bug in Weir.
template <typename T>
static T takeOrDie(StatusOr<T> parsed, llvm::StringRef mnemonic) {
  if (!parsed.isOk())
    llvm::report_fatal_error(
        "record of weir." + llvm::Twine(mnemonic) + ": " +
        llvm::Twine(llvm::StringRef(parsed.status().message())));
  return *std::move(parsed);
}

static bool isOneEllipsis(const IndexSpec::Term &term) {
  return term.dims.size() == 1 && !term.isInit && !term.isBroadcastOnly &&
         term.dims.front().kind == IndexSpec::Dim::Kind::Ellipsis;
}

OpRecord::OpRecord(Fields init) : fields(std::move(init)) {
  if (!fields.indexSpec.empty())
    indexSpec = takeOrDie(IndexSpec::parse(fields.indexSpec), fields.mnemonic);
  if (!fields.expression.empty())
    expression =
        takeOrDie(ScalarExpr::parse(fields.expression), fields.mnemonic);
  pointwise = fields.layout == LayoutRole::Follow && indexSpec &&
              !indexSpec->getFixed() && indexSpec->whereClauses().empty() &&
              llvm::all_of(indexSpec->operandTerms(), isOneEllipsis);
}

/// Entry `index` of one side of a type spec. The last entry also applies to all
/// operands or results behind it.
static llvm::StringRef getEntry(llvm::StringRef rest, size_t index) {
  llvm::StringRef entry;
  do
    std::tie(entry, rest) = rest.split(',');
  while (index-- > 0 && !rest.empty());
  return entry;
}

llvm::StringRef OpRecord::getOperandType(size_t index) const {
  return getEntry(fields.typeSpec.split("->").first, index);
}

llvm::StringRef OpRecord::getResultType(size_t index) const {
  return getEntry(fields.typeSpec.split("->").second, index);
}
