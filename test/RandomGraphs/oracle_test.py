"""Results of which the oracle is not sure are not compared."""
import unittest

import numpy as np

import oracle
from bounded import PRECISIONS, Number

INF = np.inf
PRECISION = PRECISIONS["f32"]


def unsure_positions(data, error):
    """Which elements, in descending order, may be at another position."""
    number = Number(np.array(data, float), np.array(error, float))
    found, = oracle.compute(PRECISION, "top_k", [number],
                            {"k": len(data), "axis": 0})
    return (found.error > 0).tolist()


class SortedPositionsTest(unittest.TestCase):
    def test_close_elements_may_change_places(self):
        self.assertEqual(unsure_positions([9, 5, 5.5, 1], [0, 0, 0.5, 0]),
                         [False, True, True, False])

    def test_infinities_without_a_bound_may_change_places(self):
        self.assertEqual(unsure_positions([INF, INF], [INF, INF]),
                         [True, True])
        self.assertEqual(unsure_positions([-INF, -INF], [INF, INF]),
                         [True, True])

    def test_exact_elements_have_sure_positions(self):
        self.assertEqual(unsure_positions([5, 5, 1], [0, 0, 0]),
                         [False, False, False])


if __name__ == "__main__":
    unittest.main()
