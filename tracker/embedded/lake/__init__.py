"""A minimal `lake` for the embedded toolchain, which has none: a stand-in, not a second build system.

It reads `lakefile.toml`, builds modules with `lean`, keeps Lake's directory layout and trace files, and
prints Lake's words, so that one driver serves both. Dependencies on other packages, executables, native
code, scripts and caches are refused by name. Its traces name the toolchain's Init by content, so neither
this program nor the real Lake ever takes the other's `.olean` for up to date.

The program is started once per module. Nothing here imports `re`, `json`, `typing` or `subprocess`
before `lean` is running.
"""
