"""Writes a training step whose activations are cheap to compute from products.

    recompute_step.py FILE.mlir

Entry `main` computes the loss alone.
"""
import sys

SIZE, LAYERS = 1024, 6
TYPE = f"tensor<{SIZE}x{SIZE}xf32>"


def entry(name, last):
    lines = [f"func.func @{name}(%x0: {TYPE}) -> "
             '(tensor<f32> {weir.name = "loss"}) {']
    for i in range(LAYERS):
        lines += [
            f"  %w{i} = weir.read @w{i} : {TYPE}",
            f"  %m{i} = weir.matmul %x{i}, %w{i} : {TYPE}, {TYPE}",
            f"  %s{i} = weir.sigmoid %m{i} : {TYPE}",
            f"  %x{i + 1} = weir.mul %m{i}, %s{i} : {TYPE}, {TYPE}"]
    return lines + [
        f"  %loss = weir.reduce_mean %x{LAYERS} {{keepdims = false}} : {TYPE}",
        *last, "  return %loss : tensor<f32>", "}"]


def main():
    lines = [f"weir.parameter @w{i} : {TYPE} initial "
             f'{{name = "glorot_uniform", seed = {i}}}' for i in range(LAYERS)]
    step = ('  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}} '
            ": tensor<f32>")
    lines += entry("main", []) + entry("train", [step])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
