"""The gate: what is proved now against what was proved before, at what cost, and whether that may land."""
