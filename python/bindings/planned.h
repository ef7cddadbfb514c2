// A module with a plan and what follows from it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "module.h"
#include "shardwright/driver/partition.h"
#include "shardwright/driver/partition_report.h"
#include "shardwright/driver/target.h"

namespace shardwright::python {

// The axes of each dim of a value: {{"data"}, {}} for `[data, -]`.
using Spec = std::vector<std::vector<std::string>>;

class Planned {
 public:
  Planned(std::shared_ptr<Module> module, driver::Target target, driver::PartitionOptions options,
          driver::Partitioned found)
      : module_(std::move(module)),
        target_(std::move(target)),
        options_(std::move(options)),
        found_(std::move(found)),
        subject_(module_->subject()),
        targetView_(target_.view()) {}
  Planned(const Planned&) = delete;  // Views point into it.
  Planned& operator=(const Planned&) = delete;

  const driver::Partitioned& found() const { return found_; }
  driver::PartitionView view() const { return {subject_, targetView_, options_, found_}; }

  std::string planText() const;
  std::string reportJson() const;
  std::string traceJson() const;
  std::string whyText(size_t rows) const;
  std::vector<Spec> argumentSpecs() const { return specs(found_.spmd.arguments); }
  std::vector<Spec> resultSpecs() const { return specs(found_.spmd.results); }
  // Throw NativeError where an op has no such form.
  std::string explicitText() const;
  std::string annotatedText() const;

 private:
  std::vector<Spec> specs(const std::vector<spmd::LocalId>& locals) const;

  std::shared_ptr<Module> module_;
  driver::Target target_;
  driver::PartitionOptions options_;
  driver::Partitioned found_;
  plan::Subject subject_;
  driver::PartitionTarget targetView_;
};

}  // namespace shardwright::python
