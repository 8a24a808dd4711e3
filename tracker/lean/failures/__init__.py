"""Failure classes: what a check died of, told from messages, stderr, exit codes, signals and Lake's words."""
