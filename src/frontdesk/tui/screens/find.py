"""Asks what to find in the pane that has the focus."""

from frontdesk.tui.screens.prompt import Prompt


class FindPrompt(Prompt):
    """Answers with what is sought, first what was sought before."""

    def __init__(self, sought: str) -> None:
        super().__init__("/ ", value=sought, placeholder="find in what is loaded here")
