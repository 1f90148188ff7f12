#!/usr/bin/env python3
"""Executes the notebooks of a folder and keeps them, with their outputs, in another: tools/notebooks.py FROM TO."""

import sys
import tempfile
import time
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def run(notebook, folder):
    """Cell by cell, with the folder as the working one."""
    with tempfile.TemporaryDirectory() as place:  # sockets are files there: nothing listens on a network
        kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(Path(place) / "kernel"))
        client = NotebookClient(notebook, km=kernel, timeout=600, resources={"metadata": {"path": folder}})
        client.owns_km = True  # and ends it
        client.execute()


def execute(source, target):
    notebook = nbformat.read(source, as_version=4)
    start = time.monotonic()
    try:
        run(notebook, source.parent)
    except CellExecutionError as error:
        print(f"{source}: {error}", file=sys.stderr)
        return False
    finally:
        nbformat.write(notebook, target)
    print(f"{source}: {time.monotonic() - start:.0f} s", flush=True)
    return True


def main():
    folder, made = Path(sys.argv[1]), Path(sys.argv[2])
    made.mkdir(parents=True, exist_ok=True)
    notebooks = sorted(folder.glob("*.ipynb"))
    if not notebooks:
        print(f"{folder}: read no notebooks, expected some", file=sys.stderr)
        return 1
    done = [execute(notebook, made / notebook.name) for notebook in notebooks]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
