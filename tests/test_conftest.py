import socket
import threading

import pytest


def test_a_test_cannot_reach_another_machine() -> None:
    with socket.socket() as speaker, pytest.raises(ConnectionRefusedError, match=r"192\.0\.2\.1"):
        speaker.connect(("192.0.2.1", 80))


def test_a_test_cannot_look_up_a_name() -> None:
    with pytest.raises(ConnectionRefusedError, match=r"example\.org"):
        socket.getaddrinfo("example.org", 443)


def test_a_test_can_speak_to_itself() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            server.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with socket.create_connection(server.getsockname(), timeout=5) as speaker:
            assert speaker.recv(1) == b""
        thread.join()
