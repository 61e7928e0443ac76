#!/usr/bin/env python3
"""Runs each network on one device, then with random placements on several.

Every placement has to give the same bits, and the runtime has to count the
crossings that count_crossings.py finds in the placed text, and the bytes that
cross to or from a device with memory of its own.
"""
import argparse
import pathlib

from batch import Batch, check
from count_crossings import count_crossings
from networks import prepare_networks

# The devices, and those that have memory of their own.
DEVICES = (
    ("cpu:0-1", ()),
    ("cpu:0-1", ("cpu:0", "cpu:1")),
    ("cpu:0-3", ()),
    ("cpu:0-3", ("cpu:0", "cpu:1", "cpu:2", "cpu:3")),
    ("cpu:0-2", ("cpu:2",)),
)


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


def check_placement(batch, network, expected, devices, seed, isolated):
    """The number of crossings."""
    case = f"{network.name} on {devices}, placement {seed}" + (
        f", isolated {', '.join(isolated)}" if isolated else "")
    answer, outputs = run(
        batch, network, case, devices=devices, placement=f"random:{seed}",
        isolated=",".join(isolated), emit=["placed"])
    check(outputs == expected, f"{case}: other bits")
    return check_crossings(answer, isolated, case)


def check_network(batch, network, placements):
    _, expected = run(batch, network, network.name, devices="cpu:0")
    crossings = sum(
        check_placement(batch, network, expected, devices, seed, isolated)
        for devices, isolated in DEVICES for seed in range(placements))
    check(crossings, f"{network.name}: no value ever crossed")
    print(f"{network.name}: same bits, {crossings} crossings")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--placements", type=int, default=20)
    options = parser.parse_args()
    with Batch() as batch:
        for network in prepare_networks(options.work):
            check_network(batch, network, options.placements)


if __name__ == "__main__":
    main()
