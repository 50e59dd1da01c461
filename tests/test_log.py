"""`mx.log`."""

import logging
import re

import pytest

from mxnet import log

LINE = re.compile(r"^\x1b\[(\d+)m([A-Z])\d{4} \d\d:\d\d:\d\d \d+ .*test_log\.py:\w+:\d+\]\x1b\[0m (.*)$")


@pytest.fixture
def name(request):
    yield request.node.name
    logger = logging.getLogger(request.node.name)
    for handler in logger.handlers:
        handler.close()
    logger.handlers.clear()
    vars(logger).pop("_init_done", None)


def test_lines(name, capfd):
    logger = log.get_logger(name, level=log.DEBUG)
    for level in (log.DEBUG, log.INFO, log.WARNING, log.ERROR, log.CRITICAL, 35):
        logger.log(level, "level %d", level)
    lines = [LINE.match(line).groups() for line in capfd.readouterr().err.splitlines()]
    assert lines == [
        ("34", "D", "level 10"),
        ("32", "I", "level 20"),
        ("31", "W", "level 30"),
        ("31", "E", "level 40"),
        ("31", "C", "level 50"),
        ("31", "U", "level 35"),
    ]


def test_errors_are_shown(name, capfd):
    logger = log.get_logger(name)
    logger.info("too low")
    try:
        raise ValueError("the reason")
    except ValueError:
        logger.exception("what happened")
    text = capfd.readouterr().err
    assert "too low" not in text
    assert "what happened\nTraceback" in text
    assert "ValueError: the reason" in text


def test_files(name, tmp_path):
    file = tmp_path / "a.log"
    file.write_text("before\n")
    log.get_logger(name, str(file), level=log.INFO).info("hello")
    assert file.read_text() == "before\nhello\n"


def test_a_logger_is_set_up_once(name):
    logger = log.get_logger(name)
    assert log.get_logger(name, level=log.DEBUG) is logger
    assert len(logger.handlers) == 1
    assert logger.level == log.WARNING
    before = list(logging.root.handlers)
    assert log.get_logger() is logging.root
    assert logging.root.handlers == before


def test_the_old_name(name):
    with pytest.warns(DeprecationWarning, match="call get_logger"):
        assert log.getLogger(name) is logging.getLogger(name)
