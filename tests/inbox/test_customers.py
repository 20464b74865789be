"""Customers that queries name, as far as they are known on this computer."""

import pytest

from frontdesk.cache import CONTACT, CONVERSATION, Cache
from frontdesk.client import InboxClient
from frontdesk.errors import NotFound
from frontdesk.inbox.chips import chip
from frontdesk.inbox.customers import QueryCustomers
from frontdesk.mailbox import Mailbox
from frontdesk.query import QueryNames, parse
from frontdesk.query.names import contact_id
from frontdesk.wire import Contact, Page, PhoneRef, body_of
from tests.cache.pages import conversation
from tests.conftest import NOW
from tests.inbox.asked import FindContact, FindContacts, described


async def test_a_customer_that_a_query_names_by_id_is_known_again_after_a_start(
    client: InboxClient, cache: Cache
) -> None:
    ada = Contact(id="7", name="Ada Norbridge", email="ada@example.com")
    row = conversation(1, second=1).model_copy(
        update={"contact": PhoneRef(id="8", name="Ada Norbridge", phone="+447700900001")}
    )
    await cache.save_all(CONTACT, {"7": body_of(ada)})
    await cache.save_all(CONVERSATION, {"1": body_of(row)})
    customers = QueryCustomers(Mailbox(lambda: client, cache, clock=lambda: NOW))
    query = parse("is:open from:id:7")

    def chips(text: str) -> list[str]:
        names = QueryNames(contacts=[*customers.contacts])
        return [chip(term, names, NOW) for term in parse(text).terms]

    assert customers.recognise(query)
    assert not customers.recognise(query)
    assert chips(str(query)) == ["is:open", 'from:"Ada Norbridge" id:7']
    assert customers.recognise(parse("-from:id:8"))
    assert chips("-from:id:8") == ['-from:"Ada Norbridge" +44 7700 900001']
    assert not customers.recognise(parse("from:id:9"))


async def test_a_customer_is_found_whose_number_the_server_keeps_in_another_form(
    client: InboxClient, cache: Cache
) -> None:
    customers = QueryCustomers(Mailbox(lambda: client, cache, clock=lambda: NOW))
    number = "+61016932829"
    steps = customers.find(number, QueryNames())
    assert described(steps.send(None)) == FindContact("+6116932829")
    refused = steps.throw(NotFound("No contact has this number"))
    assert described(refused) == FindContacts(number)
    other = Contact(id="8", name="Kwame Langton", phone="+610169328291")
    with pytest.raises(StopIteration):
        steps.send(Page(data=(other, Contact(id="7", name="Ada Norbridge", phone=number))))
    assert contact_id(number, customers.with_results(QueryNames())) == "7"
