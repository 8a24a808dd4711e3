"""The dashboard: one HTML file that shows what is proved, at what cost, and how that came about."""
