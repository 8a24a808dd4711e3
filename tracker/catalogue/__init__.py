"""The obligations as data: model, loading with positions, rules."""
