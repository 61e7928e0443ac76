//===- FakeDescriptor.h - Descriptors of a pretended cuDNN ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKEDESCRIPTOR_H
#define WEIR_TEST_UNIT_PLUGINS_FAKEDESCRIPTOR_H

// The functions that it declares are exported.
#pragma GCC visibility push(default)
#include <cudnn_graph.h>
#pragma GCC visibility pop

#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace weir::test {

struct FakeDescriptor;
using FakeDescriptorRef = std::shared_ptr<const FakeDescriptor>;

/// The value of an attribute: elements of a type, or other descriptors.
struct FakeAttribute {
  cudnnBackendAttributeType_t type;
  size_t count = 0;
  std::vector<char> bytes;
  std::vector<FakeDescriptorRef> descriptors;
};

/// What a descriptor of the backend API says. It does not change once it is
/// final, so others refer to it.
struct FakeDescriptor {
  cudnnBackendDescriptorType_t type;
  bool isFinal = false;
  std::map<cudnnBackendAttributeName_t, FakeAttribute> attributes;

  const FakeAttribute *find(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }
  /// The elements of an attribute; none if it is not set.
  template <typename Element>
  std::vector<Element> list(cudnnBackendAttributeName_t name) const {
    const FakeAttribute *found = find(name);
    std::vector<Element> elements(found ? found->bytes.size() / sizeof(Element)
                                        : 0);
    if (!elements.empty())
      std::memcpy(elements.data(), found->bytes.data(),
                  elements.size() * sizeof(Element));
    return elements;
  }
  template <typename Element>
  Element get(cudnnBackendAttributeName_t name, Element otherwise = {}) const {
    const std::vector<Element> elements = list<Element>(name);
    return elements.empty() ? otherwise : elements.front();
  }
  /// The descriptors of an attribute.
  std::vector<FakeDescriptorRef>
  children(cudnnBackendAttributeName_t name) const {
    const FakeAttribute *found = find(name);
    return found ? found->descriptors : std::vector<FakeDescriptorRef>();
  }
  FakeDescriptorRef child(cudnnBackendAttributeName_t name) const {
    const std::vector<FakeDescriptorRef> all = children(name);
    return all.empty() ? nullptr : all.front();
  }

  template <typename Element>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t kind,
           const std::vector<Element> &elements) {
    FakeAttribute &made = attributes[name];
    made = {kind, elements.size(), {}, {}};
    const auto *begin = reinterpret_cast<const char *>(elements.data());
    made.bytes.assign(begin, begin + elements.size() * sizeof(Element));
  }
  void setChildren(cudnnBackendAttributeName_t name,
                   std::vector<FakeDescriptorRef> descriptors) {
    FakeAttribute &made = attributes[name];
    made = {CUDNN_TYPE_BACKEND_DESCRIPTOR, descriptors.size(), {}, {}};
    made.descriptors = std::move(descriptors);
  }
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKEDESCRIPTOR_H
