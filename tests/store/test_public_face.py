"""What the package offers is what it exports."""

import inspect

import workbench.store as face
from workbench.store import errors, records


def test_everything_exported_is_there_and_listed_once() -> None:
    assert sorted(set(face.__all__)) == sorted(face.__all__)
    assert all(hasattr(face, name) for name in face.__all__)


def test_every_error_and_every_record_is_exported() -> None:
    for module in (errors, records):
        own = {
            name
            for name, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__
        }
        assert own <= set(face.__all__)


def test_every_error_is_a_store_error() -> None:
    for name in face.__all__:
        value = getattr(face, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            assert issubclass(value, face.StoreError)
