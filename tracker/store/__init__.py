"""The evidence store: SQLite history under `.tracker/`."""
