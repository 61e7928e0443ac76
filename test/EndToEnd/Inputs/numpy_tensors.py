"""Runs a model that doubles a 2x3xf32 on arrays of NumPy, which Weir's C API
gets and returns by DLPack.

usage: numpy_tensors.py libWeirRuntime.so MODEL.weir
"""
import ctypes
import gc
import sys
import weakref

import numpy

VERSIONED, USED = b"dltensor_versioned", b"used_dltensor_versioned"


class Tensor(ctypes.Structure):
    """A weir_tensor."""
    _fields_ = [("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.c_void_p), ("data", ctypes.c_void_p),
                ("bytes", ctypes.c_size_t), ("space", ctypes.c_void_p)]


def capsules():
    """The calls of Python for the pointers that DLPack passes."""
    calls = ctypes.pythonapi
    calls.PyCapsule_New.restype = ctypes.py_object
    calls.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                    ctypes.c_void_p]
    calls.PyCapsule_GetPointer.restype = ctypes.c_void_p
    calls.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    calls.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return calls


PYTHON = capsules()
WEIR = ctypes.CDLL(sys.argv[1])
WEIR.weir_last_error.restype = ctypes.c_char_p
WEIR.weir_imported_tensor_is_copy.restype = ctypes.c_bool


def check(status):
    if status:
        raise RuntimeError(WEIR.weir_last_error().decode())


class Lent:
    """A DLManagedTensorVersioned, as NumPy takes it."""

    def __init__(self, pointer):
        self.capsule = PYTHON.PyCapsule_New(pointer, VERSIONED, None)

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


class Array(numpy.ndarray):
    """An array whose end can be seen."""


def import_array(array):
    """A weir_imported_tensor for `array`."""
    capsule = array.__dlpack__(max_version=(1, 0))
    tensor = ctypes.c_void_p()
    check(WEIR.weir_import_dlpack_versioned(
        ctypes.c_void_p(PYTHON.PyCapsule_GetPointer(capsule, VERSIONED)),
        ctypes.byref(tensor)))
    PYTHON.PyCapsule_SetName(capsule, USED)
    return tensor


def run(entry, imported):
    """The result for an imported tensor, and its address in Weir."""
    tensor, x, y = ctypes.c_void_p(), Tensor(), Tensor()
    check(WEIR.weir_imported_tensor_view(imported, ctypes.byref(x)))
    check(WEIR.weir_entry_allocate_output(
        entry, ctypes.c_size_t(0), ctypes.c_size_t(0), ctypes.byref(tensor)))
    check(WEIR.weir_device_tensor_view(tensor, ctypes.byref(y)))
    check(WEIR.weir_entry_run(entry, ctypes.byref(x), ctypes.c_size_t(1),
                              ctypes.byref(y), ctypes.c_size_t(1), None))
    lent, address = ctypes.c_void_p(), y.data
    check(WEIR.weir_device_tensor_to_dlpack_versioned(tensor,
                                                      ctypes.byref(lent)))
    return numpy.from_dlpack(Lent(lent)), address


def check_array(entry, array, is_copy):
    """Runs on `array`, which lives as long as Weir needs it."""
    expected = 2 * numpy.array(array)
    address = array.ctypes.data
    end = weakref.ref(array)
    imported = import_array(array)
    del array
    gc.collect()
    assert (end() is None) == is_copy
    assert WEIR.weir_imported_tensor_is_copy(imported) == is_copy
    x = Tensor()
    check(WEIR.weir_imported_tensor_view(imported, ctypes.byref(x)))
    assert (x.data == address) == (not is_copy)
    result, place = run(entry, imported)
    WEIR.weir_imported_tensor_free(imported)
    gc.collect()
    assert end() is None
    assert result.ctypes.data == place
    assert result.dtype == numpy.float32
    assert numpy.array_equal(result, expected), result


def main():
    session, entry = ctypes.c_void_p(), ctypes.c_void_p()
    check(WEIR.weir_session_load_file(sys.argv[2].encode(), None,
                                      ctypes.byref(session)))
    check(WEIR.weir_session_entry(session, None, ctypes.byref(entry)))
    numbers = numpy.arange(12, dtype=numpy.float32)
    # Each is the only reference to its array.
    check_array(entry, numbers[6:].reshape(2, 3).copy().view(Array), False)
    check_array(entry, numbers[:6].reshape(3, 2).copy().view(Array).T, True)
    check_array(entry, numbers[::-2].reshape(2, 3).view(Array), True)
    WEIR.weir_session_free(session)


main()
