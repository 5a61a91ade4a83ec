"""Doors for programs and people on a network: HTTP, MCP, a step of GitHub Actions."""

__all__: list[str] = []
