//===- Verifier.cpp - Checks that a model is well-formed --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Verifier.h"

#include "VerifyContext.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/FillBytes.h"

#include <algorithm>

using namespace weir;
using namespace weir::artifact;

Status UniqueNames::add(const flatbuffers::String *name, VisitBudget &budget) {
  WEIR_RETURN_IF_ERROR(budget.visit(name));
  if (!name || name->size() == 0)
    return violation("the name is empty");
  if (!seen.insert(name->string_view()).second)
    return violation("the name {} is used twice", quoted(name));
  return Status::ok();
}

namespace {
/// `a * b`. On overflow, a number above every allowed size.
uint64_t boundedProduct(uint64_t a, uint64_t b) {
  uint64_t product;
  bool overflow = __builtin_mul_overflow(a, b, &product);
  return overflow || product > maxBytes ? maxBytes + 1 : product;
}

/// The bytes from the first element to the end of the last one.
StatusOr<uint64_t> spanBytes(const TensorType &type) {
  uint64_t elements = 1, last = 0;
  bool isEmpty = false;
  for (uint32_t i = 0; i < sizeOf(type.dims()); ++i) {
    int64_t dim = type.dims()->Get(i), stride = type.strides()->Get(i);
    if (dim < 0 || stride < 0)
      return violation("dim {} has size {} and stride {}; neither may be "
                       "negative",
                       i, dim, stride);
    isEmpty |= dim == 0;
    elements = boundedProduct(elements, std::max<int64_t>(dim, 1));
    last += boundedProduct(std::max<int64_t>(dim - 1, 0), stride);
  }
  uint64_t bytes = boundedProduct(
      last + 1, byteSize(static_cast<DType>(type.element_type())));
  if (elements > maxBytes || bytes > maxBytes)
    return violation("the tensor spans more than the {} bytes any part of an "
                     "artifact may have",
                     maxBytes);
  return isEmpty ? 0 : bytes;
}

/// Checks a blob whose elements are not in the file. Its offset is an address
/// behind the file and behind earlier blobs of this kind. These end at `end`,
/// which is moved to the end of this blob.
Status verifyFill(const Blob &blob, uint64_t &end, VisitBudget &budget) {
  if (!blob.type())
    return violation("it has random elements, but is not a tensor");
  WEIR_ASSIGN_OR_RETURN(uint64_t span, verifyTensorType(blob.type(), budget));
  if (span != blob.bytes())
    return violation("its type needs {} bytes, it has {}", span, blob.bytes());
  if (blob.fill()->distribution() > Distribution::MAX)
    return violation("its elements have an unknown distribution, number {}",
                     static_cast<int>(blob.fill()->distribution()));
  const auto type = static_cast<DType>(blob.type()->element_type());
  if (Status status = checkFill(toFill(*blob.fill()), type); !status.isOk())
    return violation("it {}", status.message());
  if (blob.hash() != hashFill(type, toFill(*blob.fill())))
    return violation("its hash is not that of its random elements");
  if (blob.offset() < end || blob.offset() > maxBytes)
    return violation("its offset {} is not from {} to {}", blob.offset(), end,
                     maxBytes);
  end = blob.offset() + blob.bytes();
  return verifyRepeated(*blob.type(), span);
}

/// Checks one blob. `end` is the end of the file or, if an earlier blob is not
/// in the file, the end of the last such blob.
Status verifyBlob(const Blob &blob, BlobSection section, uint64_t &end,
                  VisitBudget &budget) {
  if (blob.offset() % blobAlignment != 0)
    return violation("its offset {} is not a multiple of {}", blob.offset(),
                     blobAlignment);
  if (blob.fill())
    return verifyFill(blob, end, budget);
  if (blob.offset() < section.begin || blob.offset() > section.end ||
      blob.bytes() > section.end - blob.offset())
    return violation("its {} bytes at offset {} lie outside the blobs, which "
                     "are from {} to {}",
                     blob.bytes(), blob.offset(), section.begin, section.end);
  if (!blob.type())
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(uint64_t span, verifyTensorType(blob.type(), budget));
  if (span > blob.bytes())
    return violation("its type needs {} bytes, it has {}", span, blob.bytes());
  return verifyRepeated(*blob.type(), span);
}

Status verifyBlobs(const Model &model, BlobSection section,
                   VisitBudget &budget) {
  WEIR_RETURN_IF_ERROR(budget.visit(model.blobs()));
  UniqueNames names;
  uint64_t left = section.end - section.begin, end = section.end;
  for (uint32_t i = 0; i < sizeOf(model.blobs()); ++i) {
    const Blob &blob = *model.blobs()->Get(i);
    Status status = names.add(blob.name(), budget);
    if (status.isOk())
      status = verifyBlob(blob, section, end, budget);
    const uint64_t bytes = blob.fill() ? 0 : blob.bytes();
    // A reader may read all blobs. This must not take longer than reading the
    // file, so blobs must not share bytes.
    if (status.isOk() && bytes > left)
      status = violation("it shares bytes with another blob");
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("blob {} ({})", i, quoted(blob.name())));
    left -= bytes;
  }
  return Status::ok();
}

Status verifyOptions(const Device &device, VisitBudget &budget) {
  UniqueNames names;
  return forEach(device.options(), "option", budget,
                 [&](uint32_t, const DeviceOption &option) {
                   WEIR_RETURN_IF_ERROR(names.add(option.name(), budget));
                   return budget.visit(option.value());
                 });
}

Status verifyDevices(const Variant &variant, VisitBudget &budget) {
  uint32_t count = sizeOf(variant.devices());
  if (count == 0 || count > maxDevices)
    return violation("it has {} devices; expected 1 to {}", count, maxDevices);
  WEIR_RETURN_IF_ERROR(budget.visit(variant.devices()));
  UniqueNames names;
  for (uint32_t i = 0; i < count; ++i) {
    const Device &device = *variant.devices()->Get(i);
    Status status = names.add(device.name(), budget);
    if (status.isOk() && !isCanonicalDeviceName(device.name()->string_view()))
      status = violation(
          "{} is not a device name; expected KIND:INDEX such as cpu:0",
          quoted(device.name()));
    if (status.isOk() && device.threads() > maxThreads)
      status = violation("it asks for {} threads; at most {} are allowed",
                         device.threads(), maxThreads);
    if (status.isOk())
      status = verifyOptions(device, budget);
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("device {}", i));
  }
  return Status::ok();
}

Status verifyCpuFeatures(const Variant &variant, VisitBudget &budget) {
  WEIR_RETURN_IF_ERROR(budget.visit(variant.cpu_features()));
  UniqueNames features;
  for (uint32_t i = 0; i < sizeOf(variant.cpu_features()); ++i)
    WEIR_RETURN_IF_ERROR(features.add(variant.cpu_features()->Get(i), budget)
                             .withContext(fmt::format("CPU feature {}", i)));
  return Status::ok();
}

/// Checks a blob that is the initial value of variable `index` or of one of its
/// parts.
Status verifyStart(uint32_t number, uint32_t index, VariantFacts &facts) {
  const auto *blobs = facts.model.blobs();
  if (number >= sizeOf(blobs))
    return violation("it starts as blob {}; the artifact has {}", number,
                     sizeOf(blobs));
  const Blob &blob = *blobs->Get(number);
  if (!blob.type())
    return violation("its blob {} ({}) is not a tensor", number,
                     quoted(blob.name()));
  WEIR_RETURN_IF_ERROR(verifyDistinct(*blob.type())
                           .withContext(fmt::format("its blob {}", number)));
  auto [first, isNew] = facts.variables.try_emplace(number, index);
  return isNew ? Status::ok()
               : violation("its blob {} ({}) is that of variable {} too",
                           number, quoted(blob.name()), first->second);
}

/// Checks that the parts of a bucket lie in it, one behind the other.
Status verifyBucket(const Variable &bucket, uint32_t index, VariantFacts &facts,
                    VisitBudget &budget) {
  WEIR_RETURN_IF_ERROR(UniqueNames().add(bucket.name(), budget));
  WEIR_RETURN_IF_ERROR(budget.visit(bucket.parts()));
  uint64_t end = 0;
  const auto isNear = [&](uint64_t offset) {
    return offset >= end && offset - end < bucketGap;
  };
  for (uint32_t i = 0; i < bucket.parts()->size(); ++i) {
    const VariablePart &part = *bucket.parts()->Get(i);
    Status status = verifyStart(part.blob(), index, facts);
    if (status.isOk() && !isNear(part.offset()))
      status = violation("it begins at byte {}; expected less than {} bytes "
                         "behind byte {}, where the part before it ends",
                         part.offset(), bucketGap, end);
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("part {}", i));
    end = part.offset() + facts.model.blobs()->Get(part.blob())->bytes();
    if (end > maxBytes)
      return violation("its parts have more than {} bytes", maxBytes);
  }
  return isNear(bucket.bytes())
             ? Status::ok()
             : violation("it has {} bytes; expected less than {} more than the "
                         "{} at which its last part ends",
                         bucket.bytes(), bucketGap, end);
}

/// Checks the variables. The bytes of a variable exist only once, on its
/// device.
Status verifyVariables(VariantFacts &facts, VisitBudget &budget) {
  const uint32_t numDevices = sizeOf(facts.variant.devices());
  auto check = [&](uint32_t index, const Variable &variable) {
    WEIR_RETURN_IF_ERROR(isBucket(variable)
                             ? verifyBucket(variable, index, facts, budget)
                             : verifyStart(variable.blob(), index, facts));
    return variable.device() < numDevices
               ? Status::ok()
               : violation("it is on device {}; the variant has {}",
                           variable.device(), numDevices);
  };
  return forEach(facts.variant.variables(), "variable", budget, check);
}

/// The name and the input types of an entry, as a string. No two entries may
/// have the same string.
std::string inputSignature(const Entry &entry) {
  std::string signature = entry.name()->str() + '\0';
  for (uint32_t i = 0; i < sizeOf(entry.inputs()); ++i)
    signature += toTensorDesc(*entry.inputs()->Get(i)->type()).toString() + ' ';
  return signature;
}

using Ports = flatbuffers::Vector<flatbuffers::Offset<Port>>;

/// Checks that the ports of two entries with one name differ only in their
/// shapes.
Status verifySamePorts(std::string_view what, const Ports *first,
                       const Ports *other) {
  if (sizeOf(first) != sizeOf(other))
    return violation("it has {} {}s, an earlier entry of this name has {}",
                     sizeOf(other), what, sizeOf(first));
  for (uint32_t i = 0; i < sizeOf(first); ++i) {
    const Port &left = *first->Get(i), &right = *other->Get(i);
    if (left.name()->string_view() != right.name()->string_view())
      return violation("{} {} is {}, in an earlier entry of this name {}", what,
                       i, quoted(right.name()), quoted(left.name()));
    if (left.space() != right.space())
      return violation("{} {} lies in space {}, in an earlier entry of this "
                       "name in {}",
                       what, quoted(left.name()), right.space(), left.space());
  }
  return Status::ok();
}

/// The entries by name. Entries with the same name are plans for different
/// shapes.
class EntryNames {
public:
  Status add(const Entry &entry) {
    const Entry &first =
        *firsts.try_emplace(entry.name()->string_view(), &entry).first->second;
    WEIR_RETURN_IF_ERROR(
        verifySamePorts("input", first.inputs(), entry.inputs()));
    WEIR_RETURN_IF_ERROR(
        verifySamePorts("output", first.outputs(), entry.outputs()));
    if (!signatures.insert(inputSignature(entry)).second)
      return violation("an earlier entry of this name has inputs of the same "
                       "shapes; no run could choose between them");
    return Status::ok();
  }

private:
  std::unordered_map<std::string_view, const Entry *> firsts;
  std::unordered_set<std::string> signatures;
};

Status verifyEntries(const VariantFacts &facts, VisitBudget &budget) {
  const auto *entries = facts.variant.entries();
  if (sizeOf(entries) == 0)
    return violation("it has no entry");
  WEIR_RETURN_IF_ERROR(budget.visit(entries));
  EntryNames names;
  for (const Entry *entry : *entries) {
    Status status = UniqueNames().add(entry->name(), budget);
    if (status.isOk())
      status = verifyEntry(*entry, facts, budget);
    if (status.isOk())
      status = names.add(*entry);
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("entry {}", quoted(entry->name())));
  }
  return Status::ok();
}

/// Limits the memory of all runs in flight. `slots` is the number of slots of
/// one run.
Status verifyFrameSlots(const Variant &variant, uint64_t slots) {
  const uint64_t most = maxFrameSlots / std::max<uint64_t>(slots, 1);
  if (variant.frames() <= most)
    return Status::ok();
  return tooLarge("{} runs in flight hold {} addresses each; at most {} "
                  "together are allowed; {}",
                  variant.frames(), slots, maxFrameSlots,
                  most > 0
                      ? fmt::format("compile for {} or fewer (graph-compile "
                                    "--in-flight)",
                                    most)
                      : "compile a part of the graph, or fewer entries");
}

Status verifyVariant(const Variant &variant, const Model &model,
                     VisitBudget &budget) {
  WEIR_RETURN_IF_ERROR(verifyDevices(variant, budget));
  WEIR_RETURN_IF_ERROR(verifyCpuFeatures(variant, budget));
  if (variant.frames() == 0 || variant.frames() > maxFrames)
    return violation("it has {} runs in flight; expected 1 to {}",
                     variant.frames(), maxFrames);
  VariantFacts facts{variant, model, {}, {}};
  WEIR_RETURN_IF_ERROR(verifyVariables(facts, budget));
  WEIR_RETURN_IF_ERROR(verifyKernels(facts, budget));
  const uint64_t before = budget.slotsHeld();
  WEIR_RETURN_IF_ERROR(verifyEntries(facts, budget));
  return verifyFrameSlots(variant, budget.slotsHeld() - before);
}
} // namespace

StatusOr<uint64_t> weir::artifact::verifyTensorType(const TensorType *type,
                                                    VisitBudget &budget) {
  if (!type)
    return violation("the tensor type is missing");
  if (type->element_type() > ElementType::MAX)
    return violation("the element type {} is unknown",
                     static_cast<int>(type->element_type()));
  WEIR_RETURN_IF_ERROR(budget.visit(type->dims()));
  WEIR_RETURN_IF_ERROR(budget.visit(type->strides()));
  uint32_t rank = sizeOf(type->dims());
  if (rank > maxRank)
    return violation("the rank is {}; at most {} is allowed", rank, maxRank);
  if (sizeOf(type->strides()) != rank)
    return violation("there are {} dims and {} strides", rank,
                     sizeOf(type->strides()));
  return spanBytes(*type);
}

uint64_t weir::artifact::countElements(const TensorType &type) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < sizeOf(type.dims()); ++i)
    elements *= static_cast<uint64_t>(type.dims()->Get(i));
  return elements;
}

bool weir::artifact::repeatsElements(const TensorType &type, uint64_t span) {
  return countElements(type) >
         span / byteSize(static_cast<DType>(type.element_type()));
}

Status weir::artifact::verifyRepeated(const TensorType &type, uint64_t span,
                                      uint64_t most) {
  const uint64_t elements = countElements(type);
  if (elements <= most || !repeatsElements(type, span))
    return Status::ok();
  return tooLarge("it repeats elements until it has {}; at most {} are "
                  "allowed; compile the model with smaller shapes",
                  elements, most);
}

Status weir::artifact::verifyModel(const Model &model, uint64_t modelBytes,
                                   BlobSection section) {
  VisitBudget budget(modelBytes);
  WEIR_RETURN_IF_ERROR(budget.visit(model.producer()));
  WEIR_RETURN_IF_ERROR(budget.visit(model.metadata()));
  for (uint32_t i = 0; i < sizeOf(model.metadata()); ++i) {
    WEIR_RETURN_IF_ERROR(budget.visit(model.metadata()->Get(i)->key()));
    WEIR_RETURN_IF_ERROR(budget.visit(model.metadata()->Get(i)->value()));
  }
  WEIR_RETURN_IF_ERROR(verifyBlobs(model, section, budget));
  if (sizeOf(model.variants()) == 0)
    return violation("the artifact has no variant");
  WEIR_RETURN_IF_ERROR(budget.visit(model.variants()));
  for (uint32_t i = 0; i < sizeOf(model.variants()); ++i)
    WEIR_RETURN_IF_ERROR(verifyVariant(*model.variants()->Get(i), model, budget)
                             .withContext(fmt::format("variant {}", i)));
  return Status::ok();
}
