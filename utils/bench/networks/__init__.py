"""The networks that are compared; one file for each family."""
from networks import branches, chains, residual, stored, tiny, transformers

ALL = [network for family in (residual, chains, branches, transformers, tiny,
                              stored) for network in family.NETWORKS]
GROWING = tiny.GROWING
BASELINE = tiny.BASELINE
