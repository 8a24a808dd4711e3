"""Arithmetic of dimensions and the laws of chains: no Lean, no files, no catalogue."""
