"""Reading any Lake project's sources without Lean: what it declares, and what deserves a look."""
