//===- DumpJson.cpp - Artifacts in JSON -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Dump.h"

#include "Names.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/JsonText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::artifact;
using Json = nlohmann::ordered_json;

namespace {
Json toJson(const TensorType *type) {
  if (!type)
    return nullptr;
  TensorDesc desc = toTensorDesc(*type);
  return {{"type", toString(desc.type)},
          {"dims", desc.dims},
          {"strides", desc.strides}};
}

/// The elements of `vector`, each converted by `convert`. `vector` may be
/// absent.
template <typename T, typename Convert>
Json toList(const flatbuffers::Vector<T> *vector, Convert convert) {
  Json list = Json::array();
  if (vector)
    for (const auto &element : *vector)
      list.push_back(convert(element));
  return list;
}

Json toJson(const flatbuffers::String *name) { return name->str(); }

Json toJson(const Blob *blob) {
  Json json = {{"name", blob->name()->str()},
               {"tensor", toJson(blob->type())},
               {"offset", blob->offset()},
               {"bytes", blob->bytes()},
               {"hash", fmt::format("{:016x}", blob->hash())}};
  if (const Random *fill = blob->fill()) {
    const bool isNormal = fill->distribution() == Distribution::Normal;
    json["fill"] = {{"seed", fill->seed()},
                    {isNormal ? "mean" : "low", fill->low()},
                    {isNormal ? "scale" : "high", fill->high()}};
  }
  return json;
}

Json toJson(const Metadata *pair) {
  return {{"key", pair->key()->str()}, {"value", pair->value()->str()}};
}

Json toJson(const Device *device) {
  Json options = Json::object();
  if (device->options())
    for (const DeviceOption *option : *device->options())
      options[option->name()->str()] = option->value()->str();
  return {{"name", device->name()->str()},
          {"threads", device->threads()},
          {"isolated", device->isolated()},
          {"memory_cap", device->memory_cap()},
          {"options", std::move(options)}};
}

Json toJson(const Port *port) {
  return {{"name", port->name()->str()},
          {"tensor", toJson(port->type())},
          {"space", port->space()}};
}

Json toJson(const Kernel *kernel) {
  Json attributes = Json::object();
  for (const auto &[name, value] : toAttrMap(kernel->attributes()))
    std::visit([&](const auto &held) { attributes[name] = held; }, value);
  auto postOp = [](const PostOp *op) -> Json {
    return {{"algorithm", op->algorithm()->str()},
            {"alpha", op->alpha()},
            {"beta", op->beta()},
            {"operand", op->operand()}};
  };
  auto tensor = [](const TensorType *type) { return toJson(type); };
  auto number = [](int32_t value) { return Json(value); };
  return {{"name", kernel->name()->str()},
          {"attributes", std::move(attributes)},
          {"operands", toList(kernel->operands(), tensor)},
          {"results", toList(kernel->results(), tensor)},
          {"post_ops", toList(kernel->post_ops(), postOp)},
          {"code", kernel->code()},
          {"function", kernel->function()},
          {"tasks", kernel->tasks()},
          {"grain", kernel->grain()},
          {"scratch", kernel->scratch()},
          {"threads", kernel->threads()},
          {"flops", kernel->flops()},
          {"overwrites", toList(kernel->overwrites(), number)}};
}

Json toJson(const Arena *arena) {
  return {{"device", arena->device()},
          {"queue", arena->per_frame() ? Json() : Json(nameOf(arena->queue()))},
          {"per_frame", arena->per_frame()},
          {"bytes", arena->bytes()},
          {"lower_bound", arena->lower_bound()}};
}

Json toJson(const Buffer *buffer) {
  return {{"kind", EnumNameBufferKind(buffer->kind())},
          {"index", buffer->index()},
          {"space", buffer->space()},
          {"offset", buffer->offset()},
          {"bytes", buffer->bytes()}};
}

Json toJson(const View *view) {
  return {{"buffer", view->buffer()},
          {"strides", view->strides()},
          {"byte_offset", view->byte_offset()}};
}

Json toJson(const Command *command, const Entry &entry) {
  bool crosses =
      command->flags() & static_cast<uint8_t>(CommandFlags::Crossing);
  return {{"opcode", EnumNameOpcode(command->opcode())},
          {"name", entry.names()->Get(command->name())->str()},
          {"index", command->index()},
          {"first_view", command->first_view()},
          {"num_views", command->num_views()},
          {"value", command->value()},
          {"strides", command->strides()},
          {"bytes", command->bytes()},
          {"crossing", crosses}};
}

Json toJson(const Prediction *prediction) {
  return {{"nanoseconds", prediction->nanoseconds()},
          {"link", prediction->link()}};
}

Json toJson(const Tensor *tensor, const Entry &entry) {
  return {{"name", entry.names()->Get(tensor->name())->str()},
          {"program", tensor->program()},
          {"command", tensor->command()},
          {"view", tensor->view()},
          {"tensor", toJson(tensor->type())}};
}

Json toJson(const Entry *entry) {
  auto convert = [](const auto *element) { return toJson(element); };
  auto program = [&](const Program *program) -> Json {
    auto command = [&](const Command *command) {
      return toJson(command, *entry);
    };
    return {{"device", program->device()},
            {"queue", nameOf(program->queue())},
            {"commands", toList(program->commands(), command)},
            {"predictions", toList(program->predictions(), convert)}};
  };
  auto tensor = [&](const Tensor *tensor) { return toJson(tensor, *entry); };
  auto number = [](auto value) { return Json(value); };
  return {{"name", entry->name()->str()},
          {"inputs", toList(entry->inputs(), convert)},
          {"outputs", toList(entry->outputs(), convert)},
          {"num_groups", toList(entry->num_groups(), number)},
          {"arenas", toList(entry->arenas(), convert)},
          {"buffers", toList(entry->buffers(), convert)},
          {"views", toList(entry->views(), convert)},
          {"strides", toList(entry->strides(), number)},
          {"events", toList(entry->events(), number)},
          {"programs", toList(entry->programs(), program)},
          {"tensors", toList(entry->tensors(), tensor)}};
}

Json toJson(const VariablePart *part) {
  return {{"blob", part->blob()}, {"offset", part->offset()}};
}

Json toJson(const Variable *variable) {
  if (!isBucket(*variable))
    return {{"blob", variable->blob()}, {"device", variable->device()}};
  auto convert = [](const auto *element) { return toJson(element); };
  return {{"name", variable->name()->str()},
          {"bytes", variable->bytes()},
          {"parts", toList(variable->parts(), convert)},
          {"device", variable->device()}};
}

Json toJson(const Variant *variant) {
  auto convert = [](const auto *element) { return toJson(element); };
  return {{"devices", toList(variant->devices(), convert)},
          {"cpu_features", toList(variant->cpu_features(), convert)},
          {"frames", variant->frames()},
          {"kernels", toList(variant->kernels(), convert)},
          {"variables", toList(variant->variables(), convert)},
          {"entries", toList(variant->entries(), convert)}};
}
} // namespace

std::string weir::artifact::dumpJson(const Artifact &artifact) {
  const Model &model = artifact.model();
  auto convert = [](const auto *element) { return toJson(element); };
  Json root = {{"format_version", artifact.formatVersion()},
               {"file_bytes", artifact.fileBytes()},
               {"producer", model.producer()->str()},
               {"metadata", toList(model.metadata(), convert)},
               {"blobs", toList(model.blobs(), convert)},
               {"variants", toList(model.variants(), convert)}};
  // Names may contain any bytes. Bytes that are not UTF-8 must not end the
  // dump.
  return toJsonText(root, 2);
}
