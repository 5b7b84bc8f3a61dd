// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that pass for processes: what exchanges messages between processes can be tested for any
// number of them in one. A thread that ends by an exception ends the others where they wait.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "pipelines/stage/io/processes.hpp"

namespace tessera {

using namespace tessera::stage;

class ThreadsAsProcesses {
 public:
  explicit ThreadsAsProcesses(int size)
      : size_(size),
        barrier_(size),
        gathered_(static_cast<std::size_t>(size)),
        sent_(static_cast<std::size_t>(size)) {}

  // Runs it once for each, and throws what the lowest rank threw.
  void run(const std::function<void(Processes&)>& body) {
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size_));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([&, rank] {
        One one(*this, rank);
        try {
          body(one);
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
        barrier_.arrive_and_drop();
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

 private:
  class One : public Processes {
   public:
    One(ThreadsAsProcesses& all, int rank) : all_(all), rank_(static_cast<std::size_t>(rank)) {}
    int rank() const override { return static_cast<int>(rank_); }
    int size() const override { return all_.size_; }
    std::vector<Message> allGather(std::span<const std::byte> own) override {
      all_.gathered_[rank_] = std::make_unique<Message>(own.begin(), own.end());
      all_.barrier_.arrive_and_wait();
      std::vector<Message> out;
      bool there = true;
      for (const auto& message : all_.gathered_) {
        there = there && message;
        if (message) out.push_back(*message);
      }
      all_.barrier_.arrive_and_wait();
      all_.gathered_[rank_].reset();
      all_.barrier_.arrive_and_wait();
      if (!there) throw std::runtime_error("another process has ended");
      return out;
    }
    std::vector<Message> allToAll(std::vector<Message> to) override {
      all_.sent_[rank_] = std::make_unique<std::vector<Message>>(std::move(to));
      all_.barrier_.arrive_and_wait();
      std::vector<Message> out;
      bool there = true;
      for (const auto& messages : all_.sent_) {
        there = there && messages && messages->size() == all_.sent_.size();
        if (there) out.push_back(std::move((*messages)[rank_]));
      }
      all_.barrier_.arrive_and_wait();
      all_.sent_[rank_].reset();
      all_.barrier_.arrive_and_wait();
      if (!there) throw std::runtime_error("another process has ended");
      return out;
    }

   private:
    ThreadsAsProcesses& all_;
    std::size_t rank_;
  };

  int size_;
  std::barrier<> barrier_;
  std::vector<std::unique_ptr<Message>> gathered_;
  std::vector<std::unique_ptr<std::vector<Message>>> sent_;
};

// Calls it as each of so many processes.
inline void asProcesses(int size, const std::function<void(Processes&)>& body) {
  ThreadsAsProcesses(size).run(body);
}

}  // namespace tessera
