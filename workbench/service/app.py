"""The ASGI application of the service."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from workbench.service.agui import AguiApi
from workbench.service.guard import REQUEST_ID, Guard, Rules
from workbench.service.hosted import Provide
from workbench.service.invoke import InvokeApi
from workbench.service.openapi import document
from workbench.service.problem import Json, Refused, problem

PATHS = (
    "/health",
    "/invoke",
    "/stream",
    "/runs/{rest:path}",
    "/openapi.json",
    "/ping",
    "/invocations",
    "/invocations/capabilities",
)
"""Where it answers, for a server that mounts it beside something else."""


def service(provide: Provide, rules: Rules) -> ASGIApp:
    """Return the service.

    Args:
        provide: what is served.
        rules: who may come in.
    """
    app = Starlette(
        routes=[
            *InvokeApi(provide).routes,
            *AguiApi(provide).routes,
            Route("/openapi.json", _openapi, methods=["GET"]),
        ],
        exception_handlers={Refused: _refused, HTTPException: _http, Exception: _failed},
    )
    app.router.redirect_slashes = False
    inner: ASGIApp = app
    if rules.origins:
        inner = CORSMiddleware(
            app,
            allow_origins=rules.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Session-Id"],
            expose_headers=["X-Request-Id"],
        )
    return Guard(inner, rules)


async def _openapi(request: Request) -> Response:
    return Json(document())


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    more = {"fields": error.fields} if error.fields else {}
    return problem(error.status, error.code, error.message, request.scope[REQUEST_ID], **more)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "refused")
    said = problem(error.status_code, code, f"{error.detail}.", request.scope[REQUEST_ID])
    said.headers.update(error.headers or {})
    return said


def _failed(request: Request, error: Exception) -> Response:
    # Starlette raises it again, and the guard logs it under this id.
    return problem(
        500, "internal", "Something went wrong here; the log says what.", request.scope[REQUEST_ID]
    )
