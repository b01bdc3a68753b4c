"""Writes src/runner_lab/config.py from configs/runner.schema.json; `--check` says whether it is as
it would be written."""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
SCHEMA = FOLDER.parent / "configs" / "runner.schema.json"
WRITTEN = FOLDER / "src" / "runner_lab" / "config.py"
WIDTH = 100

HEAD = '''"""Configs as objects, with completion in an editor; `to_dict` of each returns what a file would
hold. Written by generate_config.py from the schema of the experiment file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from .settings import AnyOperator, Problem, Table
'''
# Tables with their names here; those in them come first.
TABLES = {
    "mix": "Mix",
    "noise": "Noise",
    "restarts": "Restarts",
    "sharing": "Sharing",
    "repeats": "Repeats",
    "output": "Output",
    "start": "Start",
    "stop": "Stop",
    "budget": "Budget",
    "tune": "Tune",
}
ANY = "Mapping[str, Any]"
SIMPLE = {"boolean": "bool", "integer": "int", "number": "float", "string": "str", "object": ANY}
# Keys whose types the schema cannot say in a line.
TYPES = {
    "problem": f"Union[Problem, str, {ANY}, Any]",
    "operators": f"Sequence[Union[OperatorSet, {ANY}]]",
    "presets": f"Union[str, Sequence[Union[str, OperatorSet, {ANY}]]]",
    "extends": "Union[str, Sequence[str]]",
    "sweep": f"Union[{ANY}, Sequence[{ANY}]]",
}


def main() -> int:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    require(schema, alone(schema))
    text = written(schema)
    if sys.argv[1:] == ["--check"]:
        if WRITTEN.read_text(encoding="utf-8") != text:
            print(f"{WRITTEN} is not of this schema: run python3 python/generate_config.py")
            return 1
        return 0
    WRITTEN.write_text(text, encoding="utf-8")
    return 0


def written(schema: dict[str, Any]) -> str:
    """The module's text."""
    top = schema["properties"]
    operators = top["operators"]["items"]
    places = {**top, **operators["properties"], **top["tune"]["properties"]}
    parts = [HEAD]
    for slot in slots(operators):
        parts.append(f"{title(slot)}Name = {literal(kinds(schema, slot))}\n")
    parts.append(table("Range", {**schema["$defs"]["range"], "required": ["from", "to"]}))
    parts.append(table("Schedule", schema["$defs"]["schedule"]))
    for name, title_ in TABLES.items():
        parts.append(table(title_, of_object(places[name]), places[name]["description"]))
    parts.append(table("OperatorSet", operators))
    parts.append(table("Experiment", schema))
    spaced = [parts[0], *("\n" + part if part.startswith("@") else part for part in parts[1:])]
    return "\n".join(spaced)


def of_object(place: dict[str, Any]) -> dict[str, Any]:
    """The schema of a key that is a table, or may be one."""
    if "properties" in place:
        return place
    return next(one for one in place["anyOf"] if one is not True and "properties" in one)


def alone(schema: dict[str, Any]) -> dict[str, Any]:
    """The rules of a file that extends no other."""
    extends = {"not": {"required": ["extends"]}}
    rule = next(one["then"] for one in schema["allOf"] if one["if"] == extends)
    assert isinstance(rule, dict)
    return rule


def require(place: dict[str, Any], rule: dict[str, Any]) -> None:
    """Puts the required keys of a rule into the tables that it is about."""
    if "required" in rule:
        place["required"] = rule["required"]
    for key, below in rule.get("properties", {}).items():
        if key != "sweep":
            require(of_object(place["properties"][key]), below["then"])


def slots(operators: dict[str, Any]) -> list[str]:
    return sorted(name for name, one in operators["properties"].items() if is_slot(one))


def is_slot(place: dict[str, Any]) -> bool:
    return "$ref" in next(iter(place.get("allOf", [])), {})


def kinds(schema: dict[str, Any], slot: str) -> list[str]:
    names = schema["$defs"][slot]["allOf"][0]["then"]["enum"]
    assert isinstance(names, list)
    return names


def title(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def literal(values: list[str]) -> str:
    whole = ", ".join(json.dumps(value) for value in values)
    if len(whole) < 70:
        return f"Literal[{whole}]"
    return "Literal[\n" + "".join(f"    {json.dumps(value)},\n" for value in values) + "]"


def table(name: str, place: dict[str, Any], words: str = "") -> str:
    """A class for a table."""
    required = place.get("required", [])
    keys = sorted(place["properties"], key=lambda one: (one not in required, one != "name", one))
    lines = ["@dataclass", f"class {name}(Table):"]
    lines += quoted(place.get("description", words))
    for key in keys:
        one = place["properties"][key]
        kind = type_of(key, one)
        given = f": {kind}" if key in required else f": Optional[{kind}] = None"
        lines += ["", f"    {identifier(key)}{given}"]
        if "description" in one:
            lines += quoted(one["description"])
    return "\n".join(lines) + "\n"


def identifier(key: str) -> str:
    name = key.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def type_of(key: str, place: dict[str, Any]) -> str:
    # `operators` is also a switch in [output].
    if key in TYPES and place.get("type") != "boolean":
        return TYPES[key]
    if is_slot(place):
        return f"Union[{title(key)}Name, AnyOperator]"
    if key in TABLES:
        simple = "int, " if isinstance(place["type"], list) else ""
        return f"Union[{simple}{TABLES[key]}, {ANY}]"
    if "enum" in place:
        return literal(place["enum"])
    if place["type"] == "array":
        return f"Sequence[{type_of('', place['items'])}]"
    return SIMPLE[place["type"]]


def quoted(words: str) -> list[str]:
    """A docstring."""
    # A backslash would begin an escape.
    words = words.replace("\\", "\\\\")
    words = words + " " if words.endswith('"') else words
    return textwrap.wrap(
        f'"""{words}"""',
        WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    sys.exit(main())
