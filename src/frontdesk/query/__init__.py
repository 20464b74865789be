"""Query language of conversation lists: text, parsed queries, names, and how they are answered."""

from frontdesk.query.language import (
    NEWEST,
    ORDERS,
    VIEW_KEYS,
    Query,
    QueryError,
    QueryProblem,
    SavedView,
    Term,
    analyse,
    parse,
)
from frontdesk.query.names import Completion, QueryNames, check, complete, customer, reference
from frontdesk.query.plan import (
    Matcher,
    QueryPlan,
    closed_windows,
    plan,
    query_of,
    searchable,
    sort_key,
)

__all__ = [
    "NEWEST",
    "ORDERS",
    "VIEW_KEYS",
    "Completion",
    "Matcher",
    "Query",
    "QueryError",
    "QueryNames",
    "QueryPlan",
    "QueryProblem",
    "SavedView",
    "Term",
    "analyse",
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
