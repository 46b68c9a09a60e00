import sys

import pytest

from tests.browser.app_server import ServerDied
from tests.browser.conftest import Serve


def test_a_server_that_ends_at_start_is_reported_with_what_it_said(serve: Serve) -> None:
    with pytest.raises(ServerDied, match=r"ended with 1 at start(?s:.*)no such config: shop\.yaml"):
        serve(command=[sys.executable, "-c", "raise SystemExit('no such config: shop.yaml')"])
