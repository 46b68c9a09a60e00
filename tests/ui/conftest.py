"""What the tests of the screen's pieces stand on."""

import pytest
from streamlit.testing.v1 import AppTest

PATIENT_SECONDS = 60


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page take its time: three seconds, the default, are too few on a busy machine."""
    for start in (AppTest.from_function, AppTest.from_file, AppTest.from_string):
        monkeypatch.setitem(start.__kwdefaults__, "default_timeout", PATIENT_SECONDS)
