"""Source of classes and functions, also of those in a notebook's cells, and the names it uses."""

from __future__ import annotations

import __future__ as future
import ast
import dis
import inspect
import linecache
import sys
import symtable
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Union

Definition = Union[ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef]
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


# CPython 3.11 counts the depth of trees of all threads together: one that parses beside another may
# end with a SystemError.
PARSER = threading.Lock()


def parse(text: str) -> ast.Module:
    """Returns the tree of a text, from any thread."""
    with PARSER:
        return ast.parse(text)


class NoSource(Exception):
    """Reason why a class or a function cannot be written down as source."""


@dataclass(frozen=True)
class Source:
    """Definition of a class or a function."""

    text: str
    early: tuple[str, ...]
    """Global names that it uses when it is defined: bases, decorators, defaults."""
    late: tuple[str, ...]
    """Global names that it uses when it is called."""
    deferred: bool
    """Whether its annotations are not evaluated: `from __future__ import annotations`."""


def of(thing: Any, name: str) -> Source:
    """Returns the source of a class or a function that is bound to a name."""
    if isinstance(thing, type):
        return _named(_of_class(thing), list(_codes(thing)))
    function = inspect.unwrap(thing)
    if not isinstance(function, FunctionType):
        raise NoSource("it is made by a library, and has no source")
    _refuse_closure(function)
    if function.__name__ == "<lambda>":
        return _named(f"{name} = {_of_lambda(function.__code__)}", [function.__code__])
    lines, tree = _parsed(function.__code__.co_filename)
    wanted = function.__code__.co_firstlineno
    for node in _definitions(tree):
        called = node.name == function.__name__ and not isinstance(node, ast.ClassDef)
        if called and _first(node) == wanted:
            return _named(_cut(lines, node), [function.__code__])
    raise NoSource("its source is not known")


def _of_class(cls: type) -> str:
    lines, node = _find(cls)
    bound = {one.get_name() for one in _scope(_cut(lines, node)).get_symbols()}
    functions = (one for one in node.body if isinstance(one, DEFINITIONS))
    plain = {one.name for one in functions if not one.decorator_list}
    for name, member in vars(cls).items():
        dunder = name.startswith("__") and name.endswith("__")
        # Enumerations and others give themselves private members.
        if not name.startswith("_") and name not in bound:
            raise NoSource(f"its member {name} was set after the class was defined")
        if isinstance(member, FunctionType) and (not dunder or name in plain):
            _refuse_closure(member)
            if name in plain and not _holds(node, member.__code__):
                raise NoSource(f"its member {name} was set after the class was defined")
    return _cut(lines, node)


def _find(cls: type) -> tuple[list[str], ast.ClassDef]:
    """Finds a class by the code of its functions, or without any by its name in what was run."""
    codes = list(_codes(cls))
    for code in codes:
        try:
            lines, tree = _parsed(code.co_filename)
        except NoSource:
            continue
        for node in _definitions(tree):
            if isinstance(node, ast.ClassDef) and node.name == cls.__name__ and _holds(node, code):
                return lines, node
    if codes:
        # A class of its name elsewhere may be an older one.
        raise NoSource("its source is not known")
    found = {}
    for file in _files(cls):
        lines, tree = _parsed(file)
        for node in _definitions(tree):
            if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
                found[_cut(lines, node)] = (lines, node)
    if len(found) == 1:
        return next(iter(found.values()))
    many = "several classes of this name were defined"
    raise NoSource(many if found else "its source is not known")


def _codes(cls: type) -> Iterator[CodeType]:
    for member in vars(cls).values():
        member = getattr(member, "__func__", getattr(member, "fget", member))
        member = inspect.unwrap(member) if callable(member) else member
        own = isinstance(member, FunctionType)
        if own and member.__qualname__.startswith(f"{cls.__qualname__}."):
            yield member.__code__


def _files(cls: type) -> Iterator[str]:
    """Lists the files that may define a class without functions."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file:
        yield file
        return
    for name, entry in list(linecache.cache.items()):
        # Cells have lines without a file whose time could be asked for.
        if len(entry) > 2 and entry[1] is None and f"class {cls.__name__}" in "".join(entry[2]):
            try:
                _parsed(name)
            except NoSource:
                continue
            yield name


def _of_lambda(code: CodeType) -> str:
    lines, tree = _parsed(code.co_filename)
    on_line = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    if len(on_line) != 1:
        raise NoSource("its source is not known")
    return f"({ast.get_source_segment(''.join(lines), on_line[0])})"


def _parsed(file: str) -> tuple[list[str], ast.Module]:
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    if not lines:
        raise NoSource("its source is not known")
    try:
        return lines, parse("".join(lines))
    except SyntaxError:
        # A cell with magic words; IPython has it without them in its cache, others do not.
        raise NoSource("its source has words that are not Python") from None


def _definitions(tree: ast.Module) -> Iterator[Definition]:
    return (node for node in ast.walk(tree) if isinstance(node, DEFINITIONS))


def _first(node: Definition) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _holds(node: Definition, code: CodeType) -> bool:
    return _first(node) <= code.co_firstlineno <= (node.end_lineno or 0)


def _cut(lines: list[str], node: Definition) -> str:
    text = "".join(lines[_first(node) - 1 : node.end_lineno]).rstrip() + "\n"
    if node.col_offset == 0:
        return text
    text = textwrap.dedent(text)
    # Texts of several lines may have lost their indentation with it.
    if ast.dump(parse(text).body[0]) != ast.dump(node):
        raise NoSource("it has a text of several lines, and is defined in a function")
    return text


def _refuse_closure(function: FunctionType) -> None:
    names = [name for name in function.__code__.co_freevars if name != "__class__"]
    if names:
        raise NoSource(f"it uses {names[0]} of the function around it")


def _scope(text: str) -> symtable.SymbolTable:
    return symtable.symtable(text, "<problem>", "exec").get_children()[-1]


def _named(text: str, codes: list[CodeType]) -> Source:
    deferred = any(code.co_flags & future.annotations.compiler_flag for code in codes)
    early: dict[str, None] = {}
    late: dict[str, None] = {}
    head = "from __future__ import annotations\n" if deferred else ""
    _collect(symtable.symtable(head + text, "<problem>", "exec"), early, late, inside=False)
    early.pop("annotations", None)
    return Source(text, tuple(sorted(early)), tuple(sorted(set(late) - set(early))), deferred)


def _collect(
    table: symtable.SymbolTable, early: dict[str, None], late: dict[str, None], *, inside: bool
) -> None:
    inside = inside or table.get_type() == "function"
    for symbol in table.get_symbols():
        module_level = table.get_type() == "module"
        if (symbol.is_global() or module_level) and (symbol.is_referenced() or symbol.is_global()):
            (late if inside else early)[symbol.get_name()] = None
    for child in table.get_children():
        _collect(child, early, late, inside=inside)


def imports(code: CodeType) -> Iterator[str]:
    """Lists the modules that a code and the code in it import; relative ones begin with a dot."""
    instructions = [one for one in dis.get_instructions(code) if one.opname != "EXTENDED_ARG"]
    for place, one in enumerate(instructions):
        if one.opname == "IMPORT_NAME":
            # Python first loads the number of dots, and then the names.
            yield "." * instructions[place - 2].argval + one.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from imports(constant)


def submodules(text: str, name: str, module: str) -> list[str]:
    """Lists the imported modules below `module` that the source reaches as `name.a.b`."""
    found = set()
    for node in ast.walk(parse(text)):
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id == name:
            for length in range(1, len(path) + 1):
                dotted = ".".join([module, *path[:length]])
                if dotted in sys.modules:
                    found.add(dotted)
    return sorted(found)
