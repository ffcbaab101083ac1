"""What can go wrong, as exceptions: a kernel's mistake is a `Finding`, with fields for all that is known of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping, NoReturn, Sequence

from . import _ptxvm
from ._html import finding_html


class Error(Exception):
    """What ptxvm raises, but for arguments of a wrong type or value (`TypeError`, `ValueError`)."""


class InvalidPtx(Error):
    """The PTX is not what ptxas would accept. `diagnostics` has every reason."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)


class LimitReached(Error):
    """A launch was stopped by `timeout=` or `max_instructions=`. `code` is `time`, `instructions` or `interrupted`."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


class Unsupported(Error):
    """The PTX is right, and ptxvm cannot run it yet."""


class Bug(Error):
    """ptxvm is broken."""


@dataclass(frozen=True)
class Thread:
    """A thread of a launch."""

    ctaid: tuple[int, int, int]
    tid: tuple[int, int, int]
    warp: int
    lane: int

    def __str__(self) -> str:
        return f"thread {_triple(self.tid)} of CTA {_triple(self.ctaid)}"

    @classmethod
    def _of(cls, value: Mapping[str, Any] | None) -> Thread | None:
        if not value:
            return None
        return cls(tuple(value["ctaid"]), tuple(value["tid"]), value["warp"], value["lane"])


@dataclass(frozen=True)
class Source:
    """A line of the program that the PTX was made from, as `.loc` has it."""

    file: str
    line: int
    column: int = 0
    function: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")

    @classmethod
    def _of(cls, value: Mapping[str, Any] | None) -> Source | None:
        if not value:
            return None
        return cls(value["file"], value["line"], value.get("column") or 0, value.get("function"))


@dataclass(frozen=True)
class Place:
    """A place in the PTX: where something happened, or what came before it."""

    line: int
    column: int
    end_line: int
    end_column: int
    message: str | None = None
    thread: Thread | None = None
    source: Source | None = None

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Place | None:
        if value.get("line") is None:
            return None
        line, column = value["line"], value.get("column") or 1
        return cls(
            line,
            column,
            value.get("end_line") or line,
            value.get("end_column") or column,
            value.get("message"),
            Thread._of(value.get("thread")),
            Source._of(value.get("source")),
        )


@dataclass(frozen=True)
class Diagnostic:
    """Something that is wrong with a text, found without running it."""

    code: str
    severity: str
    message: str
    place: Place
    help: str | None = None
    section: str | None = None
    related: tuple[Place, ...] = ()

    def __str__(self) -> str:
        return f"{self.severity}[{self.code}]: {self.message} (line {self.place.line})"

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Diagnostic:
        place = Place._of({**value, "message": value.get("label")})
        related = tuple(found for other in value.get("related") or () if (found := Place._of(other)))
        assert place is not None
        return cls(value["code"], value["severity"], value["message"], place, value.get("help"), value.get("section"), related)


class Finding(Error):
    """A kernel's mistake.

    `str()` of it is what the command shows. Of several that one launch has, the first is raised, and `others` has the
    rest.
    """

    kind: str
    """What it is: `out-of-bounds`, `race`, `deadlock`, `uninitialised` … (`ptxvm.explain(kind)` says more)."""
    message: str
    """In a sentence."""
    kernel: str
    """The kernel's name."""
    thread: Thread | None
    """Who did it."""
    registers: dict[str, int]
    """The registers of the instruction, as that thread had them."""
    place: Place | None
    """Where in the PTX."""
    related: list[Place]
    """The other places: for a race, the access that came before."""
    source: Source | None
    """The line of the program that the PTX was made from, if it says so."""
    notes: list[str]
    count: int
    """How often threads did the same at this place."""
    stopped: bool
    """Whether the kernel was stopped by it."""
    text: str
    """As the command shows it."""
    others: list[Finding]
    raw: dict[str, Any]
    """The object that `--format json` has."""

    def __init__(self, raw: Mapping[str, Any], others: Sequence[Finding] = ()) -> None:
        self.raw = dict(raw)
        self.kind = raw.get("code") or raw["kind"]
        self.message = raw.get("message") or _first_line(raw.get("text", self.kind))
        self.kernel = raw.get("kernel", "")
        self.thread = Thread._of(raw.get("thread"))
        self.registers = {entry["name"]: int(entry["value"], 16) for entry in raw.get("registers") or ()}
        self.place = Place._of({**raw, "message": None})
        self.related = [found for other in raw.get("related") or () if (found := Place._of(other))]
        self.source = Source._of(raw.get("source"))
        self.notes = list(raw.get("notes") or ())
        self.count = raw.get("count") or 1
        self.stopped = bool(raw.get("stopped"))
        self.text = raw.get("text") or self.message
        self.others = list(others)
        super().__init__(self.text)

    def __reduce__(self) -> Any:
        return (Finding, (self.raw, self.others))

    def __str__(self) -> str:
        return "\n\n".join([self.text, *(str(other.text) for other in self.others)])

    def _repr_html_(self) -> str:
        return finding_html(self)


class FindingWarning(UserWarning):
    """A finding, for `on_finding="warn"`. `finding` has it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


@dataclass(frozen=True)
class MemoryEvent:
    """Something that orders memory and happened in a launch with `events=True`."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)
    thread: Thread | None = None
    cluster: int = 0
    line: int | None = None

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> MemoryEvent:
        return cls(value["event"], dict(value["fields"]), Thread._of(value["thread"]), value["cluster"], value["line"])


def raise_failed(failed: _ptxvm.Failed) -> NoReturn:
    """Raises what the module below has said, as an exception of this package."""
    raise failure(json.loads(str(failed))) from None


def failure(raw: Mapping[str, Any], others: Sequence[Finding] = ()) -> Exception:
    """The exception for an object that says what went wrong."""
    kind, text = raw["kind"], raw.get("text") or raw.get("message") or ""
    if kind == "usage":
        return ValueError(text)
    if kind == "invalid":
        return InvalidPtx(text, [Diagnostic._of(one) for one in raw["diagnostics"]])
    if kind == "memory":
        return MemoryError(text)
    if kind == "limit":
        return LimitReached(text, raw["code"])
    if kind == "unsupported":
        return Unsupported(text)
    if kind == "bug":
        return Bug(text)
    return Finding(raw, others)


def _triple(value: Sequence[int]) -> str:
    return "(" + ",".join(str(part) for part in value) + ")"


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0]
