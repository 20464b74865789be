"""Query language of conversation lists: text, parsed queries, names, and how they are answered."""

from frontdesk.query.language import VIEW_KEYS, Query, QueryError, SavedView, Term, analyse, parse
from frontdesk.query.names import Completion, QueryNames, check, complete, customer, reference
from frontdesk.query.plan import (
    Matcher,
    QueryPlan,
    cannot,
    closed_windows,
    plan,
    query_of,
    searchable,
    sort_key,
)
from frontdesk.query.search import MessageSearch
from frontdesk.query.terms import NEWEST, ORDERS

__all__ = [
    "NEWEST",
    "ORDERS",
    "VIEW_KEYS",
    "Completion",
    "Matcher",
    "MessageSearch",
    "Query",
    "QueryError",
    "QueryNames",
    "QueryPlan",
    "SavedView",
    "Term",
    "analyse",
    "cannot",
    "check",
    "closed_windows",
    "complete",
    "customer",
    "parse",
    "plan",
    "query_of",
    "reference",
    "searchable",
    "sort_key",
]
