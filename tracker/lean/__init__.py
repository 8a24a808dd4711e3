"""Everything that speaks to Lean: toolchain, project, Lake, messages, failure classes, probe."""
