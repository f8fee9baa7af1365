"""A real browser for tests: Chromium over its debugging pipe, which needs no driver and no port."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAM = next((path for name in NAMES if (path := shutil.which(name))), None)

needs_a_browser = pytest.mark.skipif(
    PROGRAM is None or shutil.which("bash") is None,
    reason="NO BROWSER: what a page does in one is not tested here; install chromium",
)


class Browser:
    """One page. ``problems`` has what its console says is wrong, ``requests`` what it loads."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        read, self.to = os.pipe()
        self.back, write = os.pipe()
        command = (
            f"exec {PROGRAM} --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir={self.folder} "
            f"--remote-debugging-pipe about:blank 3<&{read} 4>&{write} >/dev/null 2>&1"
        )
        self.process = subprocess.Popen(["bash", "-c", command], pass_fds=(read, write), start_new_session=True)
        os.close(read)
        os.close(write)
        self.count, self.rest, self.session = 0, b"", None
        self.problems, self.requests, self.loaded = [], [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _message(self, end):
        while b"\0" not in self.rest:
            os.set_blocking(self.back, False)
            try:
                self.rest += os.read(self.back, 1 << 20)
            except BlockingIOError:
                assert time.monotonic() < end, "the browser does not answer"
                time.sleep(0.005)
        line, _, self.rest = self.rest.partition(b"\0")
        return json.loads(line)

    def _noted(self, message):
        kind, said = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.problems.append(said["exceptionDetails"]["text"])
        elif kind == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning"):
            self.problems.append(str(said["args"]))
        elif kind == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.problems.append(said["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])
        elif kind == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 20
        while (found := self._message(end)).get("id") != self.count:
            self._noted(found)
        assert "error" not in found, found
        return found["result"]

    def open(self, url):
        """Load a page; seconds until it is there."""
        self.problems.clear()
        self.requests.clear()
        self.loaded, start = False, time.monotonic()
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self._noted(self._message(start + 20))
        return time.monotonic() - start

    def run(self, script):
        """The value of an expression of JavaScript, as if the user had asked for it."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, userGesture=True, returnByValue=True
        )  # fmt: skip
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key, control=False):
        code = {"Tab": 9, "Enter": 13, "ArrowDown": 40, "Escape": 27}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        text |= {"modifiers": 2} if control else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def write(self, text):
        """Type a text where the focus is."""
        self.call("Input.insertText", text=text)

    def wide(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=True)

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])  # fmt: skip

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def browser():
    found = Browser()
    yield found
    found.close()


def tab_stops(browser, most=400):
    """What Tab leads to, in order: the tag of each, and whether it is seen to have the focus."""
    stops = []
    for _ in range(most):
        browser.press("Tab")
        stop = browser.run(
            "(() => {const e = document.activeElement, s = getComputedStyle(e);"
            "return [e.tagName, s.outlineStyle !== 'none', e.textContent.slice(0, 20)]})()"
        )
        if stop[0] == "BODY":
            break
        stops.append(stop)
    return stops
