"""`frontdesk completion`: prints shell completion scripts."""

import click
from click.shell_completion import get_completion_class

from frontdesk.cli import bash_completion  # noqa: F401 - registers itself
from frontdesk.cli.base import COMPLETION_VARIABLE, PROGRAM, command

SHELLS = ("bash", "zsh", "fish")


@command("completion", 'eval "$(frontdesk completion bash)"', "frontdesk completion fish | source")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that completes `frontdesk` in a shell.

    \b
    bash: eval "$(frontdesk completion bash)"       in ~/.bashrc
    zsh:  eval "$(frontdesk completion zsh)"        in ~/.zshrc, below compinit
    fish: frontdesk completion fish | source        in ~/.config/fish/config.fish
    """
    script = get_completion_class(shell)
    assert script is not None
    root = context.find_root().command
    click.echo(script(root, {}, PROGRAM, COMPLETION_VARIABLE).source())
