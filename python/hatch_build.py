"""Puts the program and the plugins of a release into the wheel; `cargo xtask dist` starts this."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ReleaseHook(BuildHookInterface):  # type: ignore[type-arg]
    """pip installs scripts to `bin` and data beside it: the program finds its plugins there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        folder, platform = os.environ.get("RUNNER_TREE"), os.environ.get("RUNNER_WHEEL_PLATFORM")
        if not folder or not platform:
            raise SystemExit("a wheel holds the program: build it with `cargo xtask dist`")
        tree = Path(folder)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"][str(tree / "bin" / "runner")] = "runner"
        for part in ("lib/runner/plugins", "share/man", "share/bash-completion", "share/fish", "share/zsh"):
            build_data["shared_data"][str(tree / part)] = part
        for name in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES"):
            build_data["shared_data"][str(tree / name)] = f"share/doc/runner/{name}"
