"""Where requests of flows may go, and where they may not."""

from collections.abc import Sequence

import pytest

from studio.errors import ToolError
from studio.web.addresses import is_allowed, refuse_address
from studio.web.broker import Broker
from studio.web.request import Reach, WebAnswer, WebRequest
from tests.web.serving import Served, page, serving


def reaching(*hosts: str) -> Reach:
    return Reach(hosts, is_private=True)


async def got(served: Served, path: str = "/", **more: object) -> WebAnswer:
    given = {"reach": reaching(served.host), **more}
    return await Broker({}).fetch(WebRequest(served.url(path), **given))  # pyright: ignore[reportArgumentType]


async def test_what_is_allowed_is_fetched() -> None:
    async with serving(lambda _: page("a wren", x_seen="2")) as served:
        answer = await got(served, "/birds?n=1", method="POST", body=b"two", headers={"X-A": "b"})
    assert (answer.status, answer.text, answer.headers["x-seen"]) == (200, "a wren", "2")
    assert served.requests[0].startswith("POST /birds?n=1 HTTP/1.1\r\n")
    assert f"host: {served.host}" in served.requests[0].lower()
    assert served.requests[0].endswith("\r\n\r\ntwo")


async def test_a_host_that_is_not_allowed_is_never_connected_to() -> None:
    async with serving(lambda _: page("")) as served:
        with pytest.raises(ToolError, match="not one of the allowed hosts"):
            await got(served, reach=reaching("example.org", "127.0.0.1"))
    assert served.requests == []


async def test_this_machine_is_out_of_reach_unless_granted() -> None:
    async with serving(lambda _: page("")) as served:
        with pytest.raises(ToolError, match="an address of this machine"):
            await got(served, reach=Reach((served.host,)))
    assert served.requests == []


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0", "::1", "fc00::1"),  # noqa: S104
        *("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "240.0.0.1", "fe80::1", "169.254.169.254"),
        *("224.0.0.1", "ff02::1", "::", "::ffff:169.254.169.254", "198.18.0.1", "fe80::1%eth0", "fec0::1"),
    ],
)
def test_no_address_but_those_of_the_public_network_is_in_reach(address: str) -> None:
    with pytest.raises(ToolError):
        refuse_address(address, "a.example", is_private=False)


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "::"])
def test_those_of_the_link_are_out_of_reach_whatever_is_granted(address: str) -> None:
    with pytest.raises(ToolError, match="no flow"):
        refuse_address(address, "a.example", is_private=True)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f::1"])
async def test_public_addresses_are_in_reach(address: str) -> None:
    async def resolve(_: str, __: int) -> Sequence[str]:
        return [address]

    refused = "could not be reached"  # by the tests' own guard, as it would be connected to
    with pytest.raises(ToolError, match=refused):
        await Broker({}, resolve).fetch(WebRequest("http://a.example/", reach=Reach(("a.example",))))


async def test_a_name_that_means_this_machine_is_refused_however_it_is_written() -> None:
    async with serving(lambda _: page("in reach")) as served:
        for host in (f"{name}:{served.port}" for name in ("127.1", "0x7f000001", "2130706433", "localhost")):
            with pytest.raises(ToolError, match=r"an address of this machine|could not be reached"):
                await Broker({}).fetch(WebRequest(f"http://{host}/", reach=Reach((host,))))
        assert served.requests == []
        assert (await got(served)).text == "in reach"


async def test_a_name_is_resolved_once_and_that_address_is_connected_to() -> None:
    asked: list[str] = []

    async def resolve(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    async with serving(lambda _: page("once")) as served:
        host = f"a.example:{served.port}"
        request = WebRequest(f"http://{host}/", reach=reaching(host))
        assert (await Broker({}, resolve).fetch(request)).text == "once"
    assert asked == ["a.example"]
    assert f"host: {host}" in served.requests[0].lower()


async def test_a_redirect_is_looked_at_like_a_request() -> None:
    def answer(path: str) -> bytes:
        return page("there") if path == "/there" else page("", "302 Found", location=targets[path])

    async with serving(answer) as served:
        targets = {
            "/here": "/there",
            "/away": "http://localhost:1/",
            "/file": "file:///etc/passwd",
            "/round": "/round",
        }
        answered = await got(served, "/here", method="POST", body=b"x")
        assert (answered.text, answered.url) == ("there", served.url("/there"))
        assert served.requests[-1].startswith("GET /there ")
        for path, said in (
            ("/away", "not one of"),
            ("/file", "no plain address|not a plain"),
            ("/round", "redirects more than"),
        ):
            with pytest.raises(ToolError, match=said):
                await got(served, path)


@pytest.mark.parametrize(
    "target", ["http://[", "http://a..example/", "https://" + "a" * 70 + ".example/", "x:y"]
)
async def test_a_redirect_to_what_is_no_address_is_told_as_such(target: str) -> None:
    async with serving(lambda _: page("", "302 Found", location=target)) as served:
        with pytest.raises(ToolError):
            await got(served, reach=reaching(served.host, "*.example"))


async def test_a_key_goes_only_where_the_user_says_and_not_on_with_a_redirect() -> None:
    keys = {"Authorization": "Bearer {MY_KEY}"}
    async with (
        serving(lambda _: page("two")) as other,
        serving(lambda _: page("", "307 Temporary Redirect", location=other.url())) as served,
    ):
        request = WebRequest(served.url(), keys=keys, reach=reaching(served.host, other.host))
        with pytest.raises(ToolError, match="only the flow says"):
            await Broker({"MY_KEY": "secret"}).fetch(request)
        environ = {"MY_KEY": "secret", "STEPWIRE_TRUSTED_URLS": f"MY_KEY=http://{served.host}"}
        assert (await Broker(environ).fetch(request)).text == "two"
    assert len(served.requests) == 1
    assert "Bearer secret" in served.requests[0]
    assert "secret" not in other.requests[0]


async def test_what_is_too_long_is_cut_and_what_never_comes_is_given_up() -> None:
    async with serving(lambda path: page("x" * 100) if path == "/" else None) as served:
        answer = await got(served, most=10)
        assert (answer.text, answer.is_cut) == ("x" * 10, True)
        with pytest.raises(ToolError, match="did not answer within"):
            await got(served, "/never", seconds=0.05)


async def test_packed_answers_are_refused() -> None:
    async with serving(lambda _: page("x", content_encoding="gzip")) as served:
        with pytest.raises(ToolError, match="packed"):
            await got(served)
    assert "accept-encoding: identity" in served.requests[0].lower()


def test_an_allow_list_names_hosts_and_ports() -> None:
    assert is_allowed("https", "A.example", 443, ["a.example"])
    assert not is_allowed("https", "a.example", 8443, ["a.example"])
    assert is_allowed("https", "a.example", 8443, ["a.example:8443"])
    assert is_allowed("http", "b.a.example", 80, ["*.a.example"])
    assert not is_allowed("http", "a.example", 80, ["*.a.example"])
    assert not is_allowed("http", "evil-a.example", 80, ["*.a.example", "a.example"])
    assert is_allowed("http", "::1", 80, ["[::1]"])
