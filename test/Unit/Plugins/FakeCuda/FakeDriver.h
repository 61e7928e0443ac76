//===- FakeDriver.h - The driver's functions on pretended GPUs --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKEDRIVER_H
#define WEIR_TEST_UNIT_PLUGINS_FAKEDRIVER_H

#include "FakeState.h"

#include <cudaTypedefs.h>
#include <type_traits>

namespace weir::test {

/// The functions that the plug-in asks for, under the names that cuda.h gives
/// them.
struct FakeDriver {
#define WEIR_CUDA_FUNCTION(name, version)                                      \
  static std::remove_pointer_t<PFN_##name##_v##version> name;
#include "../../../../lib/Plugins/CUDA/CudaFunctions.inc"
};

/// Begins each function by a member of FakeState: counts the call, and returns
/// if it is to fail.
#define WEIR_FAKE_ENTER(how, name)                                             \
  weir::test::FakeState &state = weir::test::FakeState::get();                 \
  weir::test::pauseSometimes();                                                \
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);               \
  if (const CUresult failure = state.how(name); failure != CUDA_SUCCESS)       \
    return failure;

// The names are not expanded, since cuda.h gives some of them a suffix.
#define ENTER(name) WEIR_FAKE_ENTER(enter, #name)
#define ENTER_CURRENT(name) WEIR_FAKE_ENTER(enterCurrent, #name)
#define ENTER_UNSAFE(name) WEIR_FAKE_ENTER(enterUnsafe, #name)

/// The same for a function that releases something, which it does in any case.
#define ENTER_RELEASE(name)                                                    \
  weir::test::FakeState &state = weir::test::FakeState::get();                 \
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);               \
  const CUresult failure = state.enter(#name);

/// Lets other threads go first now and then.
void pauseSometimes();

inline FakeStream &of(CUstream stream) {
  return *reinterpret_cast<FakeStream *>(stream);
}
inline FakeEvent &of(CUevent event) {
  return *reinterpret_cast<FakeEvent *>(event);
}
inline char *pointer(CUdeviceptr address) {
  return reinterpret_cast<char *>(address);
}

/// Removes `object` from those that live.
template <typename T>
CUresult destroy(FakeState &state, std::set<T *> &living, void *handle,
                 CUresult failure = CUDA_SUCCESS) {
  T *object = static_cast<T *>(handle);
  if (!living.erase(object))
    return state.refuse("something is destroyed that does not exist",
                        CUDA_ERROR_INVALID_HANDLE);
  delete object;
  return failure;
}

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKEDRIVER_H
