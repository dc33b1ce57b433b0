"""Downloads from a server on this machine that never answers, stops, dribbles or lies."""

import hashlib
import socket
import threading
import time

import pytest

from course_utils.data import download as module

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n"
CONTENT = b"good film " * 5_000


def dribble(line, content, before=b""):
    line.sendall(before)
    for byte in content:
        line.sendall(bytes([byte]))
        time.sleep(0.1)


ANSWERS = {
    "nothing": lambda line: time.sleep(60),
    "a byte of the header at a time": lambda line: dribble(line, HEAD),
    "a byte of the content at a time": lambda line: (
        line.sendall(HEAD),
        dribble(line, CONTENT),
    ),
    "stops in the middle": lambda line: (line.sendall(HEAD + CONTENT[:20_000]), time.sleep(60)),
    "ends in the middle": lambda line: line.sendall(HEAD + CONTENT[:20_000]),
    "closes at once": lambda line: None,
    "no HTTP": lambda line: line.sendall(b"\0\1\2\3\r\n\r\n"),
    "not found": lambda line: line.sendall(b"HTTP/1.1 404 Not Found\r\n\r\n"),
    "whole": lambda line: line.sendall(HEAD + CONTENT),
}


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """Start a server that answers so; returns its address."""
    monkeypatch.setattr(module, "LIMIT", 0.4)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    listeners = []

    def start(answer):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def one(line):
            with line:
                try:
                    line.recv(10_000)
                    answer(line)
                except OSError:
                    pass  # the course has hung up

        def all_of_them():
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=one, args=(line,), daemon=True).start()

        threading.Thread(target=all_of_them, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}/file.bin"

    yield start
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize("how", [how for how in ANSWERS if how != "whole"])
def test_a_bad_server_is_told_in_time_and_leaves_nothing(how, serve, tmp_path):
    address, start = serve(ANSWERS[how]), time.monotonic()
    with pytest.raises(ConnectionError, match="could not be had") as refused:
        module.download(address)
    assert time.monotonic() - start < 30
    for told in (address, "By hand: save it as", "Without it"):
        assert told in str(refused.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_whole_file_is_kept_and_not_loaded_again(serve, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 30)
    address = serve(ANSWERS["whole"])
    checksum = hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(ConnectionError, match="another checksum"):
        module.download(address, "0" * 64)
    path = module.download(address, checksum)
    assert path.read_bytes() == CONTENT
    assert module.download("http://127.0.0.1:9/file.bin", checksum) == path


@pytest.mark.parametrize("how", ["nothing", "stops in the middle"])
def test_tfds_requests_have_the_limit(how, serve):
    import requests

    with module.limited_requests(), pytest.raises(requests.RequestException):
        requests.get(serve(ANSWERS[how])).content  # noqa: B018
    assert "limited" not in requests.Session.request.__qualname__


def test_a_full_disk_is_no_fault_of_the_network(serve, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 30)

    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as caught:
        module.download(serve(ANSWERS["whole"]))
    assert not isinstance(caught.value, ConnectionError)
