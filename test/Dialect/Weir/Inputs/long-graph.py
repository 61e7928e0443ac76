#!/usr/bin/env python3
"""long-graph.py KIND COUNT: a graph of COUNT steps, as text.

`outputs`: one value is returned COUNT times. `paths`: a parameter from which
values are computed in COUNT steps; each reads the one before twice, so that the
number of paths doubles, and a run needs each. `grown`: a chain of COUNT steps
on a tensor that is much larger than the parameter behind it. `doubled`: the
same, where each step reads the one before twice and other parameters are large.
`joined`: two chains of COUNT steps, and a third that goes on from both. `wide`:
one op of COUNT parameters. `ports`: COUNT inputs in the memory of a device,
half of which are returned in another order. `open`: COUNT inputs of unknown
size. `parts`: COUNT ops of two results, of which the second is returned.
`gradients`: COUNT losses, each of which has a gradient of its own.
`bound` and `shaped`: not a graph, but the flags of graph-compile that bind each
of COUNT inputs, or give each its shape.
"""
import sys

TYPE = "tensor<4xf32>"


def outputs(count):
    types = ", ".join([TYPE] * count)
    yield f"func.func @main(%x: {TYPE}) -> ({types}) {{"
    yield f"  %y = weir.relu %x : {TYPE}"
    yield f"  return {', '.join(['%y'] * count)} : {types}"


def paths(count):
    yield f"weir.parameter @p : {TYPE} = dense<0.5> : {TYPE}"
    yield f"func.func @main(%x: {TYPE}) -> {TYPE} {{"
    yield f"  %v0 = weir.read @p : {TYPE}"
    yield f"  %a0 = weir.max %x, %v0 : {TYPE}, {TYPE}"
    for i in range(1, count):
        yield f"  %w{i} = weir.sin %v{i - 1} : {TYPE}"
        yield f"  %v{i} = weir.mod %v{i - 1}, %w{i} : {TYPE}, {TYPE}"
        yield f"  %a{i} = weir.fmod %a{i - 1}, %v{i} : {TYPE}, {TYPE}"
    yield f"  return %a{count - 1} : {TYPE}"


def chain(count, step):
    """%v0 is a large tensor made of %p, and each step is made of the one
    before."""
    yield "  %p = weir.read @p : tensor<1xf32>"
    yield "  %v0 = weir.expand %p {shape = [524288]} : tensor<1xf32>"
    for i in range(1, count):
        yield f"  %v{i} = " + step.format(f"%v{i - 1}")


def grown(count):
    large = "tensor<524288xf32>"
    yield "weir.parameter @p : tensor<1xf32> = dense<0.5> : tensor<1xf32>"
    yield f"func.func @main() -> {large} {{"
    yield from chain(count, f"weir.neg {{0}} : {large}")
    yield f"  return %v{count - 1} : {large}"


def doubled(count):
    large = "tensor<524288xf32>"
    other = "tensor<4194304xf32>"
    yield "weir.parameter @p : tensor<1xf32> = dense<0.5> : tensor<1xf32>"
    for name in "qr":
        yield f"weir.parameter @{name} : {other} = dense<0.5> : {other}"
    yield f"func.func @main() -> ({large}, tensor<8388608xf32>) {{"
    for name in "qr":
        yield f"  %{name} = weir.read @{name} : {other}"
    yield ("  %both = weir.concat %q, %r {axis = 0} : "
           f"{other}, {other}")
    yield from chain(count, f"weir.add {{0}}, {{0}} : {large}, {large}")
    yield f"  return %v{count - 1}, %both : {large}, tensor<8388608xf32>"


def joined(count):
    large = "tensor<65536xf32>"
    for name in "ab":
        yield f"weir.parameter @{name} : {large} = dense<0.5> : {large}"
    yield f"func.func @main(%x: {large}) -> {large} {{"
    for name in "ab":
        yield f"  %{name}0 = weir.read @{name} : {large}"
        for i in range(1, count):
            yield f"  %{name}{i} = weir.neg %{name}{i - 1} : {large}"
    yield (f"  %c0 = weir.add %a{count - 1}, %b{count - 1} : "
           f"{large}, {large}")
    for i in range(1, count):
        yield f"  %c{i} = weir.neg %c{i - 1} : {large}"
    yield f"  %y = weir.add %c{count - 1}, %x : {large}, {large}"
    yield f"  return %y : {large}"


def wide(count):
    part, whole = "tensor<8192xf32>", f"tensor<{count * 8192}xf32>"
    for i in range(count):
        yield f"weir.parameter @p{i} : {part} = dense<0.5> : {part}"
    yield f"func.func @main(%x: {whole}) -> {whole} {{"
    for i in range(count):
        yield f"  %p{i} = weir.read @p{i} : {part}"
    names = ", ".join(f"%p{i}" for i in range(count))
    yield (f"  %all = weir.concat {names} {{axis = 0}} : "
           + ", ".join(count * [part]))
    yield f"  %y = weir.add %all, %x : {whole}, {whole}"
    yield f"  return %y : {whole}"


def ports(count):
    inputs = ", ".join(f'%x{i}: {TYPE} {{weir.space = "/CPU:1"}}'
                       for i in range(count))
    returned = range(count // 2, 0, -1)
    outputs = ", ".join([f'{TYPE} {{weir.space = "/CPU:1"}}'] * len(returned))
    devices = '#weir.devices<["cpu:0", "cpu:1"]>'
    yield f"module attributes {{weir.devices = {devices}}} {{"
    yield f"func.func @main({inputs}) -> ({outputs}) {{"
    names = ", ".join(f"%x{i}" for i in returned)
    yield f"  return {names} : {', '.join([TYPE] * len(returned))}"
    yield "}"


def open_inputs(count):
    inputs = ", ".join(f"%x{i}: tensor<?xf32>" for i in range(count))
    yield f"func.func @main({inputs}) -> tensor<?xf32> {{"
    yield "  return %x0 : tensor<?xf32>"


def parts(count):
    half = "tensor<2xf32>"
    yield f"func.func @main(%x: {TYPE}) -> ({', '.join([half] * count)}) {{"
    for i in range(count):
        yield (f"  %a{i}, %b{i} = weir.split %x {{axis = 0, sizes = [2, 2]}} :"
               f" {TYPE}")
    names = ", ".join(f"%b{i}" for i in range(count))
    yield f"  return {names} : {', '.join([half] * count)}"


def gradients(count):
    loss = "tensor<f32>"
    yield f"func.func @main(%x: {TYPE}) -> {TYPE} {{"
    for i in range(count):
        yield f"  %s{i} = weir.sin %x : {TYPE}"
        yield f"  %l{i} = weir.reduce_sum %s{i} {{keepdims = false}} : {TYPE}"
        yield f"  %g{i} = weir.gradient %l{i} of %x : {loss} of {TYPE}"
    yield f"  return %g{count - 1} : {TYPE}"


kind, number = sys.argv[1], int(sys.argv[2])
flags = {"bound": "--bind=x{}=x.npy", "shaped": "--shape=x{}:4"}
if kind in flags:
    for i in range(number):
        print(flags[kind].format(i))
else:
    for line in {"outputs": outputs, "paths": paths, "grown": grown,
                 "doubled": doubled, "joined": joined, "wide": wide,
                 "ports": ports, "open": open_inputs,
                 "parts": parts, "gradients": gradients}[kind](number):
        print(line)
    print("}")
