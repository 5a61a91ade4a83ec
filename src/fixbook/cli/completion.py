"""`fixbook completion SHELL`: the script that completes fixbook's arguments there."""

from argparse import ArgumentParser

from .arguments import Options
from .console import prepare

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook completion bash > ~/.local/share/bash-completion/completions/fixbook
  fixbook completion zsh > "${fpath[1]}/_fixbook"
  fixbook completion fish > ~/.config/fish/completions/fixbook.fish

exit codes:
  0  printed
  2  no such shell
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Prints the completion script of a shell."
    parser.epilog = _EPILOG
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")
    parser.set_defaults(run=run, lang=None)


def run(options: Options) -> int:
    from .completing import FILES, FOLDER

    prepare(machine=True)
    print((FOLDER / FILES[options.shell]).read_text("utf-8"), end="")
    return 0
