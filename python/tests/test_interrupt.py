"""Ctrl-C: what is done stays, and the same call goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest

import runner_lab as runner

TRIALS = 4_000_000
SCRIPT = f"""
import runner_lab as runner
runner.run("eight-queens.toml", repeats={TRIALS}, arms=["random search"], jobs=1,
           set={{"stop.evaluations": 500}})
"""


@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "notebook"])
def test_an_interrupt_keeps_what_is_done(whole_group: bool) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stderr is not None
    shown = ""
    while not re.search(rf"[1-9]\d*/{TRIALS}", shown):
        letter = child.stderr.read(1)
        assert letter, f"it ended before the interrupt: {shown}"
        shown += letter
    # A terminal interrupts every process in it, a notebook only its kernel.
    (os.killpg if whole_group else os.kill)(child.pid, signal.SIGINT)
    rest = child.stderr.read()
    assert child.wait() != 0
    assert "KeyboardInterrupt" in rest
    assert not runner.Result("results/eight-queens").complete
    done = len(runner.Result("results/eight-queens").trials)
    assert 0 < done < TRIALS
    # They count for the next run: it has nothing to do.
    again = runner.run(
        "eight-queens.toml",
        repeats=done,
        arms=["random search"], jobs=1,
        set={"stop.evaluations": 500},
        progress=False,
    )
    assert len(again.trials) == done
    assert not (again.folder / "superseded").exists()
