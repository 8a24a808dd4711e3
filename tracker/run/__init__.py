"""The driver: plan, fingerprints, supervised checks, records."""
