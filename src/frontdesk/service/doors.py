"""Dispatches requests to the `/v1` application or the webhook receiver, by path or port."""

from starlette.types import ASGIApp, Receive, Scope, Send

from frontdesk.service.webhooks.receiver import PATH

_PREFIX = f"/{PATH[0]}"


class Doors:
    """ASGI application that dispatches to two others.

    own_port: port reserved for webhooks; None if they share the port of `/v1`.
    """

    def __init__(self, interface: ASGIApp, receiver: ASGIApp, own_port: int | None) -> None:
        self._interface = interface
        self._receiver = receiver
        self._own_port = own_port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = scope["type"] == "http" and self._is_for_the_receiver(scope)
        await (self._receiver if received else self._interface)(scope, receive, send)

    def _is_for_the_receiver(self, scope: Scope) -> bool:
        if self._own_port is not None:
            return bool(scope["server"][1] == self._own_port)
        path: str = scope["path"]
        return path == _PREFIX or path.startswith(f"{_PREFIX}/")
