"""Small models as people write them in PyTorch, and how both of its exporters
write them: the one of TorchScript, and that of `torch.export`, "dynamo"."""
import copy
import inspect
import warnings

import torch

from model_data import parse

MODELS = {}
EXPORTERS = ("torchscript", "dynamo")
# From opset 23 on, attention and norms are ops.
NEWEST = ("torchscript", "dynamo", "dynamo-23")
# Neither exporter knows the ops of the fast path.
torch.backends.mha.set_fastpath_enabled(False)


def model(specification, sizes=None, exporters=EXPORTERS, f32_only=False):
    """Adds a function that makes a module; model_data.py says what a
    specification is. In bf16, a module that is `f32_only` may pick another of
    two numbers that are nearly equal."""
    def add(make):
        MODELS[make.__name__] = dict(
            make=make, inputs=parse(specification), sizes=sizes or {},
            exporters=exporters, f32_only=f32_only)
        return make
    return add


def seeded(make):
    """The module with weights of few bits, none of which is 0 or 1 by rule."""
    torch.manual_seed(0)
    module = make().eval()
    with torch.no_grad():
        for name, tensor in [*module.named_parameters(),
                             *module.named_buffers()]:
            if not tensor.is_floating_point() or "fixed" in name:
                continue
            noise = torch.rand(tensor.shape) * 0.25
            moved = tensor + noise if "running_var" in name else (
                tensor + noise - 0.125)
            tensor.copy_((moved * 128).round() / 128)
    return module


def tensors(entry, at):
    return tuple(torch.from_numpy(port.data(entry["sizes"], at))
                 for port in entry["inputs"])


def flat(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    return [tensor for part in outputs for tensor in flat(part)]


def answers(entry, at):
    """What PyTorch computes in f64."""
    module = copy.deepcopy(seeded(entry["make"])).double()
    inputs = [tensor.double() if tensor.is_floating_point() else tensor
              for tensor in tensors(entry, at)]
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            outputs = flat(module(*inputs))
    finally:
        torch.set_default_dtype(torch.float32)
    return [(tensor.float() if tensor.is_floating_point() else tensor).numpy()
            for tensor in outputs]


def export(entry, exporter, path, at=None):
    """Writes the model with dims of any size, or as it is in size `at`."""
    module = seeded(entry["make"])
    names = [port.name for port in entry["inputs"]]
    dynamic = {port.name: port.dynamic_dims() if at is None else {}
               for port in entry["inputs"]}
    # An example of size 1 would be taken for a constant.
    example = tensors(entry, 1 if at is None else at)
    settings = dict(input_names=names, verbose=False)
    if exporter == "torchscript":
        settings |= dict(dynamo=False, dynamic_axes=dynamic, opset_version=17)
    else:
        any_size = torch.export.Dim.DYNAMIC
        shapes = tuple({axis: any_size for axis in dynamic[name]}
                       for name in names)
        if module.forward.__code__.co_flags & inspect.CO_VARARGS:
            shapes = (shapes,)
        settings |= dict(dynamo=True, dynamic_shapes=shapes,
                         external_data=False)
        if exporter == "dynamo-23":
            settings["opset_version"] = 23
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, example, path, **settings)
