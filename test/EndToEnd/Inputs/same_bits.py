#!/usr/bin/env python3
"""Runs each network on one device, then with random placements on several, and
with every second of these with inputs and outputs in the memory of devices.

Random graphs run on two devices that share memory and one that does not. Every
placement has to give the same bits, and the runtime has to count the
crossings that count_crossings.py finds in the placed text, and the bytes that
cross to or from a device with memory of its own.
"""
import argparse
import pathlib
import random
import re

from batch import Batch, check
from count_crossings import count_crossings
from networks import prepare_networks
from random_graph import generate

# The devices, and those that have memory of their own.
MIXED = ("cpu:0-2", ("cpu:2",))
DEVICES = (
    ("cpu:0-1", ()),
    ("cpu:0-1", ("cpu:0", "cpu:1")),
    ("cpu:0-3", ()),
    ("cpu:0-3", ("cpu:0", "cpu:1", "cpu:2", "cpu:3")),
    MIXED,
)
# Values of the smallest and of the largest random graph.
FEWEST, MOST = 40, 240


class RandomGraph:
    def __init__(self, seed, graphs, work):
        count = FEWEST + (MOST - FEWEST) * seed // graphs
        self.name = f"random graph {seed} of {count} values"
        self.folder = work / "random"
        self.inputs = [
            f"{value.name}={self.folder}/in_{value.name}.npy"
            for value in generate(seed, count, self.folder).inputs]

    def request(self):
        return {"text": self.folder / "graph.mlir", "inputs": self.inputs,
                "threads": 1}


def run(batch, network, case, **request):
    """The answer, and the bytes of all outputs."""
    path = network.folder / "outputs.bin"
    answer = batch.run(case, **network.request(), outputs=path, **request)
    return answer, path.read_bytes()


def check_crossings(answer, isolated, case):
    """The number of crossings."""
    expected = count_crossings(answer["texts"]["placed"], set(isolated))
    for device in answer["devices"]:
        name = device["name"]
        found = expected.get(name, {"crossings": 0, "bytes": 0})
        check(device["crossings"] == found["crossings"],
              f"{case}: {device['crossings']} crossings to {name}, expected "
              f"{found['crossings']}")
        check(device["bytes_crossed"] == found["bytes"],
              f"{case}: {device['bytes_crossed']} bytes to {name}, expected "
              f"{found['bytes']}")
    return sum(device["crossings"] for device in expected.values())


def find_ports(batch, network):
    """The names of the inputs and outputs."""
    answer = batch.ask(network.name, **network.request(), emit=["lifted"])
    header = re.search(r"func\.func @main\(.*", answer["texts"]["lifted"])[0]
    inputs = [argument.partition("=")[0] for argument in network.inputs]
    return inputs + re.findall(r'weir\.name = "([^"]+)"', header)


def draw_spaces(ports, devices, seed):
    """Half of the inputs and outputs on random devices, for odd seeds."""
    if seed % 2 == 0:
        return []
    draw, last = random.Random(seed), int(devices[-1])
    return [f"{port}=cpu:{draw.randint(0, last)}" for port in ports
            if draw.random() < 0.5]


def check_placement(batch, network, expected, devices, seed, isolated):
    """The number of crossings."""
    spaces = draw_spaces(network.ports, devices, seed)
    case = f"{network.name} on {devices}, placement {seed}" + (
        f", isolated {', '.join(isolated)}" if isolated else "") + (
        f", {', '.join(spaces)}" if spaces else "")
    answer, outputs = run(
        batch, network, case, devices=devices, placement=f"random:{seed}",
        isolated=",".join(isolated), emit=["placed"], port_spaces=spaces)
    check(outputs == expected, f"{case}: other bits")
    return check_crossings(answer, isolated, case)


def check_network(batch, network, seeds, all_devices=DEVICES):
    network.ports = find_ports(batch, network)
    _, expected = run(batch, network, network.name, devices="cpu:0")
    crossings = sum(
        check_placement(batch, network, expected, devices, seed, isolated)
        for devices, isolated in all_devices for seed in seeds)
    check(crossings, f"{network.name}: no value ever crossed")
    print(f"{network.name}: same bits, {crossings} crossings")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--placements", type=int, default=20,
                        help="of each network; random graphs have a fifth")
    parser.add_argument("--graphs", type=int, default=20)
    options = parser.parse_args()
    with Batch() as batch:
        for network in prepare_networks(options.work):
            check_network(batch, network, range(options.placements))
        # Where a graph has one placement, every second graph has ports.
        count = max(options.placements // 5, 1)
        for seed in range(options.graphs):
            check_network(batch, RandomGraph(seed, options.graphs,
                                             options.work),
                          range(seed, seed + count), (MIXED,))


if __name__ == "__main__":
    main()
