"""`frontdesk completion`: prints shell completion scripts."""

import click

from frontdesk.cli.base import Command

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "frontdesk"


@click.command(
    "completion",
    cls=Command,
    examples=(
        'eval "$(frontdesk completion bash)"',
        "frontdesk completion fish | source",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that completes `frontdesk` in a shell.

    \b
    bash: eval "$(frontdesk completion bash)"       in ~/.bashrc
    zsh:  eval "$(frontdesk completion zsh)"        in ~/.zshrc, below compinit
    fish: frontdesk completion fish | source        in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None
    variable = f"_{PROGRAM.upper()}_COMPLETE"
    click.echo(script(context.find_root().command, {}, PROGRAM, variable).source())
