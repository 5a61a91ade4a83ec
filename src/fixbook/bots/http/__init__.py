"""The HTTP door: `fixbook serve`.

One process speaks HTTP and never computes; worker processes hold the book, diagnose and render. So a log that takes too long is
ended with its worker, a book is reloaded by starting workers on it, and nothing blocks the others.
"""

__all__: list[str] = []
