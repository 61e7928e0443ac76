#!/usr/bin/env python3
"""Prints the figures of compare.py as tables.

    utils/bench/report.py RESULTS.json...

Several files are put together; of a network in more than one the last counts.
"""
import json
import math
import pathlib
import statistics
import sys

OURS = "weir"
MEGABYTE = 1e6
NONE = "-"


def progress(record):
    """Prints a progress line."""
    what = (f"{record['network']} {record['precision']} "
            f"{record['threads']} threads: {record['contender']}")
    if "reason" in record:
        return f"{what}: {record['reason']}"
    line = f"{what}: error {record['error']:.1e}"
    if record["rounds"]:
        line += f", {least(record):.4f} ms"
    return line


def minima(record):
    return [found["latency_ms"]["min"] for found in record["rounds"]]


def least(record):
    return min(minima(record))


def table(header, rows):
    """Markdown; all columns but the first are numbers."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["| " + " | ".join(
        cell.rjust(width) if at else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths))) + " |"
        for row in rows]
    marks = [("-" * (width + 1) + ":") if at else "-" * (width + 2)
             for at, width in enumerate(widths)]
    lines.insert(1, "|" + "|".join(marks) + "|")
    return "\n".join(lines)


def by_network(records):
    """Records by contender, by network, in their order."""
    found = {}
    for record in records:
        found.setdefault(record["network"], {})[record["contender"]] = record
    return found


def is_timed(record):
    return record is not None and bool(record["rounds"])


def cell(record, text):
    """The text for a record with times, by `text`."""
    return text(record) if is_timed(record) else NONE


def spread(record):
    """The spread of the rounds, in percent of the minimum."""
    return f"{100 * (max(minima(record)) / least(record) - 1):.0f}"


def ratio(found):
    """How many times as fast as the best peer, or None."""
    peers = [least(record) for name, record in found.items()
             if name != OURS and is_timed(record)]
    if not peers or not is_timed(found.get(OURS)):
        return None
    return min(peers) / least(found[OURS])


def peers_of(networks):
    return sorted({name for found in networks.values() for name in found
                   if name != OURS})


def error(record):
    return (NONE if record is None or "error" not in record
            else f"{record['error']:.1e}")


def check_table(networks):
    names = sorted({name for found in networks.values() for name in found})
    rows = [[network, *(error(found.get(name)) for name in names)]
            for network, found in networks.items()]
    return table(["largest error", *names], rows)


def speed_table(networks):
    peers = peers_of(networks)
    header = ["network", "weir ms", "median", "spread %",
              *(f"{peer} ms" for peer in peers), "best peer / weir",
              "weir error", *(f"{peer} error" for peer in peers)]
    rows = []
    for name, found in networks.items():
        ours, faster = found.get(OURS), ratio(found)
        rows.append([
            name, cell(ours, lambda record: f"{least(record):.4f}"),
            cell(ours, lambda record:
                 f"{statistics.median(minima(record)):.4f}"),
            cell(ours, spread),
            *(cell(found.get(peer), lambda record: f"{least(record):.4f}")
              for peer in peers), f"{faster:.2f}" if faster else NONE,
            error(ours), *(error(found.get(peer)) for peer in peers)])
    return table(header, rows)


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def summarise(networks):
    """Means of the ratios; where work between kernels bounds the speed they are
    counted apart."""
    groups = {"all others": [], "bound by overhead": []}
    for found in networks.values():
        overhead = next(iter(found.values()))["overhead"]
        if faster := ratio(found):
            groups["bound by overhead" if overhead else "all others"].append(
                faster)
    return "; ".join(
        f"{name}: geometric mean {geometric_mean(values):.3f}, least "
        f"{min(values):.3f} of {len(values)}"
        for name, values in groups.items() if values)


def load_table(networks):
    peers = peers_of(networks)
    rows = []
    for name, found in networks.items():
        ours = found.get(OURS)
        rows.append([
            name, cell(ours, lambda record: min_of(record, "compile_ms")),
            cell(ours, lambda record: min_of(record, "load_ms")),
            *(cell(found.get(peer), lambda record: min_of(record, "load_ms"))
              for peer in peers)])
    return table(["network", "weir compile ms", "weir load ms",
                  *(f"{peer} load ms" for peer in peers)], rows)


def min_of(record, key):
    return f"{min(found[key] for found in record['rounds']):.0f}"


def memory_row(name, found, peers, baselines):
    ours = found[OURS]["memory"]
    above = ours["peak_bytes"] - baselines[OURS]
    most = 1.3 * (ours["weight_bytes"] + ours["planned_bytes"]) + 20 * MEGABYTE
    row = [name, ours["weight_bytes"], ours["planned_bytes"], above, most]
    for peer in peers:
        weighed = found.get(peer, {}).get("memory")
        row.append(weighed and weighed["peak_bytes"] - baselines[peer])
    return [row[0], *(NONE if value is None else f"{value / MEGABYTE:.1f}"
                      for value in row[1:])]


def memory_table(networks, baselines):
    peers = peers_of(networks)
    rows = [memory_row(name, found, peers, baselines)
            for name, found in networks.items()
            if "memory" in found.get(OURS, {})]
    return rows and table(["network, MB", "weights", "planned", "weir",
                           "weir asked <=", *peers], rows)


def setting_parts(networks, baselines):
    """The tables of one setting."""
    if not any(is_timed(record) for found in networks.values()
               for record in found.values()):
        return [check_table(networks)]
    parts = [speed_table(networks), summarise(networks),
             "Compilation and load:", load_table(networks)]
    if weighed := memory_table(networks, baselines):
        parts += ["Peak memory above that of a process with one product:",
                  weighed]
    return parts


def make_text(results):
    machine = results["machine"]
    versions = ", ".join(f"{name} {text}"
                         for name, text in results["versions"].items())
    parts = [f"{machine['cpu']}, {machine['cores']} cores, Linux "
             f"{machine['kernel']}; {versions}; {results['rounds']} rounds of "
             f"{results['budget_ms']} ms."]
    settings = {(record["precision"], record["threads"]): None
                for record in results["records"]}
    for precision, threads in settings:
        networks = by_network(
            record for record in results["records"]
            if (record["precision"], record["threads"]) == (precision, threads))
        parts.append(f"## {precision}, {threads} threads")
        parts += setting_parts(networks, results["baseline_bytes"])
    unable = [f"- {progress(record)}" for record in results["records"]
              if "reason" in record]
    if unable:
        parts += ["Not run:", "\n".join(unable)]
    return "\n\n".join(filter(None, parts))


def merge(files):
    """One set of results; machines and settings are those of the last."""
    records, results = {}, {}
    for file in files:
        results = json.loads(pathlib.Path(file).read_text())
        for record in results["records"]:
            key = tuple(record[part] for part in (
                "network", "contender", "threads", "precision"))
            records[key] = record
    return results | {"records": list(records.values())}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    print(make_text(merge(sys.argv[1:])))


if __name__ == "__main__":
    main()
