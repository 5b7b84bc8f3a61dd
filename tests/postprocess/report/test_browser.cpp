// SPDX-License-Identifier: GPL-3.0-or-later
// The report in a browser: headless Chromium with WebGL in software. Skips without it.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "postprocess/picture/picture.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/report/report_html.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess::picture;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::report;
using namespace tessera::postprocess::results;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

// Headless Chromium shows few frames of its own accord, so they are made to come by the clock.
constexpr const char* frameClock = R"script(<script>
window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 5);
</script></head>)script";

// Simulated input and the recorded response.
constexpr const char* probe = R"script(<script>
addEventListener("load", async () => {
  const frame = () => new Promise((done) => setTimeout(done, 50));
  const seen = document.body.dataset;
  const view = document.getElementById("wall-view");
  const canvas = view.querySelector("canvas");
  seen.missing = view.querySelector(".view-missing").hidden ? "no" : "yes";
  seen.fetched = performance.getEntriesByType("resource").filter((r) => !r.name.startsWith("data:")).length;
  seen.images = [...document.images].every((i) => i.complete && i.naturalWidth > 0) ? "whole" : "broken";
  seen.clipped = document.documentElement.scrollWidth > innerWidth ? "yes" : "no";
  const cards = [...document.querySelectorAll(".card")];
  seen.wide = cards.filter((card) => card.scrollWidth > card.clientWidth).length;
  seen.narrow = [...document.querySelectorAll("tbody th")].filter((th) => th.clientWidth < 50).length;
  const gl = canvas.getContext("webgl");
  if (!gl) { seen.done = "yes"; return; }
  const pixels = () => {
    const all = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, all);
    return all;
  };
  const differ = (a, b) => {
    let count = 0;
    for (let i = 0; i < a.length; i += 4) count += a[i] !== b[i] || a[i + 1] !== b[i + 1];
    return count / (a.length / 4);
  };
  const box = canvas.getBoundingClientRect();
  const point = (kind, dx) => canvas.dispatchEvent(new PointerEvent(kind, {
    pointerId: 1, clientX: box.left + box.width / 2 + dx, clientY: box.top + box.height / 2 }));
  await frame();
  const first = pixels();
  seen.drawn = differ(first, new Uint8Array(first.length).fill(255));
  point("pointermove", 0);
  seen.value = view.querySelector("output").textContent;
  point("pointerdown", 0); point("pointermove", 150); point("pointerup", 150);
  await frame();
  seen.turned = differ(first, pixels());
  view.querySelector("button").click();
  await frame();
  seen.back = differ(first, pixels());
  const choice = view.querySelector("select");
  choice.value = "1";
  choice.dispatchEvent(new Event("change"));
  await frame();
  seen.caption = view.querySelector(".view-caption").textContent;
  seen.done = "yes";
});
</script></body>)script";

std::optional<std::string> browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0)
      return name;
  return std::nullopt;
}

std::string contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The widest tables: those of a pulsatile run, with numbers as long as they get.
void beat(Results& results) {
  results.period = 0.44;
  CycleFlow cycle;
  cycle.period = 0.44;
  const OverPeriod flow{-6.818e-6, -30.04e-6, -0.0484e-6}, pressure{-12980.0, -14860.0, 14924.0};
  for (const OpeningSummary& opening : results.openings)
    cycle.openings.push_back({opening.id, opening.name, flow, pressure, 1244.0, 9.67});
  cycle.pressureDrop = pressure;
  cycle.resistance = -2.224e7;
  results.cycleFlow = cycle;
  for (OpeningSummary& opening : results.openings) opening.kind = "outflow-split";
}

struct Page {
  fs::path folder = fs::temp_directory_path() / ("tessera-browser-" + std::to_string(::getpid()));
  AnalyticPipe pipe = analyticPipe({6.0, 20.0, {0.48, 0.6, 0.64}, 60});

  Page() {
    fs::remove_all(folder);
    fs::create_directories(folder);
    Results results = computeResults(pipe.fields, pipe.geometry, {});
    results.title = "pipe";
    beat(results);
    results.geometryReport = GeometryReport{};
    results.geometryReport->verdict = "usable with warnings";
    results.geometryReport->warnings = {std::string(40, 'w') + " and more " + std::string(40, 'w')};
    const auto wall = wallValues(results);
    writePictures(results, wall, pipe.fields, pipe.geometry, folder);
    writeReportHtml(results, wall, pipe.fields, pipe.geometry, folder);
    std::string html = contentOf(folder / "report.html");
    html.replace(html.rfind("</body>"), 7, probe);
    html.replace(html.find("</head>"), 7, frameClock);
    std::ofstream(folder / "probed.html", std::ios::binary) << html;
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { fs::remove_all(folder); }

  // Final DOM of the page in the browser.
  [[nodiscard]] std::string opened(const std::string& name, const std::string& flags,
                                   int width = 1280) const {
    const std::string command =
        "timeout 1200 " + name +
        " --headless=new --no-sandbox --hide-scrollbars --user-data-dir='" +
        (folder / "profile").string() + "' --window-size=" + std::to_string(width) +
        ",1600 --virtual-time-budget=20000 " + flags + " --screenshot='" +
        (folder / "page.png").string() + "' --dump-dom 'file://" +
        (folder / "probed.html").string() + "' >'" + (folder / "dom").string() + "' 2>/dev/null";
    const int status = std::system(command.c_str());
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return contentOf(folder / "dom");
  }
};

// Note of that name in the page; empty when absent.
std::string note(const std::string& dom, const std::string& name) {
  const std::size_t body = dom.find("<body");
  const std::size_t end = dom.find('>', body);
  const std::string key = "data-" + name + "=\"";
  const std::size_t at = dom.find(key, body);
  if (body == std::string::npos || at == std::string::npos || at > end) return "";
  return dom.substr(at + key.size(), dom.find('"', at + key.size()) - at - key.size());
}

}  // namespace

TEST_CASE("Report in a browser: the wall is drawn, turns, and shows its value at the pointer",
          "[pipeline]") {
  const auto name = browser();
  if (!name) {
    WARN("no Chromium here (apt install chromium): the report is not opened in a browser");
    return;
  }
  const Page page;
  const std::string dom = page.opened(*name, "--use-angle=swiftshader --enable-unsafe-swiftshader");
  REQUIRE(note(dom, "done") == "yes");
  CHECK(note(dom, "missing") == "no");
  CHECK(note(dom, "fetched") == "0");
  CHECK(note(dom, "images") == "whole");
  CHECK(note(dom, "clipped") == "no");
  CHECK(note(dom, "wide") == "0");
  CHECK(note(dom, "narrow") == "0");
  CHECK(std::stod(note(dom, "drawn")) > 0.05);
  CHECK(std::stod(note(dom, "turned")) > 0.01);
  CHECK(std::stod(note(dom, "back")) == 0.0);
  // Uniform wall shear of the pipe, in the unit of the page, and a point on it.
  const std::string value = note(dom, "value");
  CAPTURE(value);
  const double shown =
      std::stod(value) * (value.find(" mPa at ") != std::string::npos ? 1e-3 : 1.0);
  CHECK(shown == Approx(page.pipe.wallShear()).epsilon(0.02));
  CHECK(value.find("mm") != std::string::npos);
  CHECK(note(dom, "caption").find("pressure, gauge [") == 0);
  CHECK(fs::file_size(page.folder / "page.png") > 20000);
}

TEST_CASE(
    "Report in a browser: without WebGL a notice is shown, and a narrow window holds the tables",
    "[pipeline]") {
  const auto name = browser();
  if (!name) {
    WARN("no Chromium here (apt install chromium): the report is not opened in a browser");
    return;
  }
  const Page page;
  const std::string dom = page.opened(*name, "--disable-3d-apis", 800);
  REQUIRE(note(dom, "done") == "yes");
  CHECK(note(dom, "missing") == "yes");
  CHECK(note(dom, "clipped") == "no");
  CHECK(note(dom, "wide") == "0");
  CHECK(note(dom, "narrow") == "0");
}
