"""The book as a static site in both languages: one page an entry and language, indexes, feeds, search, and the box to paste a log into.

Another front door: it imports the rooms of the core and none of them imports it.
"""

__all__: list[str] = []
