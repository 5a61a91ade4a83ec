"""`fixbook mcp`: the book as tools of a model, over stdio."""

from argparse import ArgumentParser

from ..errors import FixbookError
from .arguments import Options
from .shelf import open_book

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook mcp                       started by the client, which speaks to it over stdin and stdout
  fixbook mcp --kb our-kb/

A client's configuration:
  {"mcpServers": {"fixbook": {"command": "fixbook", "args": ["mcp"]}}}

exit codes:
  0  the client has closed the connection
  2  trouble: arguments, a book that cannot be loaded
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "An MCP server over stdio: diagnose, explain, search, and the articles. Needs pip install 'fixbook[mcp]'."
    parser.epilog = _EPILOG
    parser.add_argument("--redact-hosts", action="store_true", help="mask names and addresses of machines in answers, too")
    parser.add_argument("--kb", action="append", default=[], metavar="DIR", help="put this book over the shipped one (repeatable)")
    parser.add_argument("--no-shipped", action="store_true", help="use the books of --kb alone")
    parser.set_defaults(run=run, lang=None)


def run(options: Options) -> int:
    """0 when the client has gone."""
    try:
        from ..bots.mcp import make_server
    except ModuleNotFoundError as error:
        raise FixbookError(f"mcp needs {error.name}: pip install 'fixbook[mcp]'") from error
    make_server(open_book(options), hosts=options.redact_hosts).run("stdio")
    return 0
