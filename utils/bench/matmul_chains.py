"""Chains of matrix products that do not depend on each other, and what their
traces say."""
import collections
import json
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import safetensors_file  # noqa: E402


def write_chains(folder: pathlib.Path, count, length, size):
    """The path of a graph of `count` chains; the names of the ops in a chain
    begin with a, b, ... Weights are orthogonal, so that products of any length
    keep their size."""
    folder.mkdir(parents=True, exist_ok=True)
    random, weights, lines = np.random.RandomState(3), {}, []
    kind = f"tensor<{size}x{size}xf32>"
    chains = "abcdefgh"[:count]
    for chain in chains:
        matrix, _ = np.linalg.qr(random.standard_normal((size, size)))
        weights[f"w_{chain}"] = matrix.astype(np.float32)
        lines.append(f'weir.parameter @w_{chain} : {kind} from '
                     f'"weights.safetensors" key "w_{chain}"')
    kinds = ", ".join([kind] * count)
    lines.append(f"func.func @main(%x: {kind}) -> ({kinds}) {{")
    for chain in chains:
        lines.append(f"  %w_{chain} = weir.read @w_{chain} : {kind}")
        last = "x"
        for step in range(length):
            lines.append(f"  %{chain}{step} = weir.matmul %{last}, %w_{chain} "
                         f": {kind}, {kind}")
            last = f"{chain}{step}"
    results = ", ".join(f"%{chain}{length - 1}" for chain in chains)
    lines += [f"  return {results} : {kinds}", "}", ""]
    safetensors_file.save(folder / "weights.safetensors", weights)
    path = folder / "chains.mlir"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read_launches(trace: pathlib.Path):
    """(begin, end) of each launch in microseconds, in lists by device."""
    names, rows = {}, collections.defaultdict(list)
    for event in json.loads(trace.read_text())["traceEvents"]:
        if event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event.get("cat") == "launch":
            rows[event["pid"]].append((event["ts"],
                                       event["ts"] + event["dur"]))
    return {names[pid]: launches for pid, launches in rows.items()}


def busy_shares(rows):
    """For each device the share of the whole time in which it launches
    something, and the share in which all do."""
    begin = min(row[0][0] for row in rows.values())
    end = max(row[-1][1] for row in rows.values())
    changes = sorted((time, change) for row in rows.values()
                     for launch in row for time, change in zip(launch, (1, -1)))
    shares = {device: sum(stop - start for start, stop in row) / (end - begin)
              for device, row in rows.items()}
    together, running, last = 0.0, 0, begin
    for time, change in changes:
        together += (time - last) * (running == len(rows))
        running, last = running + change, time
    return shares, together / (end - begin)
