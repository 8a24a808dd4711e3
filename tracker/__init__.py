"""Proof-obligation tracker for Lean 4 formalizations."""

__version__ = "0.1.0"
