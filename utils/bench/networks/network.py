"""What a network of the benchmark is."""
import dataclasses
from typing import Callable, Optional

import numpy as np


@dataclasses.dataclass
class Network:
    """`build` fills a Graph, or makes a model if `is_model`; `inputs` makes
    arrays by name from a random generator; `parameters` is the published count
    of trained weights; where `overhead`, the work between kernels bounds the
    speed. `shapes` are those of inputs that the file leaves open."""
    name: str
    build: Callable
    inputs: Callable
    parameters: Optional[int] = None
    overhead: bool = False
    is_model: bool = False
    shapes: dict = dataclasses.field(default_factory=dict)


def picture(size):
    """One normalised picture."""
    return lambda random: {
        "image": random.standard_normal((1, 3, size, size), np.float32)}
