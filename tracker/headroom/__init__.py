"""Headroom: how near each declaration is to the limits under which Lean still accepts it."""
