"""Write the published schema anew."""

from tracker.catalogue.schema import SCHEMA_FILE, text

SCHEMA_FILE.write_text(text(), encoding="utf-8")
