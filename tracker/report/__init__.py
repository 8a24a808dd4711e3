"""What the user sees: terminal, JSON."""
