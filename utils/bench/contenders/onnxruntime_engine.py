"""ONNX Runtime on CPUs: all optimisations, spinning threads, bound inputs and
outputs."""
import numpy as np
import onnxruntime

ERRORS_ONLY = 3


def version():
    return onnxruntime.__version__


class Engine:
    def __init__(self, model, threads, precision):
        assert precision == "f32", precision
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = ERRORS_ONLY
        settings.graph_optimization_level = (
            onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
        settings.intra_op_num_threads = threads
        settings.inter_op_num_threads = 1
        settings.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        settings.add_session_config_entry("session.intra_op.allow_spinning",
                                          "1")
        self.session = onnxruntime.InferenceSession(model, settings,
                                                    ["CPUExecutionProvider"])

    def bind(self, inputs):
        self.inputs = [onnxruntime.OrtValue.ortvalue_from_numpy(array)
                       for array in inputs.values()]
        binding = self.session.io_binding()
        for name, value in zip(inputs, self.inputs):
            binding.bind_ortvalue_input(name, value)
        self.names = [port.name for port in self.session.get_outputs()]
        # A first run finds the shapes of outputs, which files may leave open.
        outputs = self.session.run(self.names, inputs)
        self.outputs = [onnxruntime.OrtValue.ortvalue_from_numpy(array)
                        for array in outputs]
        for name, value in zip(self.names, self.outputs):
            binding.bind_ortvalue_output(name, value)
        # The bound call itself, without the checks around it in Python.
        call, bound = self.session._sess.run_with_iobinding, binding._iobinding
        self.run = lambda: call(bound, None)

    def answers(self):
        return {name: np.array(value.numpy())
                for name, value in zip(self.names, self.outputs)}
