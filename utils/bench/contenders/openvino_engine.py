"""OpenVINO on CPUs by its C interface: a call through its Python classes takes
5 us more, as long as a small network. Latency hint, one stream, pinned
threads."""
import ctypes
import importlib.metadata
import importlib.util
import pathlib

import numpy as np


class Shape(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


# ov_element_type_e, those that networks use at their ends.
TYPES = {1: np.bool_, 4: np.float32, 9: np.int32, 10: np.int64}


def version():
    return importlib.metadata.version("openvino")


def load_library():
    """The library beside the Python package, which is not imported."""
    package = importlib.util.find_spec("openvino").submodule_search_locations[0]
    library = ctypes.CDLL(str(next(
        pathlib.Path(package, "libs").glob("libopenvino_c.so*"))))
    library.ov_get_error_info.restype = ctypes.c_char_p
    library.ov_get_last_err_msg.restype = ctypes.c_char_p
    return library


class Engine:
    def __init__(self, model, threads, precision):
        self.library = load_library()
        core = self.make("ov_core_create")
        read = self.make("ov_core_read_model", core, model.encode(), None)
        settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": "1",
                    "INFERENCE_NUM_THREADS": str(threads),
                    "ENABLE_CPU_PINNING": "YES",
                    "INFERENCE_PRECISION_HINT": precision}
        words = [ctypes.c_char_p(word.encode())
                 for pair in settings.items() for word in pair]
        self.compiled = ctypes.c_void_p()
        self.call("ov_core_compile_model", core, read, b"CPU",
                  ctypes.c_size_t(len(words)), ctypes.byref(self.compiled),
                  *words)
        self.request = self.make("ov_compiled_model_create_infer_request",
                                 self.compiled)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            last = self.library.ov_get_last_err_msg() or b""
            kind = self.library.ov_get_error_info(status)
            raise RuntimeError(f"{name}: {kind.decode()} "
                               + " ".join(last.decode().split()))

    def make(self, name, *arguments):
        """Calls a function and returns what it stores through its last
        argument."""
        made = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(made))
        return made

    def view(self, tensor):
        """The bytes of a tensor of the library, as an array."""
        shape, kind = Shape(), ctypes.c_int()
        self.call("ov_tensor_get_shape", tensor, ctypes.byref(shape))
        self.call("ov_tensor_get_element_type", tensor, ctypes.byref(kind))
        size, data = ctypes.c_size_t(), self.make("ov_tensor_data", tensor)
        self.call("ov_tensor_get_byte_size", tensor, ctypes.byref(size))
        held = (ctypes.c_uint8 * size.value).from_address(data.value)
        return np.frombuffer(held, TYPES[kind.value]).reshape(
            shape.dims[:shape.rank])

    def bind(self, inputs):
        """Fills the request's own tensors, which need no copy when it runs."""
        for name, array in inputs.items():
            tensor = self.make("ov_infer_request_get_tensor", self.request,
                               name.encode())
            self.view(tensor)[...] = array
        infer = self.library.ov_infer_request_infer
        infer.argtypes, request = [ctypes.c_void_p], self.request.value

        def run():
            if infer(request):
                raise RuntimeError("ov_infer_request_infer failed")
        self.run = run

    def output_name(self, at):
        port = self.make("ov_compiled_model_output_by_index", self.compiled,
                         ctypes.c_size_t(at))
        name = ctypes.c_char_p()
        self.call("ov_port_get_any_name", port, ctypes.byref(name))
        return name.value.decode()

    def answers(self):
        count = ctypes.c_size_t()
        self.call("ov_compiled_model_outputs_size", self.compiled,
                  ctypes.byref(count))
        return {self.output_name(at): np.array(self.view(self.make(
            "ov_infer_request_get_output_tensor_by_index", self.request,
            ctypes.c_size_t(at)))) for at in range(count.value)}
