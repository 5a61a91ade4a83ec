"""Doors that a failing program itself goes through: a runner around a command, a hook in an interpreter, a plugin of a test runner.

Nothing in the core imports them, and they import the core only once something failed.
"""

__all__: list[str] = []
