"""JavaScript for tests: node, run over values in JSON. Where node is missing, tests are skipped; in continuous integration they fail."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

__all__ = ["needs_node", "run"]

needs_node = pytest.mark.skipif(shutil.which("node") is None and os.environ.get("CI") != "true", reason="node is not installed")

_FRAME = """
let read = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (part) => { read += part; });
process.stdin.on('end', () => process.stdout.write(JSON.stringify(main(JSON.parse(read)))));
"""


def run(script: str, value: Any) -> Any:
    """What the function `main` of the script gives for the value."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "main.js"
        file.write_text(script + _FRAME, encoding="utf-8")
        ran = subprocess.run(["node", str(file)], input=json.dumps(value), capture_output=True, text=True, encoding="utf-8", timeout=900)
    assert ran.returncode == 0, ran.stderr[-4000:]
    return json.loads(ran.stdout)
