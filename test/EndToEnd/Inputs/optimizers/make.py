#!/usr/bin/env python3
"""Writes optimizers.TYPE.mlir and what PyTorch and Keras make of it.

    python3 -m venv peers
    peers/bin/pip install torch keras safetensors
    peers/bin/python test/EndToEnd/Inputs/optimizers/make.py

Each case is a parameter of its own, whose loss is its product with numbers that
differ from step to step, so that these are its gradients. All cases are in one
entry. optimizers.TYPE.safetensors has the first values (NAME), the gradients
(`grads`) and the values after all steps by the other framework (NAME.after).
Schedules of Caffe are computed by the formulas of its documentation.
"""
import math
import os
import pathlib

os.environ["KERAS_BACKEND"] = "torch"
import keras  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

STEPS, SHAPE = 8, (3, 4)
FOLDER = pathlib.Path(__file__).resolve().parent


def torch_case(optimizer, scheduler=None, clip=None, every=1, l1=0.0):
    """Runs an optimiser of PyTorch."""
    def run(start, grads):
        w = torch.tensor(start, requires_grad=True)
        made = optimizer([w])
        changes = scheduler(made) if scheduler else None
        total = torch.zeros_like(w)
        for i, gradient in enumerate(grads):
            total += torch.tensor(gradient)
            if (i + 1) % every:
                continue
            w.grad = total / every + l1 * torch.sign(w.detach())
            total = torch.zeros_like(w)
            if clip:
                clip(w)
            made.step()
            if changes:
                changes.step()
        return w.detach().numpy()
    return run


def keras_case(optimizer):
    def run(start, grads):
        keras.backend.set_floatx(str(start.dtype))
        w = keras.Variable(start, dtype=str(start.dtype))
        made = optimizer()
        for gradient in grads:
            made.apply([keras.ops.convert_to_tensor(gradient)], [w])
        return keras.ops.convert_to_numpy(w)
    return run


def sgd(**options):
    return lambda ws: torch.optim.SGD(ws, lr=0.1, **options)


def fixed_sgd(ws):
    return torch.optim.SGD(ws, lr=0.1)


SGD = 'optimizer = {name = "sgd", rate = 0.1}'
LR = torch.optim.lr_scheduler


def factor(function):
    """The rate times a function of the number of updates before."""
    return lambda o: LR.LambdaLR(o, function)


def falling():
    """Keras' rate, which halves every second step."""
    return keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5, True)


FALLING = 'schedule = {name = "step", every = 2, factor = 0.5}'

# Name: attributes of weir.minimize, and the other framework's run.
CASES = {
    "sgd": (SGD, torch_case(sgd())),
    "momentum": (
        'optimizer = {name = "sgd", rate = 0.1, momentum = 0.9}',
        torch_case(sgd(momentum=0.9))),
    "nesterov": (
        'optimizer = {name = "sgd", rate = 0.1, momentum = 0.9, '
        'nesterov = true, weight_decay = 0.05}',
        torch_case(sgd(momentum=0.9, nesterov=True, weight_decay=0.05))),
    "momentum_falling": (
        'optimizer = {name = "sgd", rate = 0.1, momentum = 0.9}, ' + FALLING,
        torch_case(sgd(momentum=0.9),
                   lambda o: LR.StepLR(o, 2, 0.5))),
    "keras_momentum_falling": (
        'optimizer = {name = "sgd", rate = 0.1, momentum = 0.9, '
        'rate_inside = true}, ' + FALLING,
        keras_case(lambda: keras.optimizers.SGD(falling(), momentum=0.9))),
    "keras_nesterov_falling": (
        'optimizer = {name = "sgd", rate = 0.1, momentum = 0.9, '
        'nesterov = true, rate_inside = true}, ' + FALLING,
        keras_case(lambda: keras.optimizers.SGD(falling(), momentum=0.9,
                                                nesterov=True))),
    "keras_decay": (
        'optimizer = {name = "sgd", rate = 0.1, weight_decay = 0.1, '
        'decoupled_decay = true}',
        keras_case(lambda: keras.optimizers.SGD(0.1, weight_decay=0.1))),
    "l1": ('optimizer = {name = "sgd", rate = 0.1, l1_decay = 0.3}',
           torch_case(sgd(), l1=0.3)),
    "adam": ('optimizer = {name = "adam", rate = 0.1}',
             torch_case(lambda ws: torch.optim.Adam(ws, 0.1))),
    "adam_decay": (
        'optimizer = {name = "adam", rate = 0.1, beta1 = 0.8, beta2 = 0.95, '
        'epsilon = 0.01, weight_decay = 0.1}',
        torch_case(lambda ws: torch.optim.Adam(ws, 0.1, (0.8, 0.95), 0.01,
                                               0.1))),
    "adamw": ('optimizer = {name = "adamw", rate = 0.1}',
              torch_case(lambda ws: torch.optim.AdamW(ws, 0.1))),
    "adamw_decay": (
        'optimizer = {name = "adamw", rate = 0.1, weight_decay = 0.5}, '
        + FALLING,
        torch_case(lambda ws: torch.optim.AdamW(ws, 0.1, weight_decay=0.5),
                   lambda o: LR.StepLR(o, 2, 0.5))),
    "keras_adam": (
        'optimizer = {name = "adam", rate = 0.1, epsilon = 0.01, '
        'epsilon_hat = true}',
        keras_case(lambda: keras.optimizers.Adam(0.1, epsilon=0.01))),
    "rmsprop": ('optimizer = {name = "rmsprop", rate = 0.1}',
                torch_case(lambda ws: torch.optim.RMSprop(ws, 0.1))),
    "rmsprop_momentum": (
        'optimizer = {name = "rmsprop", rate = 0.1, rho = 0.9, '
        'momentum = 0.8, epsilon = 0.01}, ' + FALLING,
        torch_case(lambda ws: torch.optim.RMSprop(ws, 0.1, 0.9, 0.01,
                                                  momentum=0.8),
                   lambda o: LR.StepLR(o, 2, 0.5))),
    "rmsprop_centered": (
        'optimizer = {name = "rmsprop", rate = 0.1, rho = 0.9, '
        'centered = true, momentum = 0.8, epsilon = 0.01}',
        torch_case(lambda ws: torch.optim.RMSprop(
            ws, 0.1, 0.9, 0.01, momentum=0.8, centered=True))),
    "keras_rmsprop": (
        'optimizer = {name = "rmsprop", rate = 0.1, rho = 0.9, '
        'centered = true, momentum = 0.8, epsilon = 0.01, '
        'epsilon_inside = true, rate_inside = true}, ' + FALLING,
        keras_case(lambda: keras.optimizers.RMSprop(
            falling(), rho=0.9, momentum=0.8, epsilon=0.01, centered=True))),
    "adagrad": ('optimizer = {name = "adagrad", rate = 0.1}',
                torch_case(lambda ws: torch.optim.Adagrad(ws, 0.1))),
    "keras_adagrad": (
        'optimizer = {name = "adagrad", rate = 0.1, epsilon = 0.01, '
        'epsilon_inside = true, initial = 0.1}',
        keras_case(lambda: keras.optimizers.Adagrad(
            0.1, initial_accumulator_value=0.1, epsilon=0.01))),
    "adadelta": ('optimizer = {name = "adadelta", rate = 1.0}',
                 torch_case(lambda ws: torch.optim.Adadelta(ws, 1.0))),
    "keras_adadelta": (
        'optimizer = {name = "adadelta", rate = 0.5, rho = 0.95, '
        'epsilon = 1.0e-3}',
        keras_case(lambda: keras.optimizers.Adadelta(
            0.5, rho=0.95, epsilon=1e-3))),
    # Schedules.
    "multistep": (
        SGD + ', schedule = {name = "multistep", at = [2, 5], factor = 0.3}',
        torch_case(fixed_sgd,
                   lambda o: LR.MultiStepLR(o, [2, 5], 0.3))),
    "exponential": (
        SGD + ', schedule = {name = "exponential", factor = 0.8}',
        torch_case(fixed_sgd,
                   lambda o: LR.ExponentialLR(o, 0.8))),
    "polynomial": (
        SGD + ', schedule = {name = "polynomial", steps = 6, power = 2.0}',
        torch_case(fixed_sgd,
                   lambda o: LR.PolynomialLR(o, 6, 2.0))),
    "cosine": (
        SGD + ', schedule = {name = "cosine", steps = 20, final = 0.1}',
        torch_case(fixed_sgd, lambda o: LR.CosineAnnealingLR(
            o, 20, 0.01))),
    "inverse": (
        SGD + ', schedule = {name = "inverse", gamma = 0.5, power = 0.75}',
        torch_case(fixed_sgd, factor(lambda t: (1 + 0.5 * t) ** -0.75))),
    "sigmoid": (
        SGD + ', schedule = {name = "sigmoid", gamma = 0.7, steps = 4}',
        torch_case(fixed_sgd,
                   factor(lambda t: 1 / (1 + math.exp(0.7 * (t - 4)))))),
    "warmup": (
        SGD + ', schedule = {name = "exponential", factor = 0.5, warmup = 4}',
        torch_case(fixed_sgd, factor(
            lambda t: (t + 1) / 4 if t < 4 else 0.5 ** (t - 4)))),
    # Gradients.
    "clip_value": (
        SGD + ', clip_value = 0.5',
        torch_case(fixed_sgd, clip=lambda w:
                   torch.nn.utils.clip_grad_value_([w], 0.5))),
    "clip_norm": (
        SGD + ', clip_norm = 3.0',
        torch_case(fixed_sgd, clip=lambda w:
                   torch.nn.utils.clip_grad_norm_([w], 3.0))),
    "accumulate": (
        'optimizer = {name = "adam", rate = 0.1}, accumulate = 3, ' + FALLING,
        torch_case(lambda ws: torch.optim.Adam(ws, 0.1),
                   lambda o: LR.StepLR(o, 2, 0.5), every=3)),
}


def text(element):
    """The entry with all cases."""
    own = f"tensor<3x4x{element}>"
    scalar = f"tensor<{element}>"
    source = f'from "optimizers.{element}.safetensors"'
    lines = [f"weir.parameter @grads : tensor<{STEPS}x3x4x{element}> {source}",
             "weir.parameter @step : tensor<i64> = dense<0> : tensor<i64>"]
    lines += [f"weir.parameter @{name} : {own} {source}" for name in CASES]
    lines += [f"func.func @main() -> {scalar} {{",
              "  %step = weir.read @step : tensor<i64>",
              f"  %all = weir.read @grads : tensor<{STEPS}x3x4x{element}>",
              f"  %g = weir.gather %all, %step {{axis = 0}} : "
              f"tensor<{STEPS}x3x4x{element}>, tensor<i64>"]
    for name, (attributes, _) in CASES.items():
        lines += [
            f"  %{name} = weir.read @{name} : {own}",
            f"  %{name}_p = weir.mul %{name}, %g : {own}, {own}",
            f"  %{name}_l = weir.reduce_sum %{name}_p {{keepdims = false}} : "
            f"{own}",
            f"  weir.minimize %{name}_l {{{attributes},",
            f"      parameters = [\"{name}\"]}} : {scalar}"]
    return "\n".join([*lines, f"  return %sgd_l : {scalar}", "}", ""])


def main():
    for element, dtype in (("f64", np.float64), ("f32", np.float32)):
        random = np.random.default_rng(7)
        tensors = {"grads": random.normal(
            0, 1, (STEPS, *SHAPE)).astype(np.float32).astype(dtype)}
        tensors["grads"][:, 0, 0] = 0
        for name, (_, run) in CASES.items():
            start = random.normal(0, 1, SHAPE).astype(np.float32).astype(dtype)
            tensors[name] = start
            tensors[f"{name}.after"] = np.array(
                run(start.copy(), tensors["grads"]), dtype)
        save_file(tensors, FOLDER / f"optimizers.{element}.safetensors",
                  {"source": f"torch {torch.__version__}, "
                             f"keras {keras.__version__}"})
        (FOLDER / f"optimizers.{element}.mlir").write_text(text(element))


if __name__ == "__main__":
    main()
