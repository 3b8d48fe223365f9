// Exports nothing: see docs/decisions/dependencies.md.
