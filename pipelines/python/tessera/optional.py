# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that are used where they are installed."""
from __future__ import annotations

import importlib
from types import ModuleType

# How each is installed.
_INSTALLED_BY = {"pandas": "apt-get install python3-pandas, or "
                           "pip install pandas",
                 "pyvista": "pip install pyvista",
                 "vtkmodules": "apt-get install python3-vtk9, or "
                               "pip install vtk"}


def module(name: str) -> ModuleType:
    """The module; without it an ImportError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: "
                          f"{_INSTALLED_BY[name]}", name=name) from error
