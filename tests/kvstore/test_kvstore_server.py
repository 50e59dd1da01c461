"""Servers, which are not needed."""

import logging
import os
import subprocess
import sys

import pytest

import mxnet as mx
import mxnet.kvstore_server as kvstore_server


def test_a_server_returns_at_once(caplog):
    store = mx.kv.create("local")
    server = mx.kvstore.KVStoreServer(store)
    assert server.kvstore is store
    with caplog.at_level(logging.WARNING):
        server.run()
    assert "workers add up among themselves and keep the values; there is nothing to serve" in caplog.text


def test_both_paths_of_the_module():
    assert kvstore_server.KVStoreServer is mx.kvstore.KVStoreServer is mx.kvstore.kvstore_server.KVStoreServer


@pytest.mark.parametrize("role", ["server", "scheduler"])
def test_processes_of_other_roles_end(monkeypatch, role):
    monkeypatch.setenv("DMLC_ROLE", role)
    with pytest.raises(SystemExit) as ended:
        kvstore_server._init_kvstore_server_module()
    assert ended.value.code == 0


@pytest.mark.parametrize("role", ["worker", ""])
def test_workers_go_on(monkeypatch, role):
    monkeypatch.setenv("DMLC_ROLE", role)
    kvstore_server._init_kvstore_server_module()


def test_importing_mxnet_ends_a_server():
    command = [sys.executable, "-c", "import mxnet; print('goes on')"]
    env = {**os.environ, "DMLC_ROLE": "server"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    assert done.stdout == ""
    assert "this process was started as a server and ends" in done.stderr


def test_importing_mxnet_tells_programs_their_rank():
    code = "import os, mxnet; print(os.environ['DMLC_WORKER_ID'], os.environ['DMLC_NUM_WORKER'])"
    env = {**os.environ, "RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "1 4\n"
