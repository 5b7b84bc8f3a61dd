#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Uses the page of a geometry as a person does, in headless Chromium by the WebDriver protocol:
#   click_page.py PAGE.html CASE.toml [SHOT.png WIDTH]
# clicks opening 2 in the view, makes it an inflow of 2 ml/s and opening 1 a pressure of 1 Pa, takes
# water, and saves the case. Exit 77: chromedriver is not installed.
import base64, json, os, re, shutil, subprocess, sys, urllib.parse, urllib.request

driver = shutil.which("chromedriver")
if driver is None:
    sys.exit(77)
page, case = sys.argv[1:3]
process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
port = None
for line in process.stdout:
    found = re.search(r"successfully on port (\d+)", line)
    if found:
        port = int(found.group(1))
        break


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data, method=method,
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)["value"]


def check(fact, words):
    if not fact:
        raise SystemExit(f"click_page: {words}")


session = None
try:
    width = sys.argv[4] if len(sys.argv) > 4 else "1280"
    arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader",
                 f"--window-size={width},2400"]
    session = ask("POST", "/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
        "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]
    base = f"/session/{session}"

    def run(script, *arguments):
        return ask("POST", base + "/execute/sync", {"script": script, "args": list(arguments)})

    def find(selector):
        return list(ask("POST", base + "/element", {"using": "css selector", "value": selector}).values())[0]

    def click(selector):
        ask("POST", f"{base}/element/{find(selector)}/click", {})

    def type_into(selector, text):
        element = find(selector)
        ask("POST", f"{base}/element/{element}/clear", {})
        ask("POST", f"{base}/element/{element}/value", {"text": text})

    ask("POST", base + "/url", {"url": "file://" + os.path.abspath(page)})
    check(run("return document.querySelector('.view-missing').hidden"), "the page shows no WebGL")
    run("return new Promise((done) => setTimeout(done, 1500))")
    drawn = run("const c = document.querySelector('.view canvas'), g = c.getContext('webgl'),"
                " p = new Uint8Array(4 * c.width * c.height);"
                "g.readPixels(0, 0, c.width, c.height, g.RGBA, g.UNSIGNED_BYTE, p);"
                "let n = 0; for (let i = 0; i < p.length; i += 4) n += p[i] < 250 || p[i + 2] < 250; return n / (p.length / 4)")
    check(drawn > 0.02, f"the view is empty, {drawn} of it is drawn")
    # From a telephone to a wide screen nothing is cut off, badges cover neither each other nor the middle of a
    # cap, and the caps' rims stay on the surface, that is, in the view.
    def cdp(command, **parameters):
        return ask("POST", base + "/goog/cdp/execute", {"cmd": command, "params": parameters})
    for css in (390, 768, 1280, 1920):
        cdp("Emulation.setDeviceMetricsOverride", width=css, height=1000, deviceScaleFactor=1, mobile=False)
        run("return new Promise((done) => setTimeout(done, 800))")
        check(run("return document.documentElement.scrollWidth") <= css, f"the page is wider than {css} px")
        faults = run("""
            const boxes = [...document.querySelectorAll('.view-stage button')].map((b) => b.getBoundingClientRect());
            const stage = document.querySelector('.view-stage').getBoundingClientRect(), faults = [];
            const rims = boxes.map((_, k) => document.querySelectorAll('.view-marks path')[5 * k + 1].getBoundingClientRect());
            const covers = (p, q) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
              Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1;
            for (const [i, p] of boxes.entries()) {
              for (const q of boxes.slice(0, i)) if (covers(p, q)) faults.push(`badge ${i + 1} covers another`);
              for (const [k, rim] of rims.entries()) {
                const x = (rim.left + rim.right) / 2, y = (rim.top + rim.bottom) / 2;
                if (x > p.left && x < p.right && y > p.top && y < p.bottom) faults.push(`badge ${i + 1} covers cap ${k + 1}`);
                if (rim.left < stage.left || rim.right > stage.right) faults.push(`cap ${k + 1} is outside of the view`);
              }
            }
            return faults""")
        check(not faults, f"at {css} px: {faults}")
    cdp("Emulation.clearDeviceMetricsOverride")
    run("return new Promise((done) => setTimeout(done, 800))")
    # An opening that faces the viewer is chosen by a click on its cap.
    facing = run("return [...document.querySelectorAll('.view-stage button')].find((b) => !b.classList.contains('behind')).dataset.mark")
    x, y = run("const box = document.querySelectorAll('.view-marks path')[5 * arguments[0] + 1].getBoundingClientRect();"
               "return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]", int(facing))
    ask("POST", base + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
        {"type": "pointerMove", "duration": 0, "x": x, "y": y},
        {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})
    check(run("const row = document.querySelector('tr.chosen'); return row && row.dataset.mark") == facing,
          f"a click on the cap of mark {facing} chose no row")
    click("button[data-mark='1']")
    check(run("return document.querySelector('tr.chosen').dataset.mark") == "1", "the badge chose no row")
    second, first = "#openings tr[data-mark='1'] ", "#openings tr[data-mark='0'] "
    click(second + "select[data-key=kind] option[value=flow-rate]")
    type_into(second + "input[data-key=value]", "2 ml/s")
    click(first + "select[data-key=kind] option[value=pressure]")
    type_into(first + "input[data-key=value]", "1 Pa")
    click("select[name=fluid] option[value=water]")
    # 2 ml/s of water, in words below the condition.
    remark = run("return document.querySelector(arguments[0] + '.condition > small').textContent", second)
    diameter, area = run("const of = JSON.parse(document.getElementById('case-data').textContent).openings[1];"
                         "return [of.diameter, of.area]")
    found = re.fullmatch(r"Reynolds number (\S+), mean (\S+) m/s(: is the unit meant\?)?", remark)
    check(found, f"the remark of a flow rate is {remark!r}")
    check(abs(float(found.group(2)) / (2e-6 / area) - 1) < 0.01, f"{remark}: the velocity is {2e-6 / area}")
    check(abs(float(found.group(1)) / (2e-6 / area * diameter / 1e-6) - 1) < 0.02, f"{remark}: the Reynolds number")
    # Both are remembered in the address.
    ask("POST", base + "/url", {"url": ask("GET", base + "/url")})
    ask("POST", base + "/refresh", {})
    link = run("return document.getElementById('save-case').href")
    with open(case, "w", encoding="utf-8") as file:
        file.write(urllib.parse.unquote(link.split(",", 1)[1]))
    check(run("return document.getElementById('case-state').textContent") == "", "the page finds a fault")
    errors = [entry for entry in ask("POST", base + "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
    check(not errors, f"the page has errors: {errors}")
    if len(sys.argv) > 3:
        with open(sys.argv[3], "wb") as file:
            file.write(base64.b64decode(ask("GET", base + "/screenshot")))
finally:
    if session:
        ask("DELETE", f"/session/{session}")
    process.terminate()
