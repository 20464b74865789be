"""Masks the bodies of `/v1` for keys with the scope `contacts:masked`, see `text.masking`."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from frontdesk.service import serializers
from frontdesk.service.endpoint import EndpointRequest, JsonBody
from frontdesk.service.params import row_id
from frontdesk.store import contacts, conversations
from frontdesk.store.accounts import cursor_secret
from frontdesk.text.masking import CustomerIdentity, Mask, Members, Pseudonyms

_CONVERSATIONS = ("conversations", "changes")
_OF_THREADS = ("messages", "notes")


def mask_of(request: EndpointRequest) -> Mask:
    """Return the mask of the account, of a secret that the database has."""
    connection, account_id = request.account
    whose = f"customers of {account_id}".encode()
    secret = hmac.digest(cursor_secret(connection), whose, "sha256")
    return Mask(Pseudonyms(secret), partial(contacts.ids_by_name, connection, account_id))


def people(request: EndpointRequest, contact_ids: Iterable[int]) -> Mapping[str, CustomerIdentity]:
    """Return what contacts are known by, by their ids on the wire."""
    rows = contacts.contacts_by_id(*request.account, sorted(set(contact_ids)))
    fields = {row["id"]: serializers.custom_fields(row["custom_json"]) for row in rows}
    return {
        str(row["id"]): CustomerIdentity.of({**row, "custom_fields": fields[row["id"]]})
        for row in rows
    }


def masked_body(body: JsonBody[Any], request: EndpointRequest) -> JsonBody[Any]:
    """Mask an answer. The excerpts of a search are masked already: words are looked for in them."""
    mask, name = mask_of(request), request.endpoint.name
    tree: dict[str, Any] = orjson.loads(body.json)
    if name in _CONVERSATIONS:
        tree["data"] = _conversations(request, mask, tree["data"])
    elif name == "conversation":
        (tree,) = _conversations(request, mask, [tree])
    elif name in _OF_THREADS:
        person = _customer(request)
        tree["data"] = [mask.message(row, person) for row in tree["data"]]
    elif name == "contacts":
        tree["data"] = [mask.contact(row) for row in tree["data"]]
    elif name == "conversation_reports":
        tree["data"] = list(map(mask.conversation_report, tree["data"]))
    else:
        return body
    return replace(body, json=orjson.dumps(tree))


def _conversations(
    request: EndpointRequest, mask: Mask, rows: Sequence[Members]
) -> list[dict[str, Any]]:
    known = people(request, (int(row["contact"]["id"]) for row in rows))
    return [mask.conversation(row, known[row["contact"]["id"]]) for row in rows]


def _customer(request: EndpointRequest) -> CustomerIdentity:
    """Return the customer of the conversation in the path, which exists."""
    thread = conversations.conversation(*request.account, row_id(request.path_value) or 0)
    if thread is None:
        raise LookupError("the conversation of a thread is gone")
    (person,) = people(request, [thread["contact_id"]]).values()
    return person
