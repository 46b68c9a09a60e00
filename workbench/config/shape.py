"""Which keys the schema allows at a place, found by walking the models along a key path."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from workbench.config.problem import KeyPath


def keys_at(root: type[BaseModel], path: KeyPath, data: Any) -> tuple[str, ...]:
    """The keys that the mapping at a path may have; none where the schema knows no mapping there.

    Args:
        root: the model of the whole config.
        path: the way to the mapping.
        data: the config's plain values, which tell apart what the schema allows in several forms.
    """
    annotations: list[Any] = [root]
    for part in path:
        annotations = [
            step for annotation in annotations for form in _forms(annotation) for step in _steps(form, part)
        ]
        data = _inside(data, part)
    models = [form for annotation in annotations for form in _forms(annotation) if _is_model(form)]
    return _names(models, data)


def _forms(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _forms(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for arm in get_args(annotation):
            yield from _forms(arm)
    else:
        yield annotation


def _steps(form: Any, part: str | int) -> list[Any]:
    if _is_model(form):
        for name, field in form.model_fields.items():
            if (field.alias or name) == part:
                return [field.annotation]
        return []
    origin, arguments = get_origin(form), get_args(form)
    if origin is dict:
        return [arguments[1]]
    if origin is tuple:
        return [arguments[0]]
    return []


def _names(models: list[type[BaseModel]], data: Any) -> tuple[str, ...]:
    chosen = [model for model in models if _fits(model, data)] or models
    return tuple(
        dict.fromkeys(field.alias or name for model in chosen for name, field in model.model_fields.items())
    )


def _fits(model: type[BaseModel], data: Any) -> bool:
    """Whether a model is the one that the data's `mode` names."""
    mode = model.model_fields.get("mode")
    if mode is None or not isinstance(data, dict) or get_origin(mode.annotation) is not Literal:
        return True
    return data.get("mode") in get_args(mode.annotation)


def _inside(data: Any, part: str | int) -> Any:
    match data, part:
        case dict(), str():
            return data.get(part)
        case list(), int() if part < len(data):
            return data[part]
        case _:
            return None


def _is_model(form: Any) -> bool:
    return isinstance(form, type) and issubclass(form, BaseModel)
