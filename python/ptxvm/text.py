"""`check`, `fmt`, `isa` and `explain`: what the commands of these names do, as functions that give objects."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import overload

from . import _ptxvm
from .device import read_source
from .findings import Diagnostic, raise_failed


@dataclass(frozen=True)
class Checked:
    """What the check has found in a text. It is true if the text may be used."""

    ok: bool
    diagnostics: list[Diagnostic]
    text: str
    """As the command shows it."""
    summary: str
    """What a right text holds, in a few words."""

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text or self.summary


@dataclass(frozen=True)
class Form:
    """A form of an instruction: a row of the instruction table."""

    form: str
    """As the manual writes it."""
    section: str
    """The manual's section."""
    sentence: str
    legal: str
    """The version and targets that it needs; empty if it needs none."""
    modifiers: dict[str, tuple[str, ...]]
    """What may stand in each place of the form."""
    rules: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """What a diagnostic code, or a kind of finding, means."""

    code: str
    title: str
    text: str
    """The page, in Markdown."""

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def check(source: str | bytes | os.PathLike[str], *, target: str | None = None) -> Checked:
    """Is it what ptxas would accept? `source` is a text or a path, `target` one such as `sm_90a` in place of the text's own."""
    data, name = _bytes(source)
    try:
        answer = json.loads(_ptxvm.check(data, name, target))
    except _ptxvm.Failed as failed:
        raise_failed(failed)
    return Checked(answer["ok"], [Diagnostic._of(one) for one in answer["diagnostics"]], answer["text"], answer["summary"])


def fmt(source: str | bytes | os.PathLike[str]) -> str:
    """The text in the one layout. Raises `InvalidPtx` if it is no PTX."""
    data, name = _bytes(source)
    try:
        return _ptxvm.fmt(data, name)
    except _ptxvm.Failed as failed:
        raise_failed(failed)


def isa(name: str | None = None) -> list[Form]:
    """The forms of an instruction (`mul.wide.s32`, `mul`), or all that there are."""
    try:
        rows = json.loads(_ptxvm.isa(name))
    except _ptxvm.Failed as failed:
        raise_failed(failed)
    return [
        Form(
            row["form"],
            row["section"],
            row["sentence"],
            row["legal"],
            {slot["name"]: tuple(slot["values"]) for slot in row["modifiers"]},
            tuple(row["rules"]),
            tuple(row["notes"]),
        )
        for row in rows
    ]


@overload
def explain(code: str) -> Page: ...
@overload
def explain(code: None = None) -> list[Page]: ...
def explain(code: str | None = None) -> Page | list[Page]:
    """The page of a diagnostic code (`E0402`) or a kind of finding (`race`); without one, all pages."""
    try:
        answer = json.loads(_ptxvm.explain(code))
    except _ptxvm.Failed as failed:
        raise_failed(failed)
    return Page(**answer) if code is not None else [Page(**page) for page in answer]


def _bytes(source: str | bytes | os.PathLike[str]) -> tuple[bytes, str]:
    """The bytes of a text or of a file, which need not be text."""
    if isinstance(source, bytes):
        return source, "PTX"
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            return file.read(), os.fspath(source)
    text, name = read_source(source)
    return text.encode(), name
