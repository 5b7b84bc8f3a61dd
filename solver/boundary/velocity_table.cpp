// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/velocity_table.hpp"

#include <optional>

#include "pipelines/stage/io/provenance.hpp"
#include "solver/boundary/csv_text.hpp"

namespace tessera::solver::boundary {

namespace {

constexpr std::uintmax_t largestTable = std::uintmax_t{512} << 20U;
constexpr std::size_t mostRows = 5'000'000;
constexpr std::size_t mostTimes = 256;
constexpr double largestEntry = 1e9;  // in SI units
const std::string exampleHeader = "a header such as x[m],y[m],z[m],u[m/s],v[m/s],w[m/s]";

struct TableColumn {
  const char* name;
  stage::Dimension dimension;
  std::optional<std::size_t> index = {};
  double factor = 1.0;
  double value = 0.0;  // of the row being read; 0 of a column that is absent
};

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& name) : lines_(text, name) {}

  VelocityTable read() {
    readHeader();
    std::string_view line;
    while (lines_.next(line)) addRow(line);
    if (rows_ == 0) lines_.refuse("no rows of numbers", "a point a row");
    closeFrame();
    return std::move(out_);
  }

 private:
  enum Word : std::size_t { X, Y, Z, U, V, W, Normal, Time };

  bool has(Word word) const { return columns_[word].index.has_value(); }

  void readHeader() {
    std::string_view line;
    if (!lines_.next(line)) lines_.refuse("the file is empty", exampleHeader);
    cells_ = forCells(line, [&](std::size_t k, std::string_view cell) {
      const std::string_view word = trimmed(cell.substr(0, cell.find('[')));
      for (TableColumn& column : columns_) {
        if (word != column.name) continue;
        if (column.index)
          lines_.refuse("two columns are called " + shown(word), "one of each name");
        column.index = k;
        column.factor = lines_.unitOf(cell, column.dimension, exampleHeader);
      }
    });
    const bool components = has(U) && has(V);
    if (!has(X) || !has(Y) || components == has(Normal) || (has(Normal) && (has(U) || has(V))))
      lines_.refuse("the header " + shown(line) + " does not name one velocity at x and y",
                    exampleHeader + ", or normal[m/s] in place of u, v and w");
    out_.normal = has(Normal);
  }

  void addRow(std::string_view line) {
    const std::size_t cells = forCells(line, [&](std::size_t k, std::string_view cell) {
      for (TableColumn& column : columns_)
        if (column.index == k) column.value = column.factor * lines_.number(cell);
    });
    if (cells != cells_)
      lines_.refuse(fmt::format("a row of {} cells", cells),
                    fmt::format("{}, as many as in the header", cells_));
    for (const TableColumn& column : columns_)
      if (!(std::abs(column.value) < largestEntry))
        lines_.refuse("a value beyond 1e9", "a number within reason");
    if (++rows_ > mostRows) lines_.refuse("a row too many", fmt::format("at most {}", mostRows));
    const auto value = [&](Word word) { return columns_[word].value; };
    if (out_.frames.empty() || value(Time) != out_.frames.back().time) newFrame(value(Time));
    VelocityFrame& frame = out_.frames.back();
    frame.point.push_back({value(X), value(Y), value(Z)});
    frame.velocity.push_back(out_.normal ? Double3{value(Normal), 0.0, 0.0}
                                         : Double3{value(U), value(V), value(W)});
  }

  void newFrame(double time) {
    if (!out_.frames.empty()) {
      if (!(time > out_.frames.back().time))
        lines_.refuse(fmt::format("time {} s follows {} s", stage::number(time),
                                  stage::number(out_.frames.back().time)),
                      "times that ascend, the rows of one time together");
      closeFrame();
    }
    if (out_.frames.size() >= mostTimes)
      lines_.refuse(fmt::format("more than {} times", mostTimes),
                    "fewer, between which values are interpolated");
    out_.frames.push_back({time, {}, {}});
  }

  void closeFrame() const {
    if (out_.frames.back().point.size() < 2)
      lines_.refuse("one point alone at a time", "at least 2, better as many as the nodes");
  }

  CsvLines lines_;
  std::array<TableColumn, 8> columns_{{{"x", stage::Dimension::Length},
                                       {"y", stage::Dimension::Length},
                                       {"z", stage::Dimension::Length},
                                       {"u", stage::Dimension::Velocity},
                                       {"v", stage::Dimension::Velocity},
                                       {"w", stage::Dimension::Velocity},
                                       {"normal", stage::Dimension::Velocity},
                                       {"time", stage::Dimension::Time}}};
  std::size_t cells_ = 0;
  std::size_t rows_ = 0;
  VelocityTable out_;
};

}  // namespace

VelocityTable parseVelocityTable(std::string_view text, const std::string& name) {
  VelocityTable table = TableReader(text, name).read();
  table.name = std::filesystem::path(name).filename().string();
  table.hash = stage::hashBytes(text.data(), text.size());
  return table;
}

VelocityTable readVelocityTable(const std::filesystem::path& path) {
  return parseVelocityTable(readCsvFile(path.string(), "table of velocities", largestTable),
                            path.string());
}

namespace {

constexpr std::size_t pointsOfFit = 12;
constexpr std::size_t fitTerms = 6;  // of a quadratic
using FitTerms = std::array<double, fitTerms>;

// y of matrix y = (1, 0, 0 ...); terms that the points say nothing about are left out.
FitTerms valueFunctional(std::array<FitTerms, fitTerms> matrix) {
  FitTerms wanted{1.0};
  FitTerms scale{};
  for (std::size_t r = 0; r < fitTerms; ++r) scale[r] = matrix[r][r];
  std::array<bool, fitTerms> used{};
  for (std::size_t r = 0; r < fitTerms; ++r) {
    used[r] = scale[r] > 0.0 && matrix[r][r] > 1e-7 * scale[r];
    if (!used[r]) continue;
    for (std::size_t below = r + 1; below < fitTerms; ++below) {
      const double factor = matrix[below][r] / matrix[r][r];
      for (std::size_t c = r; c < fitTerms; ++c) matrix[below][c] -= factor * matrix[r][c];
      wanted[below] -= factor * wanted[r];
    }
  }
  FitTerms y{};
  for (std::size_t r = fitTerms; r-- > 0;) {
    if (!used[r]) continue;
    double rest = wanted[r];
    for (std::size_t c = r + 1; c < fitTerms; ++c) rest -= matrix[r][c] * y[c];
    y[r] = rest / matrix[r][r];
  }
  return y;
}

}  // namespace

PlaneInterpolation::PlaneInterpolation(std::vector<std::array<double, 2>> position,
                                       std::vector<Double3> value)
    : points_(std::move(position)), value_(std::move(value)) {}

double PlaneInterpolation::distance(const std::array<double, 2>& position) const {
  return std::sqrt(points_.nearest(position, 1).front().squared);
}

Double3 PlaneInterpolation::at(const std::array<double, 2>& position) const {
  const std::vector<NearestPoints::Near> near = points_.nearest(position, pointsOfFit);
  const double reach = near.back().squared;
  if (near.front().squared <= 1e-18 * reach || reach == 0.0) return value_[near.front().point];
  const double unit = std::sqrt(reach);
  std::vector<FitTerms> terms;
  std::vector<double> weights;
  std::array<FitTerms, fitTerms> matrix{};
  for (const NearestPoints::Near& each : near) {
    const double x = (points_.position()[each.point][0] - position[0]) / unit;
    const double y = (points_.position()[each.point][1] - position[1]) / unit;
    terms.push_back({1.0, x, y, x * x, x * y, y * y});
    const double squared = each.squared / reach;
    weights.push_back(1.0 / (squared * squared + 1e-12));
    for (std::size_t r = 0; r < fitTerms; ++r)
      for (std::size_t c = 0; c < fitTerms; ++c)
        matrix[r][c] += weights.back() * terms.back()[r] * terms.back()[c];
  }
  const FitTerms y = valueFunctional(matrix);
  Double3 sum{};
  Double3 low = value_[near.front().point];
  Double3 high = low;
  for (std::size_t k = 0; k < near.size(); ++k) {
    double share = 0.0;
    for (std::size_t t = 0; t < fitTerms; ++t) share += y[t] * terms[k][t];
    const Double3& v = value_[near[k].point];
    for (std::size_t a = 0; a < 3; ++a) {
      sum[a] += weights[k] * share * v[a];
      low[a] = std::min(low[a], v[a]);
      high[a] = std::max(high[a], v[a]);
    }
  }
  // A fit may pass the values by a part of their range, for peaks between points; no farther.
  for (std::size_t a = 0; a < 3; ++a) {
    const double margin = 0.25 * (high[a] - low[a]);
    sum[a] = std::clamp(sum[a], low[a] - margin, high[a] + margin);
  }
  return sum;
}

}  // namespace tessera::solver::boundary
