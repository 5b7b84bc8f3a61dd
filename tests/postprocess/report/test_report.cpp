// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of report.html: check of the surface, tables.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "postprocess/fields/last_period.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/cycles.hpp"
#include "postprocess/quantity/geometry_report.hpp"
#include "postprocess/quantity/run_record.hpp"
#include "postprocess/report/result_tables.hpp"
#include "postprocess/report/run_tables.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/write/write.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::report;
using namespace tessera::postprocess::results;
using namespace tessera::postprocess::write;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::test;

TEST_CASE("Report: the health of a surface is computed from its triangles", "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 24.0});
  const SurfaceCheck whole = checkSurface(pipe.geometry);
  const double volume = 3.14159265 * pipe.radius() * pipe.radius() * pipe.length();
  CHECK(whole.openEdges == 0);
  CHECK(whole.volume == Approx(volume).epsilon(0.001));
  CHECK(whole.nodeVolume == Approx(volume).epsilon(0.03));
  CHECK(whole.area ==
        Approx(2.0 * 3.14159265 * pipe.radius() * (pipe.length() + pipe.radius())).epsilon(0.001));
  auto& surface = pipe.geometry.surface;
  surface.vertex.insert(surface.vertex.end(), {{3, 3, 3}, {4, 3, 3}, {3, 4, 3}});
  const auto last = static_cast<std::uint32_t>(surface.vertex.size());
  surface.triangle.push_back({last - 3, last - 2, last - 1});
  surface.label.push_back(0);
  surface.sheetTriangles = 1;
  CHECK(checkSurface(pipe.geometry).openEdges == 0);
  CHECK(checkSurface(pipe.geometry).area == whole.area);
  CHECK(surfaceTable(pipe.geometry).find("Sheets") != std::string::npos);
  surface.triangle.pop_back();
  surface.label.pop_back();
  surface.sheetTriangles = 0;
  pipe.geometry.surface.triangle.pop_back();
  CHECK(checkSurface(pipe.geometry).openEdges == 3);
  CHECK(surfaceTable(pipe.geometry).find("no, 3 edges") != std::string::npos);
}

TEST_CASE("Report: over the last period a pulsatile run has means, extremes and a Womersley number",
          "[unit]") {
  Results results;
  results.kinematicViscosity = 1e-6;
  results.period = 2.0;
  results.openings.resize(2);
  for (int id : {1, 2}) {
    OpeningSummary& opening = results.openings[static_cast<std::size_t>(id - 1)];
    opening.id = id;
    opening.radius = 1e-3;
    opening.diameter = 2e-3;
    opening.area = 3.14159265e-6;
  }
  results.monitor.columns = {"step",           "time[s]",           "flow_rate_1[m3/s]",
                             "pressure_1[Pa]", "flow_rate_2[m3/s]", "pressure_2[Pa]",
                             "mach_max"};
  for (int i = 0; i <= 60; ++i) {
    const double wave = std::sin(2.0 * 3.14159265358979 * i / 20.0);
    // Before the last period everything was ten times as large.
    const double size = i < 40 ? 10.0 : 1.0;
    results.monitor.rows.push_back({10.0 * i, 0.1 * i, size * (-3e-6 - 1e-6 * wave),
                                    size * (100.0 + wave), size * (2.9e-6 + 2e-6 * wave), 0.0,
                                    size * 0.01});
  }
  const auto flow = overPeriod(results, "flow_rate_1[");
  REQUIRE(flow.has_value());
  CHECK(flow->mean == Approx(-3e-6));
  CHECK(flow->least == Approx(-4e-6));
  CHECK(flow->largest == Approx(-2e-6));
  CHECK(overPeriod(results, "mach_max")->largest == Approx(0.01));
  CHECK_FALSE(overPeriod(results, "temperature"));
  results.openings[0].flowRate = 5e-6;  // at the end of the run
  CHECK(openingsOverPeriod(results)[0].flowRate == Approx(-3e-6));
  CHECK(openingsOverPeriod(results)[1].flowRate == Approx(2.9e-6));
  CHECK(massResidualOverPeriod(results).value() == Approx(0.1 / 3.0));
  // R (omega/nu)^1/2 = 1e-3 (pi/1e-6)^1/2 = 1.77; Reynolds at the peak 4e-6/area * 2e-3/1e-6.
  results.cycleFlow = cycleFlow(results);
  REQUIRE(results.cycleFlow.has_value());
  // The inlet's mean pressure is 100 Pa, the outlet's 0.
  CHECK(results.cycleFlow->pressureDrop->mean == Approx(100.0));
  CHECK(results.cycleFlow->pressureDrop->largest == Approx(101.0));
  CHECK(results.cycleFlow->pressureDrop->least == Approx(99.0));
  CHECK(results.cycleFlow->inflowMean == Approx(3e-6));
  CHECK(results.cycleFlow->inflowPeak == Approx(4e-6));
  CHECK(results.cycleFlow->resistance.value() == Approx(100.0 / 3e-6));
  const std::string table = periodTable(results);
  CHECK(table.find("1.77") != std::string::npos);
  CHECK(table.find("2546") != std::string::npos);
  // A column has one unit, that of its largest value.
  results.openings[0].meanVelocity = 0.22;
  results.openings[1].meanVelocity = 0.05;
  const std::string atEnd = openingsTable(results);
  CHECK(atEnd.find("<td>0.220 m/s</td>") != std::string::npos);
  CHECK(atEnd.find("<td>0.0500 m/s</td>") != std::string::npos);
  // A Stokes layer of 2^1/2 10 / 1.77 = 8 nodes: 8^-3 of the swing; no note without a cycle.
  results.spacing = 1e-4;
  CHECK(stokesLayerNote(results).empty());
  results.cycle = CycleShear{};
  CHECK(stokesLayerNote(results).find("0.20 %") != std::string::npos);
  results.pressureDrop = 7.0;
  nlohmann::json summary = nlohmann::json::parse(summaryJson(results));
  CHECK(summary.at("pressure_drop_pa").get<double>() == Approx(100.0));
  CHECK(summary.at("pressure_drop_peak_pa").get<double>() == Approx(101.0));
  CHECK(summary.at("pressure_drop_at_end_pa") == 7.0);
  CHECK(summary.at("pressure_drop_of") == "mean over the last period");
  CHECK(keyFigures(results, {}).find("mean over the last period</dt><dd>100") != std::string::npos);
  // Speeds and Reynolds numbers are of the peak: Mach 0.01 of nodes of 0.1 mm a step of 10 ms.
  results.time = 6.0;
  results.step = 600;
  results.machMax = 0.01;
  CHECK(largestVelocity(results) == Approx(0.01 / std::sqrt(3.0) * 1e-4 / 0.01));
  CHECK(largestReynolds(results) == Approx(4.9e-6 / 3.14159265e-6 * 2e-3 / 1e-6));
  CHECK(momentOf(results) == ", of the last period");
  // Two rows a period are no course of it.
  results.monitor.rows.erase(results.monitor.rows.begin() + 42, results.monitor.rows.end() - 1);
  results.cycleFlow = cycleFlow(results);
  CHECK_FALSE(results.cycleFlow);
  summary = nlohmann::json::parse(summaryJson(results));
  CHECK(summary.at("pressure_drop_pa") == 7.0);
  CHECK(summary.at("pressure_drop_of") == "end of the run");
  results.period.reset();
  CHECK(periodTable(results).empty());
  CHECK_FALSE(cycleFlow(results));
  CHECK_FALSE(massResidualOverPeriod(results));
}

TEST_CASE("Report: means over the last period are of exactly one period, at any sampling",
          "[unit]") {
  // m + a sin(2 pi t / T) + b t: the mean over the period that ends at t1 is m + b (t1 - T / 2).
  const double rowsAPeriod = GENERATE(4.9, 7.3, 50.0, 50.5);
  const double m = 3.0, a = 2.0, b = GENERATE(0.0, 0.7);
  Results results;
  results.period = 0.8;
  results.monitor.columns = {"step", "time[s]", "flow_rate_1[m3/s]"};
  const double spacing = *results.period / rowsAPeriod;
  const int rows = static_cast<int>(3.4 * rowsAPeriod);
  for (int i = 1; i <= rows; ++i) {
    const double t = i * spacing;
    const double wave = std::sin(2.0 * 3.14159265358979 * t / *results.period);
    results.monitor.rows.push_back({10.0 * i, t, m + a * wave + b * t});
  }
  const PeriodCourse course = lastPeriod(results, "flow_rate_1[");
  const double end = rows * spacing;
  REQUIRE_FALSE(course.time.empty());
  CHECK(course.time.back() == Approx(end));
  CHECK(course.time.back() - course.time.front() == Approx(*results.period));
  // Error of trapezoids from the curvature in the cut row: 0.22 % of the wave at 4.9 rows; of the
  // ramp none.
  CHECK(overPeriod(course).mean ==
        Approx(m + b * (end - 0.5 * *results.period)).margin(0.003 * a).epsilon(0.0));
  // A period that began before the first row is not a whole one.
  results.period = end - 0.5 * spacing;
  CHECK_FALSE(overPeriod(results, "flow_rate_1["));
}

TEST_CASE("Report: a coarse opening is warned about", "[unit]") {
  AnalyticPipe pipe = analyticPipe({3.5, 24.0});
  const auto warnings = computeResults(pipe.fields, pipe.geometry, {}).warnings;
  std::size_t said = 0;
  for (const std::string& warning : warnings)
    said += warning.find("7.0 nodes") != std::string::npos ? 1U : 0U;
  CHECK(said == 2);  // both ends
}

TEST_CASE("Report: the error of a plane inside at rest is given with the flow of the beat",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 24.0});
  const auto saysInside = [&] {
    std::size_t said = 0;
    for (const std::string& warning : computeResults(pipe.fields, pipe.geometry, {}).warnings)
      said += warning.find("plane") != std::string::npos ? 1U : 0U;
    return said;
  };
  CHECK(saysInside() == 0);
  // A fifth more through the links than through the planes.
  const double flow = 1.2 * pipe.flowRate();
  pipe.fields.openings[0].flowRate = -flow;
  pipe.fields.openings[1].flowRate = flow;
  CHECK(saysInside() == 2);
  // The same at the end of a beat with ten times the flow at its peak.
  MeanFields means;
  means.lastStep = 100;
  pipe.fields.means = means;
  pipe.fields.timeStep = 1e-3;
  const double period = 0.1;
  pipe.fields.monitorColumns = {"step",           "time[s]",           "flow_rate_1[m3/s]",
                                "pressure_1[Pa]", "flow_rate_2[m3/s]", "pressure_2[Pa]"};
  for (int i = 1; i <= 20; ++i) {
    const double now = flow * (i == 15 ? 10.0 : 1.0);
    for (const double value : {1.0 * i, 0.1 * i * period, -now, 1.0, now, 0.0})
      pipe.fields.monitorRows.push_back(value);
  }
  REQUIRE(computeResults(pipe.fields, pipe.geometry, {}).cycleFlow);
  CHECK(saysInside() == 0);
}

TEST_CASE("Report: the surface's report by preprocess is in the page if it is of this geometry",
          "[unit]") {
  const TemporaryFolder folder;
  const TiledGeometry geometry =
      imageGeometry({4, 4, 4}, {true, true, true}, [](int, int, int) { return true; });
  const auto write = [&](const std::string& name, const std::string& nodes,
                         const std::string& health) {
    std::ofstream(folder.path() / name)
        << "{\"nodes\":[4,4," << nodes
        << "],\"fluid_nodes\":64,\"spacing_m\":" << geometry.frame.spacing
        << ",\"repairs\":{\"holes_filled\":3,\"flipped\":0},\"warnings\":[\"thin <walls>\"],"
           "\"health\":"
        << health << "}";
    return folder.path() / name;
  };
  const auto side = [](int open) {
    return "{\"triangles\":90,\"open_edges\":" + std::to_string(open) +
           ",\"open_loops\":1,\"non_manifold_edges\":0,\"winding\":\"consistent\","
           "\"self_intersections\":null,\"degenerate_triangles\":0,\"slivers\":2}";
  };
  const std::string health =
      "{\"verdict\":\"repaired\",\"as_read\":" + side(17) + ",\"repaired\":" + side(0) + "}";
  Results results;
  CHECK(geometryReportTable(results).empty());
  results.geometryReport = readGeometryReport(write("good.json", "4", health), geometry);
  CHECK(results.geometryReport->hash.size() == 32);
  const std::string table = geometryReportTable(results);
  for (const char* part : {"repaired", "holes filled", "<td>17</td>"})
    CHECK(table.find(part) != std::string::npos);
  CHECK(table.find("flipped") == std::string::npos);
  CHECK(table.find("thin") == std::string::npos);  // warnings are in the box of the page
  // Images have no health.
  CHECK(readGeometryReport(write("image.json", "4", "null"), geometry).health.empty());

  const auto other = write("geom.preprocess.json", "5", health);
  checkError(ExitCode::BadInput, [&] { readGeometryReport(other, geometry); }, {"geometry"});
  CHECK_FALSE(findGeometryReport({}, folder.path() / "geom.tiles", geometry));
  write("geom.preprocess.json", "4", health);
  CHECK(findGeometryReport({}, folder.path() / "geom.tiles", geometry)->verdict == "repaired");
  CHECK_FALSE(findGeometryReport({}, folder.path() / "none.tiles", geometry));
  const auto broken = write("broken.json", "4", "{");
  checkError(ExitCode::BadInput, [&] { readGeometryReport(broken, geometry); },
             {"tessera-preprocess"});
  checkError(ExitCode::BadInput, [&] { findGeometryReport("none.json", "geom.tiles", geometry); },
             {"does not exist"});
}

TEST_CASE("Report: run time, machine and date are those of the solver's report of this run",
          "[unit]") {
  const TemporaryFolder folder;
  Fields fields;
  fields.step = 100;
  fields.variant = "d3q19";
  fields.pressure.resize(64);
  const auto write = [&](const std::string& name, int steps, const std::string& machine) {
    std::ofstream(folder.path() / name)
        << "{\"steps\":" << steps
        << ",\"fluid_nodes\":64,\"variant\":\"d3q19\",\"seconds\":16.4,\"mflups\":35.2" << machine
        << "}";
    return folder.path() / name;
  };
  const std::string machine = ",\"machine\":\"a <b> CPU\",\"finished\":\"2026-03-01 12:00\"";
  Results results;
  results.runRecord = findRunRecord(write("good.json", 100, machine), "x.fields", fields);
  REQUIRE(results.runRecord);
  CHECK(results.runRecord->seconds == 16.4);
  const std::string table = flowTable(results, fields);
  for (const char* part : {"16.4 s", "35.2 MFLUPS", "a &lt;b&gt; CPU", "2026-03-01 12:00 UTC"})
    CHECK(table.find(part) != std::string::npos);
  // Summary and tables depend on files and options alone.
  CHECK(summaryJson(results).find("CPU") == std::string::npos);
  // Older reports have neither machine nor date.
  results.runRecord = findRunRecord(write("old.json", 100, ""), "x.fields", fields);
  CHECK(flowTable(results, fields).find("Computed on") == std::string::npos);
  const auto other = write("other.json", 99, machine);
  checkError(ExitCode::BadInput, [&] { findRunRecord(other, "x.fields", fields); },
             {"another run"});
  checkError(ExitCode::BadInput, [&] { findRunRecord("none.json", "x.fields", fields); },
             {"does not exist"});
  std::ofstream(folder.path() / "broken.json") << "{\"steps\":\"many\"}";
  checkError(ExitCode::BadInput,
             [&] { findRunRecord(folder.path() / "broken.json", "x.fields", fields); },
             {"tessera-solver"});
  // Without the option the report next to the fields counts, if it is of this run.
  CHECK_FALSE(findRunRecord({}, folder.path() / "run.fields", fields));
  write("run.solver.json", 99, machine);
  CHECK_FALSE(findRunRecord({}, folder.path() / "run.fields", fields));
  write("run.solver.json", 100, machine);
  CHECK(findRunRecord({}, folder.path() / "run.fields", fields)->machine == "a <b> CPU");
  // One that an earlier run of the same case has left is of other bytes.
  fields.contentHash = "of this run";
  write("run.solver.json", 100, machine + R"(,"fields_hash":"of another")");
  CHECK_FALSE(findRunRecord({}, folder.path() / "run.fields", fields));
  write("run.solver.json", 100, machine + R"(,"fields_hash":"of this run")");
  CHECK(findRunRecord({}, folder.path() / "run.fields", fields));
  // Only .fields is an ending.
  write("tau-0.6.solver.json", 100, machine);
  CHECK(findRunRecord({}, folder.path() / "tau-0.6", fields));
  CHECK_FALSE(findRunRecord({}, folder.path() / "tau-0.7", fields));
}

TEST_CASE("Report: pressures are in mmHg too where the case states them so, in one unit a column",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  pipe.fields.pressureReference = 80.0 * 133.322387415;
  for (OpeningResult& opening : pipe.fields.openings)
    opening.meanPressure += pipe.fields.pressureReference;
  const std::string plain = openingsTable(computeResults(pipe.fields, pipe.geometry, {}));
  CHECK(plain.find("mmHg") == std::string::npos);
  pipe.fields.caseText = "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"80 mmHg\"\n";
  Results results = computeResults(pipe.fields, pipe.geometry, {});
  const std::string table = openingsTable(results);
  CHECK(table.find("80.0 mmHg") != std::string::npos);
  const std::string terminal = tableForPeople(results, "out");
  CHECK(terminal.find(" mmHg ") != std::string::npos);
  CHECK(terminal.find(" 80.0 ") != std::string::npos);
  // A small flow next to a large one.
  results.openings[0].flowRate = -3e-6;
  results.openings[1].flowRate = 2e-9;
  const std::string console = tableForPeople(results, "out");
  CHECK(console.find("ml/s") != std::string::npos);
  CHECK(console.find(" 0.002 ") != std::string::npos);
  CHECK(console.find("mm3/s") == std::string::npos);
  CHECK(openingsTable(results).find("\u00b5l/s") == std::string::npos);
}

TEST_CASE("Report: forces are in one unit a column, and what is lost beside its largest is 0",
          "[unit]") {
  Results results;
  results.forces = {{0, "wall", Double3{5.784e-4, 3.568e-4, -1e-12}, {}, {}, {}},
                    {1, "stent", Double3{2e-8, 0.0, 1e-5}, {}, {}, {}}};
  const std::string table = forcesTable(results);
  CHECK_THAT(table, Catch::Contains("0.578, 0.357, 0 mN") && Catch::Contains(", 0.0100 mN"));
  CHECK_THAT(table, !Catch::Contains("\u00d7"));
}
