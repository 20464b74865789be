"""Library view: message templates as WhatsApp renders them, and quick replies."""

from collections.abc import Sequence
from typing import ClassVar

from frontdesk.text import one_line, short_date, words
from frontdesk.tui.screens.shelf_screen import Section, ShelfScreen
from frontdesk.tui.screens.view_table import Opening
from frontdesk.tui.widgets.cells import fit, spread, wrap_pieces
from frontdesk.tui.widgets.markup import marked_pieces
from frontdesk.tui.widgets.shelf import Block, Entry, fact, heading, paragraph, title
from frontdesk.tui.widgets.template_preview import bubble, parameters, plain_text
from frontdesk.wire import CannedResponse, Template

_STATUS_PARTS = {"APPROVED": "dim", "PENDING": "note", "IN_APPEAL": "note"}
_QUALITY_PARTS = {"GREEN": "text", "YELLOW": "warning", "RED": "error"}


class LibraryScreen(ShelfScreen):
    """Read-only catalogues of replies; they do not filter conversations."""

    SHOWN = "LIBRARY"
    SECTIONS: ClassVar[Sequence[Section]] = (
        Section("templates", "Templates", "templates"),
        Section("canned_responses", "Quick replies", "quick replies"),
    )

    def __init__(self, opening: Opening, section: str) -> None:
        super().__init__(opening, section)
        self._templates: dict[str, Template] = {}
        self._replies: dict[str, CannedResponse] = {}

    @property
    def view_name(self) -> str:
        return "templates" if self.section.name == "templates" else "replies"

    @property
    def keys(self) -> Sequence[str]:
        return (
            "{list.next}/{list.previous} move",
            "{shelf.search} search",
            "{view.copy} copy text",
            "{shelf.before} {shelf.after} section",
            "{shelf.details} preview",
            "{view.menu} views",
        )

    def catalogues_to_read(self) -> tuple[str, ...]:
        return (*super().catalogues_to_read(), "channels")

    def entries(self, section: str) -> list[Entry]:
        catalogues = self.mailbox.catalogues
        if section == "templates":
            self._templates = {one.id: one for one in catalogues.templates()}
            return [_template_entry(one) for one in self._templates.values()]
        self._replies = {one.id: one for one in catalogues.canned_responses()}
        return [_reply_entry(one) for one in self._replies.values()]

    def blocks(self, section: str, entry: Entry) -> list[Block]:
        if section == "templates":
            template = self._templates[entry.id]
            return [*self._facts(template), *_layout(template)]
        reply = self._replies[entry.id]
        return [
            title(f"/{one_line(reply.short_code)}"),
            paragraph(""),
            lambda width: [
                spread(line, (), width)
                for line in wrap_pieces(marked_pieces(reply.text), min(width, 72))
            ],
            paragraph(""),
            paragraph(
                f"{len(reply.text)} characters · {self.key_names['view.copy']} copies the text",
                "dim",
            ),
        ]

    def _facts(self, template: Template) -> list[Block]:
        channels = {one.id: one_line(one.name) for one in self.mailbox.catalogues.channels()}
        names = [channels.get(id, id) for id in template.channels]
        status = one_line(template.status or "")
        quality = one_line(template.quality_score or "")
        category = one_line(template.category or "")
        if template.previous_category:
            category += f" (was {one_line(template.previous_category)})"
        blocks = [
            title(one_line(template.name)),
            fact("language", one_line(template.language)),
            fact("category", category),
            fact("status", status, _STATUS_PARTS.get(status, "error") if status else "dim"),
            fact("quality", quality, _QUALITY_PARTS.get(quality, "dim")),
        ]
        if template.rejected_reason and template.rejected_reason != "NONE":
            blocks.append(
                fact("refused because", words(one_line(template.rejected_reason)), "error")
            )
        if names:
            blocks.append(fact("numbers", ", ".join(names)))
        changed = self.clock.local(template.updated_at)
        if changed:
            blocks.append(fact("changed", f"{short_date(changed)} {changed.year}"))
        return blocks


def _template_entry(template: Template) -> Entry:
    status = one_line(template.status or "?")
    shown = "" if status == "APPROVED" else status
    text = plain_text(template)
    return Entry(
        template.id,
        one_line(template.name),
        one_line(template.language),
        hint=shown.lower() or one_line(template.category or "").lower(),
        hint_part=_STATUS_PARTS.get(status, "error"),
        words=f"{status} {template.category or ''} {template.quality_score or ''} {text}",
        copied=text,
    )


def _reply_entry(reply: CannedResponse) -> Entry:
    return Entry(
        reply.id, f"/{one_line(reply.short_code)}", one_line(reply.text), copied=reply.text
    )


def _layout(template: Template) -> list[Block]:
    """Preview of a template, one block per line so that it scrolls by line; then parameters."""
    blocks: list[Block] = [heading("AS WHATSAPP SHOWS IT"), lambda width: bubble(template, width)]
    places = parameters(template)
    if places:
        blocks.append(heading("FILLED IN BY THE SENDER"))
        blocks += [fact(place, example or "no example", "note") for place, example in places]
    blocks.append(lambda width: [[("text", fit("", width))]])
    return blocks
