"""Reading what Lean and Lake print: lines, the grammar of Lake's log, a light scan of sources."""
