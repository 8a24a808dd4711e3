"""Lean for machines without elan: a launcher, a small Init and a minimal lake."""
