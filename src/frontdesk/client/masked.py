"""Client that masks customers in all that a server answers, see `text.masking`.

For servers whose keys cannot have the scope `contacts:masked`. The secret of the stand-ins is made
of the key, so that they are the same as long as that is. In messages, names of others are found as
far as this client has read them.
"""

from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import unquote

from frontdesk.client.client import InboxClient, ReceivedChanges
from frontdesk.client.media import ReceivedFile
from frontdesk.client.paging import PAGE_SIZE
from frontdesk.errors import BadSettings, Forbidden, NotFound, NotOffered
from frontdesk.query.language import ID, Query, analyse
from frontdesk.query.masked import BY_STAND_IN, refusal
from frontdesk.query.terms import CONTACT
from frontdesk.text.clean import folded
from frontdesk.text.masking import CustomerIdentity, Mask, Pseudonyms, is_stand_in
from frontdesk.text.search import Terms, searched_text
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    ConversationPage,
    Message,
    Note,
    Page,
    Wire,
)

W = TypeVar("W", bound=Wire)

_NOBODY = CustomerIdentity("")
# Pages of a list in which a customer is looked for.
_MOST_PAGES = 20
# Customers whose names are kept.
_MOST_KNOWN = 100_000


class MaskedInboxClient(InboxClient):
    """Refuses what would tell a name or number by being found, and files."""

    def __init__(self, base_url: str, key: str, **options: Any) -> None:
        super().__init__(base_url, key, **options)
        secret = sha256(f"customers {key}".encode()).digest()
        self._mask = Mask(Pseudonyms(secret), self._named)
        # Ids by names, and customers by the ids of conversations.
        self._ids: dict[str, str] = {}
        self._customers: dict[str, CustomerIdentity] = {}
        self._looked_for: set[str] = set()

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Conversation]:
        """Raises: BadSettings: the query asks for names or custom fields."""
        return await super().conversation_page(self._asked(filter), limit=limit, cursor=cursor)

    async def search_page(
        self,
        q: str,
        filter: ConversationFilter,
        *,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
    ) -> ConversationPage:
        """Matches whose words are in what is shown of them. Raises: as `conversation_page`."""
        page = await super().search_page(q, self._asked(filter), limit=limit, cursor=cursor)
        terms = Terms.of(q)
        rows, matches = [], []
        for row, match in zip(page.data, page.matches or (), strict=False):
            shown = _changed(match, self._mask.match, self._learned(row))
            if terms.match_text(searched_text((shown.excerpt,))):
                rows.append(self._masked(row))
                matches.append(shown)
        members = {"data": tuple(rows), "matches": tuple(matches), "total": None}
        return page.model_copy(update=members)

    async def changes(self, *arguments: Any, **options: Any) -> ReceivedChanges:
        received = await super().changes(*arguments, **options)
        rows = tuple(map(self._masked, received.changes.data))
        changes = received.changes.model_copy(update={"data": rows})
        return received._replace(changes=changes)

    async def contact_page(
        self, q: str | None = None, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Contact]:
        """The contact of a stand-in who has a conversation. Raises: BadSettings: it is none."""
        if q is None or not is_stand_in(q):
            raise BadSettings(BY_STAND_IN)
        id = self._mask.pseudonyms.contact_id(q)
        # A server that lacks the filter is asked for its list.
        async for page in self.conversations(contact=id).pages(_MOST_PAGES if id else 0):
            for row in page.data:
                contact = Contact(**row.contact.model_dump(exclude_unset=True))
                return Page[Contact].of([contact], None)
        return Page[Contact].of([], None)

    async def contact_by_phone(self, phone: str) -> Contact:
        """Raises: BadSettings."""
        raise BadSettings(BY_STAND_IN)

    async def save_media(self, *arguments: Any, **options: Any) -> ReceivedFile:
        """Raises: NotOffered."""
        raise NotOffered("Customers are masked, which files cannot be: they are left out")

    async def _page(
        self,
        feature: str,
        path: str,
        row: type[W],
        limit: int,
        cursor: str | None,
        parameters: Mapping[str, str] | None = None,
    ) -> Page[W]:
        thread = row in (Message, Note)
        customer = await self._customer(unquote(path.split("/")[1])) if thread else _NOBODY
        page = await super()._page(feature, path, row, limit, cursor, parameters)
        rows = tuple(self._masked(each, customer) for each in page.data)
        return page.model_copy(update={"data": rows})

    async def _value(
        self, feature: str, path: str, model: type[W], parameters: Mapping[str, str]
    ) -> W:
        return self._masked(await super()._value(feature, path, model, parameters))

    def _asked(self, filter: ConversationFilter) -> ConversationFilter:
        """A filter with ids for stand-ins. Raises: BadSettings."""
        if filter.query is None:
            return filter
        query, _ = analyse(filter.query)
        if words := refusal(query):
            raise BadSettings(words)
        terms = (
            term._replace(value=self._id(term.value), others=tuple(map(self._id, term.others)))
            if term.kind == CONTACT
            else term
            for term in query.terms
        )
        return filter.model_copy(update={"query": str(Query.of(*terms))})

    def _id(self, name: str) -> str:
        id = self._mask.pseudonyms.contact_id(name)
        return name if id is None else f"{ID}{id}"

    async def _customer(self, conversation_id: str) -> CustomerIdentity:
        """The customer of a conversation, who is asked for if not known yet."""
        known = self._customers.get(conversation_id)
        # A server that has no conversation by its id is asked for its messages, to find it.
        if known is not None or conversation_id in self._looked_for:
            return known or _NOBODY
        self._looked_for.add(conversation_id)
        try:
            # Learned as it is masked.
            await self.conversation(conversation_id)
        except (Forbidden, NotFound):
            return _NOBODY
        finally:
            self._looked_for.discard(conversation_id)
        return self._customers[conversation_id]

    def _masked(self, row: W, customer: CustomerIdentity = _NOBODY) -> W:
        """A row without what tells who a customer is."""
        if isinstance(row, Conversation):
            return _changed(row, self._mask.conversation, self._learned(row))
        if isinstance(row, Message | Note):
            return _changed(row, self._mask.message, customer)
        if isinstance(row, Contact):
            return _changed(row, self._mask.contact)
        if hasattr(row, "contact"):
            return _changed(row, self._mask.conversation_report)
        return row

    def _learned(self, row: Conversation) -> CustomerIdentity:
        """Remember a customer, and return what is known."""
        if is_stand_in(row.contact.name or ""):
            return self._customers.get(row.id, CustomerIdentity(row.contact.id))
        for kept in (self._ids, self._customers):
            if len(kept) >= _MOST_KNOWN:
                kept.pop(next(iter(kept)))
        self._ids[" ".join(folded(row.contact.name or "").split())] = row.contact.id
        customer = self._customers[row.id] = CustomerIdentity.of(row.contact.model_dump())
        return customer

    def _named(self, names: Collection[str]) -> Mapping[str, str]:
        return {name: self._ids[name] for name in names if name in self._ids}


def _changed(row: W, change: Callable[..., Mapping[str, Any]], *arguments: Any) -> W:
    """A row whose members were changed as JSON."""
    return row.model_validate(change(row.model_dump(exclude_unset=True), *arguments))
