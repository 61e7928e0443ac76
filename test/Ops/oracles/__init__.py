"""What gen-oracles.py computes results with."""
