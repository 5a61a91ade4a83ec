"""fixbook: paste a log, get the fix."""
