"""`mx.engine`: the bulk size is kept, though nothing is bundled."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from mxnet import engine


def test_the_bulk_size_is_kept():
    before = engine.set_bulk_size(10)
    try:
        assert engine.set_bulk_size(20) == 10
    finally:
        assert engine.set_bulk_size(before) == 20


def test_a_block_has_its_own_size():
    before = engine.set_bulk_size(15)
    with engine.bulk(4) as outer:
        assert outer is not None
        with engine.bulk(8):
            assert engine.set_bulk_size(8) == 8
        assert engine.set_bulk_size(4) == 4
    assert engine.set_bulk_size(before) == 15


def test_an_exception_restores_the_size():
    before = engine.set_bulk_size(15)
    with pytest.raises(KeyError), engine.bulk(4):
        raise KeyError
    assert engine.set_bulk_size(before) == 15


def test_sizes_belong_to_a_thread():
    with engine.bulk(4), ThreadPoolExecutor(1) as pool:
        assert pool.submit(engine.set_bulk_size, 15).result() == 15
