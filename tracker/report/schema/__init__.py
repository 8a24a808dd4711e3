"""The published JSON Schema of `tracker report --format json`."""
