"""Completion in bash, which click does otherwise: imported while a shell asks for completions.

Names with blanks are quoted, and words with `:` or `=` are whole.
"""

import os
import re

from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    split_arg_string,
)

# Ends the word at the cursor, so that an empty one is a word too.
_CURSOR = "\ue000"
_SPECIAL = {"": r"([^\w@%+=:,./-])", '"': r"([\"$`\\])"}


@add_completion_class
class _Bash(ShellComplete):
    """Completion for bash 4.4 or newer.

    COMP_LINE: the line up to the cursor. COMP_WORD: what bash takes for the word there, which is
    the part of it that a completion replaces, with its opening quote.
    """

    name = "bash"
    source_template = """\
%(complete_func)s() {
    local kind value
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORD="${COMP_WORDS[COMP_CWORD]}" \
        %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        words = split_arg_string(os.environ.get("COMP_LINE", "") + _CURSOR)
        while len(words) > 1 and os.path.basename(words[0]) != self.prog_name:
            # Variables that are set for the command.
            del words[0]
        return words[1:-1], words[-1].removesuffix(_CURSOR)

    def format_completion(self, item: CompletionItem[str]) -> str:
        word = os.environ.get("COMP_WORD", "")
        quote = word[:1] if word[:1] in ("'", '"') else ""
        # A delimiter is a word of its own, which nothing replaces.
        word = "" if word in (":", "=") else word
        replaced = len(split_arg_string(word + _CURSOR)[-1]) - 1
        _, incomplete = self.get_completion_args()
        before = incomplete[: len(incomplete) - replaced]
        value = item.value
        if value.casefold().startswith(before.casefold()):
            value = value[len(before) :]
        if quote == "'":
            value = value.replace("'", r"'\''")
        else:
            value = re.sub(_SPECIAL[quote], r"\\\1", value)
        return f"{item.type},{value}"
