"""Loggers with coloured, dated lines."""

import logging
import warnings

CRITICAL = logging.CRITICAL
ERROR = logging.ERROR
WARNING = logging.WARNING
INFO = logging.INFO
DEBUG = logging.DEBUG
NOTSET = logging.NOTSET

__all__ = ["CRITICAL", "DEBUG", "ERROR", "INFO", "NOTSET", "WARNING", "getLogger", "get_logger"]

_RED, _GREEN, _BLUE, _PLAIN = (f"\x1b[{code}m" for code in (31, 32, 34, 0))
_LETTERS = {CRITICAL: "C", ERROR: "E", WARNING: "W", INFO: "I", DEBUG: "D"}


class _Formatter(logging.Formatter):
    """Writes `W0505 00:29:47 3525 file.py:function:1] message`, the part before the bracket in colour."""

    def __init__(self) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        color = _RED if record.levelno >= WARNING else _GREEN if record.levelno >= INFO else _BLUE
        where = f"{record.process} {record.pathname}:{record.funcName}:{record.lineno}"
        return f"{color}{_LETTERS.get(record.levelno, 'U')}{record.asctime} {where}]{_PLAIN} {record.message}"

    def usesTime(self) -> bool:
        return True


def get_logger(
    name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = WARNING
) -> logging.Logger:
    """The logger of a name, set up when it is first asked for.

    Args:
        name: of the logger; None gives the root logger, which is left as it is.
        filename: a file for the plain messages; without it coloured lines go to standard error.
        filemode: how to open the file; "a" by default.
        level: from which level on messages are written.
    """
    logger = logging.getLogger(name)
    if name is None or getattr(logger, "_init_done", False):
        return logger
    handler: logging.Handler
    if filename:
        handler = logging.FileHandler(filename, filemode or "a")
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(_Formatter())
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.__dict__["_init_done"] = True
    return logger


def getLogger(
    name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = WARNING
) -> logging.Logger:
    """The old name of `get_logger`."""
    warnings.warn("[getLogger] is the old name; call get_logger.", DeprecationWarning, stacklevel=2)
    return get_logger(name, filename, filemode, level)
