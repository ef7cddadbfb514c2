#include "shardwright/mlir/export/module_shell.h"

#include <optional>

#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "shardwright/mlir/dialects/bool_constants.h"
#include "shardwright/mlir/dialects/sdy/sharding.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/export/emit.h"
#include "shardwright/mlir/import/locations.h"
#include "shardwright/mlir/import/neutral_starts.h"

namespace shardwright {
namespace {

// Text without locations is given its own lines by the parser: files, lines and columns only. Where
// a framework says where an op comes from, there are names, call sites or nothing.
bool hasLocations(mlir::ModuleOp module) {
  const auto walked = module.walk([](mlir::Operation* op) {
    return mlir::isa<mlir::FileLineColRange>(op->getLoc()) ? mlir::WalkResult::advance()
                                                           : mlir::WalkResult::interrupt();
  });
  return walked.wasInterrupted();
}

bool sameAxes(sdy::MeshAttr a, sdy::MeshAttr b) {
  return a.getAxes() == b.getAxes() && a.getDeviceIds() == b.getDeviceIds();
}

// Where JAX says which result takes over the buffer of an argument.
constexpr llvm::StringLiteral kAliasAttr = "tf.aliasing_output";

// The module that was read may have had no op of these.
mlir::ModuleOp withDialects(mlir::ModuleOp module) {
  module.getContext()
      ->loadDialect<mlir::func::FuncDialect, sdy::SdyDialect, stablehlo::StablehloDialect>();
  return module;
}

// The name of the module's own mesh, if it has the same axes; else one that is free.
std::string meshName(mlir::ModuleOp module, const mesh::Mesh& mesh) {
  const mesh::LayoutTable none;
  const sdy::MeshAttr wanted = ShardingWriter(module.getContext(), mesh, none, "").meshAttr();
  for (auto known : module.getOps<sdy::MeshOp>()) {
    if (sameAxes(known.getMesh(), wanted)) return known.getSymName().str();
  }
  std::string name = "mesh";
  for (int n = 0; mlir::SymbolTable::lookupSymbolIn(module, name) != nullptr; ++n) {
    name = "mesh_" + std::to_string(n);
  }
  return name;
}

// Verifies, and says in what it fails.
Status verified(mlir::ModuleOp module) {
  std::optional<Diagnostic> error;
  const mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic& found) {
    if (!error) {
      error = Diagnostic{
          "the exported module is not valid: " + found.str(), sourceOf(found.getLocation()), {}};
    }
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(module))) return {};
  return error ? error : Diagnostic{"the exported module is not valid", {}, {}};
}

}  // namespace

ModuleShell::ModuleShell(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                         Extent extent)
    : imported_(imported),
      spmd_(spmd),
      source_(withDialects(imported.parsed.module.get())),
      shardings_(source_.getContext(), spmd.mesh, spmd.layouts, meshName(source_, spmd.mesh)) {
  const bool whole = extent == Extent::kWhole;
  mlir::OpBuilder builder(source_.getContext());
  module_ = mlir::ModuleOp::create(source_.getLoc(), source_.getSymName());
  for (const mlir::NamedAttribute& attribute : source_->getAttrs()) {
    module_->getOperation()->setAttr(attribute.getName(), attribute.getValue());
  }
  module_->getOperation()->removeAttr(kPlanAttr);
  const auto devices = whole ? static_cast<int32_t>(mesh::deviceCount(spmd.mesh)) : 1;
  module_->getOperation()->setAttr("mhlo.num_partitions", builder.getI32IntegerAttr(devices));
  module_->getOperation()->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
  builder.setInsertionPointToEnd(module_->getBody());
  if (whole) addMesh();
  addMain();
  whole ? shardMain() : localizeMain();
}

void ModuleShell::addMain() {
  auto main = source_.lookupSymbol<mlir::func::FuncOp>("main");
  main_ = mlir::cast<mlir::func::FuncOp>(main->cloneWithoutRegions());
  module_->getBody()->push_back(main_);
  mlir::Block& block = main_.getBody().emplaceBlock();
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    block.addArgument(main.getArgument(i).getType(), main.getArgument(i).getLoc());
    main_.removeArgAttr(i, "mhlo.sharding");
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    main_.removeResultAttr(i, mlir::StringAttr::get(source_.getContext(), "mhlo.sharding"));
  }
}

void ModuleShell::shardMain() {
  for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
    main_.setArgAttr(i, sdy::kShardingAttr,
                     shardings_.sharding(spmd_.locals[spmd_.arguments[i]].layout));
  }
  for (unsigned i = 0; i < main_.getNumResults(); ++i) {
    main_.setResultAttr(i, sdy::kShardingAttr,
                        shardings_.sharding(spmd_.locals[spmd_.results[i]].layout));
  }
}

void ModuleShell::localizeMain() {
  const auto localType = [&](mlir::Type type, spmd::LocalId local) {
    const auto shape = spmd_.types.shape(spmd_.locals[local].type);
    return withShape(type, Shape(shape.data(), shape.size()));
  };
  llvm::SmallVector<mlir::Type> arguments, results;
  for (unsigned i = 0; i < main_.getNumResults(); ++i) {
    results.push_back(localType(main_.getResultTypes()[i], spmd_.results[i]));
    main_.removeResultAttr(i, mlir::StringAttr::get(source_.getContext(), sdy::kShardingAttr));
  }
  for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
    arguments.push_back(localType(main_.getArgument(i).getType(), spmd_.arguments[i]));
    body().getArgument(i).setType(arguments.back());
    main_.removeArgAttr(i, sdy::kShardingAttr);
    const auto target = main_.getArgAttrOfType<mlir::IntegerAttr>(i, kAliasAttr);
    if (target && results[target.getValue().getZExtValue()] != arguments.back()) {
      main_.removeArgAttr(i, kAliasAttr);
    }
  }
  main_.setFunctionType(mlir::FunctionType::get(source_.getContext(), arguments, results));
}

mlir::Location ModuleShell::returnLocation() {
  auto main = source_.lookupSymbol<mlir::func::FuncOp>("main");
  return main.getBody().front().back().getLoc();
}

// One of the module's own may say more about itself than its axes.
void ModuleShell::addMesh() {
  if (auto known = source_.lookupSymbol<sdy::MeshOp>(shardings_.name())) {
    module_->getBody()->push_back(known->clone());
    return;
  }
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module_->getBody());
  sdy::MeshOp::create(builder, source_.getLoc(), shardings_.name(), shardings_.meshAttr());
}

// Functions call further functions, so this goes on until nothing new is named.
void ModuleShell::addReferenced() {
  for (bool added = true; added;) {
    added = false;
    llvm::DenseSet<mlir::StringAttr> used;
    const auto uses = mlir::SymbolTable::getSymbolUses(&module_->getBodyRegion());
    for (const mlir::SymbolTable::SymbolUse& use : uses.value_or(mlir::SymbolTable::UseRange({}))) {
      used.insert(use.getSymbolRef().getRootReference());
    }
    const mlir::SymbolTable present(*module_);
    for (mlir::Operation& op : source_.getBody()->getOperations()) {
      const auto name = op.getAttrOfType<mlir::StringAttr>(mlir::SymbolTable::getSymbolAttrName());
      // Regions of unknown ops may name anything.
      const bool wanted = name && (!uses || used.contains(name));
      if (!wanted || present.lookup(name)) continue;
      module_->getBody()->push_back(op.clone());
      added = true;
    }
  }
}

std::string ModuleShell::print() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(hasLocations(source_), /*prettyForm=*/false);
  module_->print(stream, flags);
  return unpackBoolConstants(text);
}

Result<std::string> ModuleShell::finish() && {
  addReferenced();
  startFromNeutral(*module_);
  if (Status invalid = verified(*module_)) return *invalid;
  return print();
}

}  // namespace shardwright
