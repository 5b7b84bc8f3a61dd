// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel tables from output of cuobjdump, ptxas and ncu; shares of structures from tables of
// speeds.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;

namespace {

constexpr const char* mangled = "_ZN7tessera10stepKernelINS_7VariantIiEELb0EEEvT_";
constexpr const char* name = "\"stepKernel<Variant<int>, false>\"";

struct Shell {
  const std::string scripts = std::string(TESSERA_SOURCE) + "/tests/bench/";
  TemporaryFolder folder;
  int status = 0;
  std::string out;
  // Command of a script in tests/bench.
  std::string run(const std::string& command) { return runLine(scripts + command); }
  // A program for awk in tests/bench, on a file of this text.
  std::string awk(const std::string& program, const std::string& text) {
    return runLine("awk -f " + scripts + program + " " + file(text));
  }
  std::string runLine(const std::string& line) {
    const std::string path = (folder / "out").string();
    const int code = std::system((line + " >" + path + " 2>&1").c_str());
    status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    return out = readWhole(path);
  }
  std::string file(const std::string& text) {
    writeWhole(folder / "text", text);
    return (folder / "text").string();
  }
};

std::string resources(const std::string& kernel, const std::string& numbers) {
  return "\nFatbin elf code:\n================\narch = sm_90\ncode version = [1,8]\n\nResource "
         "usage:\n Common:\n  GLOBAL:0\n Function " +
         kernel + ":\n  " + numbers +
         " CONSTANT[0]:616 TEXTURE:0 SURFACE:0 SAMPLER:0\n\nFatbin ptx code:\n================\n"
         "arch = sm_75\n Function " +
         kernel + ":\n  REG:1 STACK:0 SHARED:0 LOCAL:0\n";
}

constexpr const char* attributes =
    "Fatbin elf code:\narch = sm_90\n.section .nv.info.%s\n\t<0x1>\n\tAttribute:\t"
    "EIATTR_CUDA_API_VERSION\n\tFormat:\tEIFMT_SVAL\n\tValue:\t0x7c\n\t<0x2>\n\tAttribute:\t"
    "EIATTR_MAX_THREADS\n\tFormat:\tEIFMT_SVAL\n\tValue:\t0x100 0x1 0x1\n";

constexpr const char* sass = R"(
Fatbin elf code:
================
arch = sm_90
	code for sm_90
		Function : %s
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */
                                                            /* 0x000fe20000000800 */
        /*0010*/                   LDG.E.64 R2, desc[UR4][R2.64] ; /* 0x0 */
        /*0020*/                   DFMA R4, R2, R2, R4 ;    /* 0x0 */
        /*0030*/              @!P0 DADD R4, R2, R4 ;        /* 0x0 */
        /*0040*/                   FFMA R4, R2, R2, R4 ;    /* 0x0 */
        /*0050*/                   STL.64 [R1], R4 ;        /* 0x0 */
        /*0060*/                   LDL.64 R4, [R1] ;        /* 0x0 */
        /*0070*/                   SHFL.IDX PT, R4, R5, R6, 0x1f ; /* 0x0 */
        /*0080*/                   IMAD.WIDE R6, R2, 0x6, R8 ; /* 0x0 */
        /*0090*/               @P0 BRA 0x10 ;               /* 0x0 */
        /*00a0*/                   STG.E.64 desc[UR4][R6.64], R4 ; /* 0x0 */
        /*00b0*/                   EXIT ;                   /* 0x0 */
        /*00c0*/                   BRA 0xc0;                /* 0x0 */
        /*00d0*/                   NOP;                     /* 0x0 */
		..........
)";

std::string of(const char* text) {
  std::string all = text;
  return all.replace(all.find("%s"), 2, mangled);
}

}  // namespace

TEST_CASE("Kernel table: resources and instructions of a cuobjdump dump become a line", "[unit]") {
  Shell shell;
  const std::string dump =
      resources(mangled, "REG:90 STACK:16 SHARED:512 LOCAL:8") + of(attributes) + of(sass);
  const std::string table = shell.run("kernel_table.sh " + shell.file(dump));
  CHECK(shell.status == 0);
  CHECK_THAT(table, Catch::StartsWith("kernel,arch,registers,stack_bytes,local_bytes,shared_bytes,"
                                      "spill_stores,spill_loads,threads,blocks_per_sm,occupancy,"
                                      "instructions,fp64,fp32,"));
  // 90 registers: 3072 a warp, so 21 warps, 20 by fours, 2 blocks of 8 of them; 64 fit.
  CHECK_THAT(table, Catch::Contains(std::string(name) +
                                    ",sm_90,90,16,8,512,1,1,256,2,0.250,12,2,1,0,0,0,1,1,1,0,0,1,"
                                    "1,1,2,1\n"));
}

TEST_CASE("Kernel table: registers and spills printed by ptxas become a line", "[unit]") {
  Shell shell;
  const std::string told =
      std::string("ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function '") +
      mangled + "' for 'sm_90'\nptxas info    : Function properties for " + mangled +
      "\n    24 bytes stack frame, 20 bytes spill stores, 28 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 24 bytes cumulative stack size, 4096 "
      "bytes smem, 616 bytes cmem[0]\n";
  const std::string table = shell.run("kernel_table.sh " + shell.file(told));
  CHECK(shell.status == 0);
  // 1280 registers a warp: 51, 48 by fours; 12 blocks of 4 of 64.
  CHECK_THAT(table,
             Catch::Contains(std::string(name) + ",sm_90,40,24,0,4096,20,28,128,12,0.750,,"));
}

TEST_CASE("Kernel table: kernels are chosen by name, and a missing file is reported", "[unit]") {
  Shell shell;
  const std::string dump = resources(mangled, "REG:90 STACK:0 SHARED:0 LOCAL:0");
  const std::string file = shell.file(dump);
  CHECK_THAT(shell.run("kernel_table.sh " + file + " momentKernel"),
             !Catch::Contains("stepKernel"));
  shell.run("kernel_table.sh " + (shell.folder / "none").string());
  CHECK(shell.status == 3);
  CHECK_THAT(shell.out, Catch::Contains("cannot be read"));
}

TEST_CASE("Kernel table: counters of ncu become Table 5 with the paper's values", "[unit]") {
  Shell shell;
  const std::string columns =
      R"("ID","Process ID","Kernel Name","lts__t_sectors_op_read.sum","lts__t_sectors_op_write.sum",)"
      R"("dram__sectors_read.sum","dram__sectors_write.sum","smsp__inst_executed.sum",)"
      R"("smsp__warps_launched.sum")";
  const std::string text =
      "==PROF== Connected\npropagation,XYZ\n" + columns +
      "\n\"\",\"\",\"\",\"sector\",\"sector\",\"sector\",\"sector\",\"inst\",\"warp\"\n"
      "\"0\",\"7\",\"void readWriteKernel<Storage, 0>(int, "
      "int)\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"\n"
      "\"1\",\"7\",\"void readWriteKernel<Storage, 0>(int, "
      "int)\",\"4,800,000\",\"4,750,000\",\"4,700,000\",\"4,600,000\",\"3,125,000\",\"31,250\"\n"
      "\"2\",\"7\",\"void stepKernel<Variant<D3Q19, NoCollision>, 0>(int, "
      "int)\",\"8,000,000\",\"4,750,000\",\"6,000,000\",\"4,600,000\",\"6,250,000\",\"31,250\"\n";
  const std::string counted = shell.file(text);
  writeWhole(shell.folder / "ncu", "#!/bin/sh\ncat " + counted + "\n");
  std::filesystem::permissions(shell.folder / "ncu", std::filesystem::perms::owner_all);
  const std::string path = (shell.folder / "table5_ncu.csv").string();
  setenv("NCU", (shell.folder / "ncu").c_str(), 1);
  shell.run("paper_ncu.sh paper_gpu " + path);
  CHECK(shell.status == 0);
  const std::string table = readWhole(path);
  CHECK_THAT(table, Catch::Contains("\nXYZ,8000000,4750000,6000000,4600000,0.2500,200.0,8188609,"
                                    "7298421,0.1087,673\n"));
  CHECK_THAT(table,
             Catch::Contains("read/write only,4800000,4750000,4700000,4600000,0.0208,100.0,"));
  CHECK_THAT(table, !Catch::Contains("\nXYZ + YXZ,"));
}

TEST_CASE("Kernel table: no table is written where ncu cannot count", "[unit]") {
  Shell shell;
  setenv("NCU", "/bin/false", 1);
  const std::string path = (shell.folder / "table5_ncu.csv").string();
  CHECK_THAT(shell.run("paper_ncu.sh paper_gpu " + path), Catch::Contains("could not count"));
  CHECK(shell.status == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("Shares of structures: the faster order, of structures measured on all geometries",
          "[unit]") {
  std::string table = "geometry,structure,order,collision,precision,backend,bound_fraction\n";
  for (const std::string precision : {"f64", "f32"}) {
    const std::string digit = precision == "f64" ? "1" : "2";
    int number = 0;
    for (const std::string geometry : {"dense:128", "vessel:300", "spheres:160"}) {
      const std::string tail = "," + precision + ",cpu,0." + digit + std::to_string(++number);
      table += geometry + ",lists,curve,bgk" + tail + "0\n";
      table += geometry + ",lists,rows,bgk" + tail + "5\n";
      table += geometry + ",lists,rows,trt" + tail + "9\n";
      if (geometry != "vessel:300") table += geometry + ",dense,rows,bgk" + tail + "0\n";
    }
  }
  Shell shell;
  CHECK(shell.awk("structure_shares.awk", table) ==
        "    {\"lists\", {0.135, 0.125, 0.115}, {0.235, 0.225, 0.215}},\n");
  CHECK(shell.status == 0);
}

TEST_CASE("Times of structures: the fit finds the numbers that the times were made of", "[unit]") {
  std::ostringstream table;
  table.precision(12);
  table << "geometry,fluid_nodes,porosity,utilisation,precision,structure,collision,"
           "bytes_per_node,mflups_median\n";
  for (const std::string precision : {"f64", "f32"})
    for (int k = 1; k <= 6; ++k) {
      const double nodes = 4e5 * k, utilisation = 0.4 + 0.1 * (k % 4), bytes = 340.0;
      const double copy = nodes * bytes / 4.25e12 * 1e6;
      const double time = std::sqrt(copy * copy * (1.25 + 0.5 * (1.0 / utilisation - 1.0)) + 400.0);
      const auto line = [&](const char* collision, double slower) {
        table << "g" << k << "," << nodes << ",0.3," << utilisation << "," << precision << ",tiles,"
              << collision << "," << bytes << "," << nodes / time / slower << "\n";
      };
      line("trt", 1.0);
      line("trt", 1.5);  // in another order of nodes
      line("bgk", 2.0);
    }
  Shell shell;
  CHECK(shell.awk("structure_times.awk", table.str()) ==
        "    {\"tiles\", Empty::Tiles, {1.25, 0.5, 400}, {1.25, 0.5, 400}},\n");
  CHECK(shell.status == 0);
}

TEST_CASE("Times of structures: the fit of parts finds the numbers that the times were made of",
          "[unit]") {
  std::ostringstream table;
  table.precision(12);
  table << "geometry,fluid_nodes,porosity,utilisation,precision,structure,collision,"
           "bytes_per_node,mflups_median,parts\n";
  for (const std::string precision : {"f64", "f32"})
    for (int k = 1; k <= 8; ++k) {
      const double nodes = k == 1 ? 1e4 : 1e6 * k, utilisation = 0.4 + 0.1 * (k % 4);
      const double bytes = 340.0, copy = nodes * bytes / 4.25e12 * 1e6;
      const auto line = [&](const char* structure, const char* collision, double parts,
                            double time) {
        table << "g" << k << "," << nodes << ",0.3," << utilisation << "," << precision << ","
              << structure << "," << collision << "," << bytes << "," << nodes / time << ","
              << parts << "\n";
      };
      const double chunks = 10 + k, layers = 2000 + 300 * (k % 3);
      line(
          "tiles-in-place", "trt", chunks,
          std::max(4.5 * chunks, copy * (1.02 + 0.125 * (1.0 / utilisation - 1.0)) + 2.5 * chunks));
      line("tiles-moments", "regularised", layers, 0.25 * copy + 0.03125 * layers + 8.0);
    }
  Shell shell;
  const std::string chunks = "{1.02, 0.125, 2.5, 0, 4.5}", layers = "{0.25, 0, 0.03125, 8, 0}";
  CHECK(shell.awk("structure_times.awk", table.str()) ==
        "    {\"tiles-in-place\", " + chunks + ", " + chunks + "},\n    {\"tiles-moments\", " +
            layers + ", " + layers + "},\n");
  CHECK(shell.status == 0);
}
