"""The networks in networks/, each in a folder with parameters drawn for it."""
import pathlib
import re
import shutil

import numpy as np

from batch import check
import safetensors_file

FOLDER = pathlib.Path(__file__).resolve().parent / "networks"
PARAMETER = re.compile(
    r'weir\.parameter @(\w+) : tensor<([\dx]+)xf32> from "([^"]+)" '
    r'key "(\w+)"')
ENTRY = re.compile(r"func\.func @main\((.*?)\)\s*->", re.S)


def draw_parameters(text):
    """Values for the parameters that `text` declares, by name. Weights keep the
    size of what they multiply; vectors are positive, for variances."""
    random, values = np.random.RandomState(5), {}
    for _, dims, _, key in PARAMETER.findall(text):
        shape = [int(dim) for dim in dims.split("x")]
        drawn = random.uniform(-1, 1, shape)
        fan_in = int(np.prod(shape[1:]))
        drawn = drawn + 1.5 if len(shape) == 1 else drawn * (3 / fan_in) ** 0.5
        values[key] = drawn.astype(np.float32)
    return values


class Network:
    """A copy of the file `source` in `work`, with its parameters beside it."""

    def __init__(self, source: pathlib.Path, work: pathlib.Path):
        self.name, self.folder = source.stem, work / source.stem
        self.folder.mkdir(parents=True, exist_ok=True)
        self.text = self.folder / source.name
        shutil.copyfile(source, self.text)
        content = source.read_text(encoding="utf-8")
        names = re.findall(r"%(\w+):", ENTRY.search(content)[1])
        self.inputs = [f"{name}=random:{seed}"
                       for seed, name in enumerate(names, 1)]
        values = draw_parameters(content)
        for file in {match[2] for match in PARAMETER.findall(content)}:
            safetensors_file.save(self.folder / file, values)

    def request(self):
        """What all requests about it say."""
        return {"text": self.text, "inputs": self.inputs, "threads": 1}


def prepare_networks(work):
    found = [Network(path, work) for path in sorted(FOLDER.glob("*.mlir"))]
    check(len(found) >= 10, f"{FOLDER} has {len(found)} networks, not ten")
    return found
