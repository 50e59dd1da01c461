"""The reference and the pages about compatibility, made once for all tests."""

import pytest

from tools.docs import compatibility, reference
from tools.docs.reference_pages import Book


@pytest.fixture(scope="session")
def book() -> Book:
    return reference.made()


@pytest.fixture(scope="session")
def pages(book: Book) -> dict[str, str]:
    """Texts of the reference by path."""
    return book.linked()


@pytest.fixture(scope="session")
def compatible() -> Book:
    return compatibility.made()
