"""Stand-ins for providers, one in each file."""

import importlib
import pkgutil


def stand_ins():
    """The classes of the stand-ins, by the names of their files: in each file, the class that is made there and names its `provider`."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        members = vars(importlib.import_module(f"{__name__}.{module.name}"))
        for member in members.values():
            if getattr(member, "__module__", None) == f"{__name__}.{module.name}" and hasattr(member, "provider"):
                found[module.name] = member
    return found
