"""Levels: how the cost of a family of proofs grows with the number of stages."""
