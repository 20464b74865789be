"""Text of message templates with the values of a message in place of their placeholders (pure).

Placeholders are `{{1}}`, by position, or `{{name}}`. Components and parameters are Meta's objects.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_PLACEHOLDER = re.compile(r"\{\{\s*(\w{1,64})\s*\}\}")
# Parameters whose value is inside of an object, as the sender would write it.
_WORDED = ("currency", "date_time")


def filled_components(
    stored: Iterable[Mapping[str, Any]], sent: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Components of a stored template, with the values of those that were sent.

    Each keeps its parameters, for files in headers. Values that are missing stay placeholders.
    """
    components = []
    for component in stored:
        kind = _kind(component)
        if kind == "buttons":
            components.append(_filled_buttons(component, sent))
            continue
        parameters = [each for part in sent if _kind(part) == kind for each in _parameters(part)]
        filled = {name: value for name, value in component.items() if name != "example"}
        if isinstance(component.get("text"), str):
            filled["text"] = _filled(component["text"], parameters)
        components.append({**filled, **({"parameters": parameters} if parameters else {})})
    return components


def body_text(components: Iterable[Mapping[str, Any]]) -> str | None:
    """Text of the body, None if it has none."""
    texts = (part.get("text") for part in components if _kind(part) == "body")
    return next((text for text in texts if isinstance(text, str) and text), None)


def parameter_text(parameter: Mapping[str, Any]) -> str:
    """Value of a parameter as the customer reads it; "" for a file."""
    text = parameter.get("text")
    for name in _WORDED:
        member = parameter.get(name)
        if isinstance(member, Mapping):
            text = member.get("fallback_value")
    return str(text) if isinstance(text, str | int | float) else ""


def _filled(text: str, parameters: Sequence[Mapping[str, Any]]) -> str:
    values = {str(place): parameter_text(each) for place, each in enumerate(parameters, start=1)}
    values |= {
        each["parameter_name"]: parameter_text(each)
        for each in parameters
        if isinstance(each.get("parameter_name"), str)
    }
    return _PLACEHOLDER.sub(lambda match: values.get(match[1]) or match[0], text)


def _filled_buttons(
    component: Mapping[str, Any], sent: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Buttons with the values in their addresses."""
    by_place = {str(part.get("index")): _parameters(part) for part in sent if _is_button(part)}
    buttons = component.get("buttons")
    filled = []
    for place, button in enumerate(buttons if isinstance(buttons, list) else ()):
        if isinstance(button, Mapping):
            url, parameters = button.get("url"), by_place.get(str(place), [])
            whole = {"url": _filled(url, parameters)} if isinstance(url, str) else {}
            filled.append({**button, **whole})
    return {**component, "buttons": filled}


def _is_button(component: Mapping[str, Any]) -> bool:
    return _kind(component) == "button"


def _kind(component: Mapping[str, Any]) -> str:
    return str(component.get("type") or "").casefold()


def _parameters(component: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parameters = component.get("parameters")
    if not isinstance(parameters, list):
        return []
    return [each for each in parameters if isinstance(each, Mapping)]
