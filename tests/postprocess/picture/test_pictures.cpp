// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures and the report of a pipe with an exact flow.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <set>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/colour.hpp"
#include "postprocess/picture/curves.hpp"
#include "postprocess/picture/picture.hpp"
#include "postprocess/picture/slice_picture.hpp"
#include "postprocess/picture/viewing_side.hpp"
#include "postprocess/picture/wall_picture.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/report/report_html.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::picture;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::report;
using namespace tessera::postprocess::results;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::test;
using namespace tessera::tiler;
namespace fs = std::filesystem;

namespace {

struct Run {
  AnalyticPipe pipe;
  Results results;
};

Run pipeRun() {
  Run run;
  run.pipe = analyticPipe({8.0, 24.0});
  run.results = computeResults(run.pipe.fields, run.pipe.geometry, {});
  run.results.title = "pipe <b>&\"'";
  run.results.monitor.columns = {"step", "time[s]", "flow_rate_1[m3/s]", "flow_rate_2[m3/s]",
                                 "pressure_1[Pa]"};
  for (int i = 0; i < 40; ++i) {
    const double settled = 1.0 - std::exp(-0.2 * i);
    run.results.monitor.rows.push_back(
        {100.0 * i, 1e-3 * i, -2e-6 * settled, 2e-6 * settled * settled, 5.0 * settled});
  }
  return run;
}

void writeAll(const Run& run, const fs::path& folder) {
  const auto wall = wallValues(run.results);
  writePictures(run.results, wall, run.pipe.fields, run.pipe.geometry, folder);
  writeReportHtml(run.results, wall, run.pipe.fields, run.pipe.geometry, folder);
}

std::size_t timesIn(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// Every element that is opened is closed, in order. A script's text is not markup.
bool tagsBalance(std::string html) {
  for (std::size_t at = html.find("<script"); at != std::string::npos;
       at = html.find("<script", at)) {
    const std::size_t end = html.find("</script>", at);
    if (end == std::string::npos) return false;
    html.erase(at, end + 9 - at);
  }
  const std::set<std::string> single{"meta", "img", "br", "input", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const bool closing = html[at + 1] == '/';
    const std::size_t start = at + (closing ? 2 : 1);
    const std::string name = html.substr(start, html.find_first_of(" >\n", start) - start);
    if (single.contains(name)) continue;
    if (!closing) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("Pictures: pictures and report are the same bytes on one thread and on two", "[unit]") {
  const Run run = pipeRun();
  const TemporaryFolder one;
  const TemporaryFolder two;
  {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    writeAll(run, one.path());
  }
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  writeAll(run, two.path());
  for (const char* name :
       {"wall_wss.png", "wall_wss_views.png", "wall_pressure.png", "wall_pressure_views.png",
        "streamlines.png", "velocity_slice.png", "velocity_slice_across.png", "pressure_slice.png",
        "convergence.png", "convergence.svg", "monitors.png", "monitors.svg", "report.html"}) {
    CAPTURE(name);
    const std::string bytes = readWhole(one / name);
    CHECK(bytes.size() > 2000);
    CHECK(bytes == readWhole(two / name));
  }
}

TEST_CASE("Pictures: the report is well-formed, fetches nothing and escapes the user's text",
          "[unit]") {
  const Run run = [] {
    Run r = pipeRun();
    r.results.warnings = {"a <script>alert(1)</script> warning"};
    r.results.geometryReport = GeometryReport{};
    r.results.geometryReport->warnings = {"thin <walls>"};
    r.results.openings.front().name = "in & \"out\"";
    r.pipe.fields.caseText = "# </pre><script>x</script>\n[fluid]\n";
    Provenance first = newProvenance("tessera-preprocess");
    first.inputs = {{"a<b>.stl", std::string(32, '0')}};
    r.results.provenance = newProvenance("tessera-postprocess");
    r.results.provenance.history = first.steps();
    return r;
  }();
  const TemporaryFolder folder;
  writeAll(run, folder.path());
  const std::string html = readWhole(folder / "report.html");
  CHECK(tagsBalance(html));
  // The report's own data and script; none of the user's.
  CHECK(timesIn(html, "<script") == 2);
  CHECK(timesIn(html, "</script>") == 2);
  // The name of SVG in the script is no address.
  const std::string svg = "http://www.w3.org/2000/svg";
  std::string named = html;
  if (const auto at = named.find(svg); at != std::string::npos) named.erase(at, svg.size());
  for (const char* fetched : {"http:", "https:", "//cdn", "url(", "@import", "src=\"/", "href="})
    CHECK(named.find(fetched) == std::string::npos);
  CHECK(html.find("pipe &lt;b&gt;&amp;&quot;&#39;") != std::string::npos);
  CHECK(html.find("in &amp; &quot;out&quot;") != std::string::npos);
  CHECK(html.find("a&lt;b&gt;.stl") != std::string::npos);
  CHECK(html.find("&lt;/pre&gt;") != std::string::npos);
  // Warnings of both programs are in the box above the key figures.
  for (const char* warning : {"a &lt;script&gt;", "thin &lt;walls&gt;"}) {
    CHECK(html.find(warning) > html.find("role=\"alert\""));
    CHECK(html.find(warning) < html.find("class=\"figures\""));
  }
  // Oldest step first.
  CHECK(html.find("tessera-preprocess</strong>") < html.find("tessera-postprocess</strong>"));
  CHECK(timesIn(html, "<img ") == 10);
  CHECK(timesIn(html, "<img alt=\"") == 10);
  // Each is enlarged by a tap on narrow screens.
  CHECK(timesIn(html, "<label><input type=\"checkbox\"><img ") == 10);
}

TEST_CASE("Pictures: the report leaves out results that a run does not have", "[unit]") {
  Run run = pipeRun();
  run.results.monitor.rows.resize(1);
  run.results.wall = WallShear{};
  run.results.shear = ShearStatistics{};
  const TemporaryFolder folder;
  writeAll(run, folder.path());
  CHECK_FALSE(fs::exists(folder / "wall_wss.png"));
  CHECK_FALSE(fs::exists(folder / "streamlines.png"));
  CHECK_FALSE(fs::exists(folder / "convergence.png"));
  CHECK_FALSE(fs::exists(folder / "monitors.svg"));
  CHECK(fs::exists(folder / "velocity_slice.png"));
  const std::string html = readWhole(folder / "report.html");
  CHECK(tagsBalance(html));
  CHECK(html.find("Wall shear stress") == std::string::npos);
  CHECK(html.find("Convergence</h2>") == std::string::npos);
}

TEST_CASE("Pictures: the slice is brightest on the pipe's axis and dark at its wall", "[unit]") {
  const Run run = pipeRun();
  const NodeLookup lookup(run.pipe.geometry);
  const auto image =
      drawSlice(run.results, run.pipe.fields, lookup, SliceOf::Speed, SlicePlane::Main);
  REQUIRE(image.has_value());
  const Colour brightest = mapColour(speedColours, 1.0), darkest = mapColour(speedColours, 0.0);
  double bright = 0.0, dark = 0.0;
  const int right = 1500;  // the colour bar lies beyond
  for (int y = 0; y < image->height; ++y)
    for (int x = 0; x < right; ++x) {
      const Colour c = image->at(x, y);
      const auto near = [&](const Colour& other) {
        return std::abs(c.r - other.r) + std::abs(c.g - other.g) + std::abs(c.b - other.b) < 24;
      };
      bright += near(brightest) ? 1.0 : 0.0;
      dark += near(darkest) ? 1.0 : 0.0;
    }
  CHECK(bright > 1000.0);
  CHECK(dark > 1000.0);
}

TEST_CASE("Pictures: residuals are those of the monitor's lines", "[unit]") {
  Run run = pipeRun();
  run.results.monitor.rows = {{0, 0, 0, 0, 0}, {100, 1, -2, 1, 0}, {200, 2, -4, 4, 0}};
  const auto drawing = drawConvergence(run.results);
  REQUIRE(drawing.has_value());
  std::vector<Stroke> curves;
  for (const auto& shape : drawing->shapes)
    if (const auto* stroke = std::get_if<Stroke>(&shape); stroke && stroke->width == 1.8)
      curves.push_back(*stroke);
  // Two flow rates, the change (1 then 0.75); the mass residual has one drawable row only.
  REQUIRE(curves.size() == 3);
  CHECK(curves[0].points.size() == 3);
  REQUIRE(curves[2].points.size() == 2);
  CHECK(curves[2].points[0].y < curves[2].points[1].y);
}

TEST_CASE("Pictures: a pulsatile run is compared with its previous period", "[unit]") {
  Run run = pipeRun();
  run.results.period = 1.0;
  run.results.monitor.rows.clear();
  // The same cycle, of 20 rows, three times, the first one a tenth higher.
  for (int i = 0; i <= 60; ++i) {
    const double q = std::sin(2.0 * 3.14159265358979 * i / 20.0) * (i <= 20 ? 1.1 : 1.0);
    run.results.monitor.rows.push_back({1.0 * i, 0.05 * i, -q, q, 0.0});
  }
  const auto drawing = drawConvergence(run.results);
  REQUIRE(drawing.has_value());
  std::vector<Stroke> curves;
  for (const auto& shape : drawing->shapes)
    if (const auto* stroke = std::get_if<Stroke>(&shape); stroke && stroke->width == 1.8)
      curves.push_back(*stroke);
  // After the two flow rates, on a page 912 wide: nothing before the first period has passed.
  REQUIRE(curves.size() > 2);
  for (std::size_t c = 2; c < curves.size(); ++c)
    CHECK(curves[c].points.front().x > curves[0].points.front().x + 250.0);
}

TEST_CASE("Pictures: the wall's values are those of its triangles, with unit and scale", "[unit]") {
  Run run = pipeRun();
  CHECK(wallValues(run.results).size() == 2);
  CycleShear cycle;
  const std::size_t triangles = run.results.wall.triangle.size();
  cycle.tawss.assign(triangles, 2.0);
  cycle.osi.assign(triangles, 0.25);
  cycle.residence.assign(triangles, 1.0);
  cycle.tawss[0] = cycle.osi[0] = std::nan("");  // not known there
  run.results.cycle = cycle;
  const auto values = wallValues(run.results);
  REQUIRE(values.size() == 5);
  CHECK(values[2].captionWithUnit() == "relative residence time [1/Pa]");
  for (double v : values[2].vertex) CHECK(v == Approx(1.0));
  // Nothing reaches the picture's edge, where it would be cut.
  WallModel model = wallModel(run.results, values[0], viewingSide(run.results, run.pipe.geometry));
  for (const WallValues& of : values) {
    const Image image = drawWall(run.results, of, model);
    bool clear = true;
    for (int y = 0; y < image.height; ++y)
      for (const int x : {0, 8, image.width - 9, image.width - 1})
        clear = clear && image.at(x, y) == image.at(0, 0);
    INFO(of.key);
    CHECK(clear);
  }
  CHECK(values[3].key == "wss");
  CHECK(values[3].titleAndMoment() == "Wall shear stress, at the end of the run");
  CHECK(values[3].vertex == run.results.wall.vertexShear);
  CHECK(values[3].shownScale().lowest == 0.0);  // even stress is shown from zero
  CHECK(values[4].scale.highest > values[4].scale.lowest);
  CHECK(values[0].key == "tawss");
  CHECK(values[0].titleAndMoment() == values[0].title);
  for (double v : values[0].vertex) CHECK(v == Approx(2.0));
  for (double v : values[1].vertex) CHECK((v == 0.0 || v == Approx(0.25)));
  CHECK(values[1].captionWithUnit() == "oscillatory shear index");
  CHECK(values[0].captionWithUnit() == "time-averaged wall shear stress [Pa]");
}

TEST_CASE("Pictures: wall and slices are seen from the same side", "[unit]") {
  const Run run = pipeRun();
  const NodeLookup lookup(run.pipe.geometry);
  const auto values = wallValues(run.results);
  Camera wall =
      wallModel(run.results, values.front(), viewingSide(run.results, run.pipe.geometry)).camera;
  const auto sliceFrom = [&](const Camera& view) {
    return drawSlice(run.results, run.pipe.fields, lookup, SliceOf::Pressure, SlicePlane::Main,
                     view);
  };
  // The pressure falls along the pipe: its ends change places when the wall is seen from behind.
  const auto front = sliceFrom(wall);
  wall.toward = -1.0 * wall.toward;
  wall.right = -1.0 * wall.right;
  const auto behind = sliceFrom(wall);
  REQUIRE(front.has_value());
  REQUIRE(behind.has_value());
  const int middle = static_cast<int>(pageScale * (geometryFrame.left + geometryFrame.width / 2));
  std::size_t mirrored = 0, same = 0, drawn = 0;
  for (int y = 300; y < 1200; y += 3)
    for (int x = -400; x < 400; x += 3) {
      const Colour &a = front->at(middle + x, y), &b = behind->at(middle - 1 - x, y),
                   &c = behind->at(middle + x, y);
      if (a == white) continue;
      ++drawn;
      mirrored += std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) < 20 ? 1U : 0U;
      same += std::abs(a.r - c.r) + std::abs(a.g - c.g) + std::abs(a.b - c.b) < 20 ? 1U : 0U;
    }
  CHECK(drawn > 5000);
  CHECK(mirrored > drawn * 9 / 10);
  CHECK(same < drawn * 6 / 10);
}

TEST_CASE("Pictures: the oscillatory shear index has a scale of its own", "[unit]") {
  Run run = pipeRun();
  CycleShear cycle;
  const std::size_t triangles = run.results.wall.triangle.size();
  cycle.tawss.assign(triangles, 2.0);
  cycle.residence.assign(triangles, 1.0);
  cycle.osi.assign(triangles, 0.01);
  cycle.osi[0] = 0.4;
  run.results.cycle = cycle;
  const auto values = wallValues(run.results);
  REQUIRE(values[1].key == "osi");
  CHECK(values[1].scale.lowest == 0.0);
  CHECK(values[1].scale.highest == Approx(0.01));
  CHECK(values[1].openAbove);
}

TEST_CASE("Pictures: axes have the letters of the patient's sides where the scan gives them",
          "[unit]") {
  CHECK(axisNames("LPS") == std::array<std::string, 3>{"x L", "y P", "z S"});
  CHECK(axisNames("RAS") == std::array<std::string, 3>{"x R", "y A", "z S"});
  CHECK(axisNames("") == std::array<std::string, 3>{"x", "y", "z"});
  CHECK(axisNames("unknown") == std::array<std::string, 3>{"x", "y", "z"});
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  pipe.geometry.frame.space = "LPS";
  CHECK(computeResults(pipe.fields, pipe.geometry, {}).space == "LPS");
}

TEST_CASE("Pictures: captions fit the kind of case", "[unit]") {
  const TiledGeometry rock =
      imageGeometry({24, 24, 24}, {true, true, true}, [](int x, int y, int z) {
        return (x / 3 + y / 3 + z / 3) % 2 == 0 || (x % 3 == 1) || (y % 3 == 1);
      });
  Fields fields = emptyFields(rock);
  for (auto& velocity : fields.velocity) velocity = {0.0F, 0.0F, 1e-4F};
  fields.bodyForce = {0.0, 0.0, 20.0};
  Results results = computeResults(fields, rock, {});
  results.title = "rock";
  REQUIRE(results.permeability);
  const TemporaryFolder folder;
  const auto wall = wallValues(results);
  writePictures(results, wall, fields, rock, folder.path());
  writeReportHtml(results, wall, fields, rock, folder.path());
  const std::string html = readWhole(folder / "report.html");
  CHECK(tagsBalance(html));
  CHECK(html.find("flow through the openings") == std::string::npos);
  CHECK(html.find("from the inlets") == std::string::npos);
  CHECK(html.find("sides of the box") != std::string::npos);
  // Permeability leads, then its companions; wall shear stress comes after.
  double last = 0.0;
  for (const char* title :
       {"<dt>Permeability</dt>", "millidarcy</dt>", "<dt>Porosity</dt>", "<dt>Tortuosity",
        "<dt>Pore Reynolds number", "<dt>Wall shear stress, mean"}) {
    CAPTURE(title);
    const auto at = html.find(title);
    REQUIRE(at != std::string::npos);
    CHECK(static_cast<double>(at) > last);
    last = static_cast<double>(at);
  }
  CHECK(html.find("The medium</h2>") < html.find("The wall in three dimensions</h2>"));
  for (const char* name : {"velocity_histogram.png", "along_the_sample.svg"})
    CHECK(fs::exists(folder / name));
}
