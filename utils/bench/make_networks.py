#!/usr/bin/env python3
"""Makes the ONNX files of the networks that are compared.

    utils/bench/make_networks.py FOLDER [--only=GLOB] [--growing] [--verify]

Run it with the Python of utils/bench/setup.sh. Architectures are as published,
which counts of parameters assert; weights are seeded noise, scaled so that
values keep their size. What is in FOLDER already is left as it is.
"""
import argparse
import fnmatch
import sys

import numpy as np
import onnx

import cache
import networks

# Beyond this a network's values say more about its noise than about engines.
MOST = 1e5
LEAST_CHANGE = 1e-3


def choose(patterns, among):
    """The networks whose names fit one of the patterns, or all."""
    chosen = [network for network in among if not patterns or any(
        fnmatch.fnmatchcase(network.name, pattern) for pattern in patterns)]
    if not chosen:
        known = ", ".join(network.name for network in among)
        sys.exit(f"error: no network is called {' or '.join(patterns)}; there "
                 f"are {known}")
    return chosen


def run_all_values(made, inputs):
    """Every floating-point value that ONNX Runtime computes, by name; what it
    optimises away cannot be asked for, so it optimises nothing."""
    import onnxruntime
    model = onnx.load(made.model)
    known = {value.name for value in model.graph.output}
    outputs = [name for node in model.graph.node if node.op_type != "Constant"
               for name in node.output if name and name not in known]
    model.graph.output.extend(onnx.ValueInfoProto(name=name)
                              for name in outputs)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), settings, ["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    values = dict(zip(names, session.run(None, inputs)))
    return {name: value for name, value in values.items()
            if value.dtype == np.float32}, known


def verify(network, made):
    """What is wrong with the values of a network, or an empty text, and a line
    for people."""
    first, outputs = run_all_values(made, cache.make_inputs(network, 1))
    second, _ = run_all_values(made, cache.make_inputs(network, 2))
    # A mask holds the lowest number on purpose; infinity times zero is no
    # number, so nothing hides behind it.
    sizes = {name: np.abs(value).max() for name, value in first.items()
             if value.size and not (value == np.finfo(np.float32).min).any()}
    finite = all(np.isfinite(value).all() for value in first.values())
    most = max(sizes.values())
    change = min(np.abs(first[name] - second[name]).max()
                 / np.abs(first[name]).max() for name in outputs)
    spread = min(first[name].std() for name in outputs)
    line = f"largest value {most:.3g}, spread {spread:.3g}, change {change:.3g}"
    wrong = (not finite and "a value is not finite"
             or most > MOST and f"a value is larger than {MOST:g}"
             or not change > LEAST_CHANGE and "outputs do not follow inputs")
    return wrong or "", line


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="networks by name (repeat)")
    parser.add_argument("--growing", action="store_true",
                        help="those of compile_time.py instead")
    parser.add_argument("--verify", action="store_true",
                        help="run each by ONNX Runtime and look at its values")
    options = parser.parse_args()
    among = networks.GROWING if options.growing else networks.ALL
    failed = False
    for network in choose(options.only, among):
        made = cache.ensure(network, options.folder)
        line = f"{made.nodes} nodes, {made.weight_bytes / 1e6:.1f} MB"
        if options.verify:
            wrong, values = verify(network, made)
            line += f", {values}" + (f": {wrong}" if wrong else "")
            failed |= bool(wrong)
        print(f"{made.name}: {line}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
