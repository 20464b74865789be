"""What is said of a connection that fails, and whether another try may succeed."""

import socket
import ssl

import httpx
import pytest

from frontdesk.client.network import Network
from frontdesk.client.transport import Connector, drop_invalid_location
from frontdesk.errors import NetworkMisconfigured, Unreachable

PROXY = "http://user:secret@proxy.example:3128"
REQUEST = httpx.Request("GET", "https://inbox.example/v1/labels")
_UNTRUSTED = "its certificate comes from an authority that this machine does not trust; an"


def said(error: httpx.TransportError, proxy: str = "") -> tuple[str, bool]:
    """What is said of an error, and True if a retry may succeed."""
    problem, again = Connector("https://inbox.example", Network(proxy=proxy)).failure(error)
    assert (type(problem) is Unreachable) is again
    assert isinstance(problem, NetworkMisconfigured) is not again
    return str(problem), again


def caused(
    error: httpx.TransportError, cause: BaseException, *, by: str = "cause"
) -> httpx.TransportError:
    """The error with a cause two steps away."""
    between = OSError("between")
    if by == "cause":
        error.__cause__, between.__cause__ = between, cause
    else:
        error.__context__, between.__context__ = between, cause
    return error


def untrusted(code: int, message: str = "") -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("certificate")
    error.verify_code, error.verify_message = code, message
    return error


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (9, "its certificate is not valid yet: is the clock"),
        (10, "its certificate has expired: is the clock"),
        (18, "its certificate is signed by itself alone; to trust"),
        (19, _UNTRUSTED),
        (20, _UNTRUSTED),
        (21, _UNTRUSTED),
        (62, "its certificate is for another name"),
        (64, "its certificate is for another address"),
        (7, "its certificate fails: bad\ufffd words"),
    ],
)
@pytest.mark.parametrize("by", ["cause", "context"])
def test_a_certificate_that_is_not_trusted_is_explained(code: int, words: str, by: str) -> None:
    error = caused(httpx.ConnectError("x"), untrusted(code, "bad\x07\nwords"), by=by)
    sentence, _ = said(error)
    assert sentence.startswith(f"The server cannot prove that it is who it says: {words}")
    sentence, _ = said(error, "https://proxy.example")
    assert sentence.startswith("The server, or the proxy in front of it, cannot prove")
    assert said(error, PROXY)[0].startswith("The server cannot prove")


def test_a_certificate_that_fails_without_a_word_is_said_to_fail() -> None:
    sentence, again = said(caused(httpx.ConnectError("x"), untrusted(7)))
    assert sentence.endswith(": its certificate fails")
    assert not again
    sentence, _ = said(caused(httpx.ConnectError("x"), untrusted(7, "w" * 300)))
    assert sentence.endswith(f"its certificate fails: {'w' * 200}")


def test_a_server_without_tls_is_told_from_a_lost_connection() -> None:
    spoken = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")
    spoken.reason = "WRONG_VERSION_NUMBER"
    assert said(caused(httpx.ConnectError("x"), spoken)) == (
        "The server does not speak TLS as https needs it (wrong version number): is it http?",
        False,
    )
    silent = ssl.SSLError(1, "TLS")
    silent.reason = ""
    for error in (silent, ssl.SSLError("raised by a library, without a reason")):
        assert said(caused(httpx.ConnectError("x"), error)) == (
            "The server does not speak TLS as https needs it: is it http?",
            False,
        )
    # Of a connection that was there, and of one that ended.
    assert said(caused(httpx.ReadError("x"), spoken)) == (
        "The connection to the server was lost",
        True,
    )
    assert said(caused(httpx.ConnectError("x"), ssl.SSLEOFError(8, "EOF"))) == (
        "The server cannot be reached",
        True,
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ConnectError("x"), "The server cannot be reached"),
        (httpx.ConnectTimeout("x"), "The server cannot be reached"),
        (httpx.ReadTimeout("x"), "The server did not answer in time"),
        (httpx.WriteTimeout("x"), "The server did not answer in time"),
        (httpx.PoolTimeout("x"), "The server did not answer in time"),
        (httpx.ReadError("x"), "The connection to the server was lost"),
        (httpx.RemoteProtocolError("x"), "The connection to the server was lost"),
        (
            caused(httpx.ConnectError("x"), socket.gaierror(socket.EAI_NONAME, "x")),
            "The server cannot be reached: no host of that name was found",
        ),
        (
            caused(httpx.ConnectError("x"), socket.gaierror(socket.EAI_AGAIN, "x")),
            "The server cannot be reached",
        ),
    ],
)
def test_a_server_that_does_not_answer_may_do_so_later(
    error: httpx.TransportError, words: str
) -> None:
    assert said(error) == (words, True)


def test_of_a_proxy_the_address_is_said_without_its_password() -> None:
    assert said(httpx.ConnectError("x"), PROXY) == (
        "The proxy http://proxy.example:3128 cannot be reached",
        True,
    )


@pytest.mark.parametrize(
    ("message", "words", "again"),
    [
        ("407 Proxy Authentication Required", "wants another user name or password: ", False),
        ("400 Bad Request", "refuses to connect to the server (400); NO_PROXY names", False),
        ("403 Forbidden", "refuses to connect to the server (403); NO_PROXY names", False),
        ("499 Odd", "refuses to connect to the server (499); NO_PROXY names", False),
        ("408 Request Timeout", "cannot connect to the server (408)", True),
        ("429 Too Many Requests", "cannot connect to the server (429)", True),
        ("399 Odd", "cannot connect to the server (399)", True),
        ("500 Internal", "cannot connect to the server (500)", True),
        ("5000 Odd", "cannot connect to the server", True),
        ("secret words", "cannot connect to the server", True),
    ],
)
def test_a_proxy_that_refuses_is_said_with_its_status(
    message: str, words: str, again: bool
) -> None:
    sentence, may_succeed = said(httpx.ProxyError(message), PROXY)
    assert sentence.startswith(f"The proxy http://proxy.example:3128 {words}")
    assert "secret" not in sentence
    assert sentence.endswith(words) or not again
    assert may_succeed is again


@pytest.mark.parametrize(
    ("location", "kept"),
    [
        ("https://elsewhere.example/", True),
        ("/v1/labels", True),
        ("https:", False),
        ("http://[::bad/", False),
    ],
)
async def test_a_location_that_is_no_address_is_dropped(location: str, kept: bool) -> None:
    response = httpx.Response(302, headers={"location": location}, request=REQUEST)
    await drop_invalid_location(response)
    assert ("location" in response.headers) is kept
