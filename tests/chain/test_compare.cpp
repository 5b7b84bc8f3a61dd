// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-compare as a user calls it, on summaries written here.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Json summaryOf(double spacing, double drop) {
  return {{"schema_version", 1},
          {"run",
           {{"fields", "x.fields"},
            {"variant", "D3Q19 trt"},
            {"nodes", {10, 11, 12}},
            {"spacing_m", spacing},
            {"fluid_nodes", std::round(1e-9 / std::pow(spacing, 3))},
            {"velocity_max_m_s", 0.5}}},
          {"openings",
           {{{"id", 7}, {"name", "in, let"}, {"flow_rate_m3_s", -drop}, {"normal", {0, 0, 1}}}}},
          {"planes", {{{"name", "neck"}, {"area_m2", 2.0}}}},
          {"pressure_drop_pa", drop},
          {"long", std::vector<double>(10, 1.0)},
          {"absent", nullptr},
          {"warnings", {"something"}}};
}

void writeRun(const WorkFolder& work, const std::string& name, const Json& summary) {
  fs::create_directory(work.path(name));
  work.write(name + "/summary.json", summary.dump());
  const std::string scale = std::to_string(summary.at("pressure_drop_pa").get<double>());
  work.write(name + "/monitor.csv",
             "step,time[s],flow_rate_7[m3/s],density_min\n0,0,0,1\n10,1," + scale + ",1\n");
}

// Pressure drops 4 + 0.25 h^2 in millimetres.
void writeThree(const WorkFolder& work) {
  writeRun(work, "coarse.out", summaryOf(4e-5, 4.0 + 4.0));
  writeRun(work, "medium.out", summaryOf(2e-5, 4.0 + 1.0));
  writeRun(work, "fine.out", summaryOf(1e-5, 4.0 + 0.25));
}

}  // namespace

TEST_CASE(
    "tessera-compare: three spacings give order, Richardson's value and error bar of every number",
    "[pipeline]") {
  const WorkFolder work;
  writeThree(work);
  const auto said =
      work.mustRun("tessera-compare coarse.out medium.out fine.out/summary.json -o c");
  CHECK_THAT(said.output, Catch::Contains("pressure_drop_pa") && Catch::Contains("monotone"));
  const Json found = work.json("c/summary.json");
  CHECK(found.at("mesh_study") == Json{"fine", "medium", "coarse"});
  const Json drop = found.at("quantities").at("pressure_drop_pa");
  CHECK(drop.at("values") == Json{8.0, 5.0, 4.25});
  CHECK(drop.at("relative_differences")[1].get<double>() == Approx(-3.0 / 8.0));
  CHECK(drop.at("half_range").get<double>() == Approx(1.875));
  CHECK(drop.at("convergence").at("order").get<double>() == Approx(2.0));
  CHECK(drop.at("convergence").at("extrapolated").get<double>() == Approx(4.0));
  CHECK(drop.at("convergence").at("uncertainty").get<double>() == Approx(1.25 * 0.25));
  const Json& all = found.at("quantities");
  CHECK(all.at("openings[7].flow_rate_m3_s").at("convergence").at("order").get<double>() ==
        Approx(2.0));
  CHECK(all.at("openings[7].normal.z").at("values")[0] == 1.0);
  CHECK(all.at("planes[neck].area_m2").at("convergence").at("approach") == "unchanged");
  CHECK_FALSE(all.at("run.nodes.x").contains("convergence"));
  for (const char* passedOver : {"long.0", "absent", "openings[7].id", "schema_version"})
    CHECK_FALSE(all.contains(passedOver));
  for (const char* picture : {"c/monitors.png", "c/monitors.svg", "c/mesh_convergence.svg"})
    CHECK(fs::file_size(work.path(picture)) > 1000);
  CHECK_THAT(readWhole(work.path("c/monitors.svg")), Catch::Contains("medium") &&
                                                         Catch::Contains("flow rate 7") &&
                                                         !Catch::Contains("density"));
}

TEST_CASE("tessera-compare: error bars know the errors that the finest run expects", "[pipeline]") {
  const WorkFolder work;
  writeThree(work);
  Json fine = summaryOf(1e-5, 4.25);
  fine["expected_error"] = {{"pressure_drop_pa", 0.3}, {"openings[7].normal", 0.02}};
  fine["expected_error_kept"] = {{"pressure_drop_pa", 0.1}, {"openings[7].normal", 0.005}};
  writeRun(work, "fine.out", fine);
  work.mustRun("tessera-compare coarse.out medium.out fine.out -o three");
  const Json three = work.json("three/summary.json").at("quantities");
  // 0.8 of the part by resolution, and the part that stays.
  CHECK(three.at("pressure_drop_pa").at("convergence").at("uncertainty").get<double>() ==
        Approx(4.25 * (0.8 * 0.2 + 0.1)));
  CHECK(three.at("openings[7].normal.z").at("convergence").at("uncertainty").get<double>() ==
        Approx(0.8 * 0.015 + 0.005));
  CHECK_FALSE(three.contains("expected_error.pressure_drop_pa"));
  work.mustRun("tessera-compare medium.out fine.out -o two");
  const Json two = work.json("two/summary.json");
  CHECK(two.at("mesh_study") == Json{"fine", "medium"});
  const Json bar = two.at("quantities").at("pressure_drop_pa").at("convergence");
  CHECK(bar.at("approach") == "two spacings");
  CHECK(bar.at("uncertainty").get<double>() == Approx(4.25 * (1.25 * 0.2 + 0.1)));
}

TEST_CASE("tessera-compare: two runs give differences from the first, and the same bytes again",
          "[pipeline]") {
  const WorkFolder work;
  writeThree(work);
  fs::create_directory(work.path("b"));
  writeRun(work, "b/fine.out", summaryOf(1e-5, 4.5));
  work.mustRun("tessera-compare fine.out b/fine.out -o one --threads 1 --report r.json");
  work.mustRun("tessera-compare fine.out b/fine.out -o two");
  for (const auto& entry : fs::directory_iterator(work.path("one"))) {
    const std::string name = entry.path().filename().string();
    CHECK(readWhole(entry.path()) == readWhole(work.path("two/" + name)));
  }
  CHECK(readWhole(work.path("r.json")) == readWhole(work.path("one/summary.json")));
  const Json found = work.json("one/summary.json");
  CHECK(found.at("runs")[1].at("name") == "fine(2)");
  CHECK(found.at("mesh_study").empty());
  CHECK_FALSE(found.at("quantities").at("pressure_drop_pa").contains("convergence"));
  const std::string table = readWhole(work.path("one/comparison.csv"));
  CHECK_THAT(table, Catch::StartsWith("quantity,fine(1),fine(2),relative_difference_fine(1),"));
  CHECK_THAT(table, Catch::Contains("\npressure_drop_pa,4.25,4.5,0,0.0588235294117647"));
  CHECK_THAT(readWhole(work.path("one/values.csv")),
             Catch::Contains("\nfine(2),pressure_drop_pa,4.5\n"));
  CHECK_FALSE(fs::exists(work.path("one/mesh_convergence.svg")));
}

TEST_CASE("tessera-compare: a mesh study of runs that also differ otherwise is warned about",
          "[pipeline]") {
  const WorkFolder work;
  writeThree(work);
  Json other = summaryOf(1e-5, 4.25);
  other["run"]["variant"] = "D3Q27 cumulant";
  other["run"]["fluid_nodes"] = 5e5;
  other.erase("planes");
  writeRun(work, "fine.out", other);
  const auto said = work.mustRun("tessera-compare coarse.out medium.out fine.out -o c");
  CHECK_THAT(said.errors, Catch::Contains("variant") && Catch::Contains("volume"));
  CHECK(work.json("c/summary.json").at("quantities").at("planes[neck].area_m2").at("values")[2] ==
        Json());
}

namespace {

// Summary of a run with a period of 2 s; drop: mean over the last period, otherwise of the last
// moment.
Json pulsatileSummary(double drop, double dropAtEnd, double time, bool overPeriod) {
  Json summary = summaryOf(1e-5, dropAtEnd);
  summary["run"]["period_s"] = 2.0;
  summary["run"]["time_s"] = time;
  summary["pressure_drop_pa"] = overPeriod ? drop : dropAtEnd;
  summary["pressure_drop_at_end_pa"] = dropAtEnd;
  summary["pressure_drop_of"] = overPeriod ? "mean over the last period" : "end of the run";
  summary["tawss_pa"] = {{"mean", 3.0}};
  summary["wss_pa"] = {{"mean", 4.0}};
  summary["openings"][0]["area_m2"] = 5.0;
  if (overPeriod)
    summary["over_last_period"] = {
        {"openings", {{{"id", 7}, {"flow_rate_m3_s", {{"mean", -drop}, {"least", -9.0}}}}}}};
  return summary;
}

}  // namespace

TEST_CASE("tessera-compare: means over a period and values at the end have different names",
          "[pipeline]") {
  const WorkFolder work;
  writeRun(work, "rest.out", summaryOf(1e-5, 4.0));
  writeRun(work, "beat.out", pulsatileSummary(6.0, 1.0, 8.0, true));
  writeRun(work, "short.out", pulsatileSummary(0.0, 1.5, 8.0, false));
  writeRun(work, "other.out", pulsatileSummary(7.0, 2.0, 8.5, true));
  auto said = work.mustRun("tessera-compare rest.out beat.out short.out -o c");
  CHECK_THAT(said.errors, Catch::Contains("steady"));
  CHECK_THAT(said.errors, !Catch::Contains("%"));
  CHECK_THAT(said.output, Catch::Contains("over_last_period.openings[7].flow_rate_m3_s.mean ") &&
                              !Catch::Contains("at_end"));
  const Json all = work.json("c/summary.json").at("quantities");
  const auto valuesOf = [&](const char* name) { return all.at(name).at("values"); };
  CHECK(valuesOf("pressure_drop_pa") == Json{4.0, 6.0, nullptr});
  CHECK(valuesOf("pressure_drop_at_end_pa") == Json{nullptr, 1.0, 1.5});
  CHECK(valuesOf("openings[7].flow_rate_m3_s") == Json{-4.0, nullptr, nullptr});
  CHECK(valuesOf("at_end.openings[7].flow_rate_m3_s") == Json{nullptr, -1.0, -1.5});
  CHECK(valuesOf("over_last_period.openings[7].flow_rate_m3_s.mean") ==
        Json{nullptr, -6.0, nullptr});
  CHECK(valuesOf("at_end.wss_pa.mean") == Json{nullptr, 4.0, 4.0});
  CHECK(valuesOf("at_end.run.velocity_max_m_s") == Json{nullptr, 0.5, 0.5});
  // Constants and means over a period keep their names.
  CHECK(valuesOf("openings[7].normal.z") == Json{1.0, 1.0, 1.0});
  CHECK(valuesOf("openings[7].area_m2") == Json{nullptr, 5.0, 5.0});
  CHECK(valuesOf("tawss_pa.mean") == Json{nullptr, 3.0, 3.0});

  said = work.mustRun("tessera-compare beat.out other.out -o c");
  CHECK_THAT(said.errors, Catch::Contains("(25.0 %, 0.0 %)") && !Catch::Contains("steady"));
}

TEST_CASE("tessera-compare: whole numbers beyond 63 bits are no internal error", "[pipeline]") {
  const WorkFolder work;
  Json summary = summaryOf(1e-5, 4.0);
  summary["openings"][0]["id"] = 18446744073709551615U;
  summary["schema_version"] = 18446744073709551615U;
  writeRun(work, "a.out", summary);
  writeRun(work, "b.out", summary);
  work.mustRun("tessera-compare a.out b.out -o c");
  CHECK(work.json("c/summary.json")
            .at("quantities")
            .contains("openings[18446744073709551615].flow_rate_m3_s"));
  writeRun(work, "b.out", summaryOf(1e-5, 4.0));
  const auto refused = work.run("tessera-compare a.out b.out -o d");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.errors, Catch::Contains("format 1 and a of format 18446744073709551615"));
}

TEST_CASE("tessera-compare: folders that are no run are refused in one sentence", "[pipeline]") {
  const WorkFolder work;
  writeThree(work);
  const std::string to = " coarse.out -o c";
  const auto refused = [&](const std::string& arguments, int code, const std::string& words) {
    checkRefused(work, "tessera-compare " + arguments, code, words);
  };
  refused("coarse.out -o c", 2, "two");
  refused("none.out" + to, 3, "none.out");
  fs::create_directory(work.path("bad.out"));
  refused("bad.out" + to, 3, "summary.json");
  for (const std::string text : {"", "{", "[1,2", "{\"a\": 1e999}", "\xff"}) {
    work.write("bad.out/summary.json", text);
    refused("bad.out" + to, 3, "JSON");
  }
  for (const std::string text :
       {"{}", "[]", "3", R"({"schema_version":1,"run":{"spacing_m":"1"}})"}) {
    work.write("bad.out/summary.json", text);
    refused("bad.out" + to, 3, "run.spacing_m");
  }
  Json odd = summaryOf(1e-5, 1.0);
  odd["run"]["spacing_m"] = -1.0;
  writeRun(work, "bad.out", odd);
  refused("bad.out" + to, 3, "run.spacing_m");
  odd = summaryOf(1e-5, 1.0);
  odd["planes"] = {{{"name", "a"}, {"area_m2", 1}}, {{"name", "a"}, {"area_m2", 2}}};
  writeRun(work, "bad.out", odd);
  refused("bad.out" + to, 3, "planes[a].area_m2");
  odd = summaryOf(1e-5, 1.0);
  for (int i = 0; i < 40; ++i) odd["deep"] = {{"deeper", odd["deep"]}};
  writeRun(work, "bad.out", odd);
  refused("bad.out" + to, 3, "16");
  odd = summaryOf(1e-5, 1.0);
  odd["schema_version"] = 2;
  writeRun(work, "bad.out", odd);
  refused("bad.out" + to, 3, "2");
  writeRun(work, "bad.out", summaryOf(1e-5, 1.0));
  work.write("bad.out/monitor.csv", "step,time[s]\n0,0\n1,x\n");
  refused("bad.out" + to, 3, "monitor.csv:3");
  work.mustRun("tessera-compare coarse.out fine.out -o done");
  refused("done coarse.out -o c", 3, "done");
  refused("coarse.out fine.out -o fine.out", 2, "fine.out");
  refused("coarse.out fine.out -o .", 2, "contains other files");
  CHECK_THAT(work.mustRun("tessera-compare coarse.out fine.out --plan").output,
             Catch::Contains("2"));
}
