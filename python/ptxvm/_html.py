"""Findings and launches as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Iterable

if TYPE_CHECKING:
    from .device import Launch
    from .findings import Finding

_BOX = "border-left:4px solid {color};padding:4px 12px;margin:4px 0"
_PRE = "white-space:pre;overflow-x:auto;font-family:monospace;line-height:1.3;margin:4px 0"


def finding_html(finding: Finding) -> str:
    """The finding and those beside it, each with its text and what is known of it."""
    return "".join(_one(each) for each in [finding, *finding.others])


def _one(finding: Finding) -> str:
    color = "#c0392b" if finding.stopped else "#d68910"
    facts = [("kernel", finding.kernel), ("thread", finding.thread), ("source", finding.source)]
    shown = [(name, str(value)) for name, value in facts if value]
    shown += [(name, hex(value)) for name, value in finding.registers.items()]
    return (
        f'<div style="{_BOX.format(color=color)}"><b>{escape(finding.kind)}</b>: {escape(finding.message)}'
        f'{_table(shown)}<details open><summary>where</summary><div style="{_PRE}">{escape(finding.text)}</div></details></div>'
    )


def launch_html(launch: Launch) -> str:
    """What a launch did, and what was found in it."""
    statistics = launch.statistics
    rows = [
        ("grid", launch.grid),
        ("block", launch.block),
        ("time", f"{statistics.seconds * 1e3:.3f} ms"),
        ("warp instructions", f"{statistics.warp_instructions:,}"),
        ("lane instructions", f"{statistics.lane_instructions:,}"),
    ]
    rows += [(f"  {name}", f"{count:,}") for name, count in statistics.warp_instructions_by_class.items() if count]
    found = "".join(_one(each) for each in launch.findings)
    body = _table((name, str(value)) for name, value in rows)
    return f'<div style="{_BOX.format(color="#2e86c1")}"><b>{escape(launch.kernel)}</b>{body}</div>{found}'


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td style="text-align:left">{escape(name)}</td><td style="text-align:left"><code>{escape(value)}</code></td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"
