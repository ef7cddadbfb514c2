// Rebuilds the structure of a program in a new module: loops, branches, joint barriers. What stands
// between is written by the two forms (explicit.cpp, annotated.cpp).
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "mlir/IR/Builders.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright {

class Lowering {
 public:
  virtual ~Lowering() = default;

  // Writes all instructions to the end of `entry`, which has an argument per argument of the
  // program. The results are then to be had by value(); the terminator is left to the caller.
  [[nodiscard]] Status run(mlir::Block& entry);

  mlir::Value value(spmd::LocalId local) const { return values_[slot(local)]; }

 protected:
  Lowering(const ImportedProgram& imported, const spmd::SpmdProgram& spmd, size_t slots)
      : program_(imported.program),
        spmd_(spmd),
        origins_(imported.origins),
        builder_(imported.parsed.context.get()),
        values_(slots) {}

  // Where the value of a local is kept.
  virtual size_t slot(spmd::LocalId local) const = 0;
  // Writes an instruction that is not control flow, where the builder stands, and binds its
  // results.
  virtual Status write(const spmd::Instruction& instruction) = 0;
  // The type of a local, whose value has `type` in the program as it was read.
  virtual mlir::Type localType(spmd::LocalId local, mlir::Type type) const = 0;
  // Called for each op that was built here, with what its results are.
  virtual void mark(mlir::Operation* op, llvm::ArrayRef<spmd::LocalId> results) = 0;

  // Called for each local that was bound to a result of such an op.
  virtual void made(spmd::LocalId) {}

  void bind(spmd::LocalId local, mlir::Value value) { values_[slot(local)] = value; }
  bool bound(spmd::LocalId local) const { return values_[slot(local)] != nullptr; }
  mlir::Operation* origin(program::OpId op) const { return origins_[program_.op(op).origin]; }
  llvm::SmallVector<mlir::Value> operands(const spmd::Instruction& instruction) const;

  const program::Program& program_;
  const spmd::SpmdProgram& spmd_;
  const std::vector<mlir::Operation*>& origins_;
  mlir::OpBuilder builder_;

 private:
  using LocalIds = llvm::SmallVector<spmd::LocalId>;
  using Carries = llvm::SmallVector<const spmd::Instruction*>;

  Status step(const spmd::Instruction& instruction);
  void addBarrier(const spmd::Instruction& instruction);
  Status flushDeferred();
  void openWhile(const spmd::Instruction& instruction);
  Carries carriesOf(const spmd::Instruction& loop);
  void openCase(const spmd::Instruction& instruction);
  void closeRegion(program::RegionId id);
  bool ready(const spmd::Instruction& instruction) const;
  // A new op of the origin's name, attributes and number of regions.
  mlir::Operation* rebuild(mlir::Operation* origin, mlir::ValueRange operands,
                           mlir::TypeRange types);

  std::vector<mlir::Value> values_;
  std::map<program::RegionId, mlir::Block*> blocks_;
  std::map<program::RegionId, LocalIds> yields_;  // Of the regions in blocks_.
  std::map<program::OpId, const spmd::Instruction*> carries_;
  std::map<program::OpId, mlir::Value> merged_;    // The value of each merge to come.
  std::vector<const spmd::Instruction*> barrier_;  // What has come of a joint barrier.
  std::deque<const spmd::Instruction*> deferred_;  // What waits for the rest of it.
};

}  // namespace shardwright
