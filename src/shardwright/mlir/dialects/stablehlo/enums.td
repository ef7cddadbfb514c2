// The enumerations of the dialect. All but two are stored as attributes of their own, `#stablehlo<precision HIGH>`.

#ifndef SHARDWRIGHT_STABLEHLO_ENUMS_TD
#define SHARDWRIGHT_STABLEHLO_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "shardwright/mlir/dialects/stablehlo/stablehlo.td"

class Stablehlo_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::shardwright::stablehlo";
}

class Stablehlo_EnumAttr<EnumInfo info, string mnemonic> : EnumAttr<Stablehlo_Dialect, info, mnemonic> {
  // Starts with an empty literal, since ops print a blank of their own before the value; the blank after the mnemonic
  // is the dialect's to print.
  let assemblyFormat = "`` $value";
}

def Stablehlo_Precision : Stablehlo_Enum<"Precision", "how exactly one operand of a product is multiplied", [
  I32EnumAttrCase<"DEFAULT", 0>,
  I32EnumAttrCase<"HIGH", 1>,
  I32EnumAttrCase<"HIGHEST", 2>,
]>;

def Stablehlo_FftType : Stablehlo_Enum<"FftType", "direction and realness of a Fourier transform", [
  I32EnumAttrCase<"FFT", 0>,
  I32EnumAttrCase<"IFFT", 1>,
  I32EnumAttrCase<"RFFT", 2>,
  I32EnumAttrCase<"IRFFT", 3>,
]>;

def Stablehlo_ComparisonDirection : Stablehlo_Enum<"ComparisonDirection", "the relation that is tested", [
  I32EnumAttrCase<"EQ", 0>,
  I32EnumAttrCase<"NE", 1>,
  I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>,
  I32EnumAttrCase<"LE", 4>,
  I32EnumAttrCase<"LT", 5>,
]>;

def Stablehlo_ComparisonType : Stablehlo_Enum<"ComparisonType", "how the elements are ordered", [
  I32EnumAttrCase<"NOTYPE", 0>,
  I32EnumAttrCase<"FLOAT", 1>,
  I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>,
  I32EnumAttrCase<"UNSIGNED", 4>,
]>;

def Stablehlo_Transpose : Stablehlo_Enum<"Transpose", "what is done to a matrix before it is used", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>,
  I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>,
  I32EnumAttrCase<"ADJOINT", 3>,
]>;

def Stablehlo_RngDistribution : Stablehlo_Enum<"RngDistribution", "a distribution of random numbers", [
  I32EnumAttrCase<"UNIFORM", 1>,
  I32EnumAttrCase<"NORMAL", 2>,
]>;

def Stablehlo_RngAlgorithm : Stablehlo_Enum<"RngAlgorithm", "a generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>,
  I32EnumAttrCase<"THREE_FRY", 1>,
  I32EnumAttrCase<"PHILOX", 2>,
]>;

def Stablehlo_ResultAccuracyMode : Stablehlo_Enum<"ResultAccuracyMode", "how an accuracy is asked for", [
  I32EnumAttrCase<"DEFAULT", 0>,
  I32EnumAttrCase<"HIGHEST", 1>,
  I32EnumAttrCase<"TOLERANCE", 2>,
]>;

// Stored as a plain `2 : i32`.
def Stablehlo_CustomCallApiVersion : I32EnumAttr<"CustomCallApiVersion", "how a custom call is made", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
  I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>,
]> {
  let cppNamespace = "::shardwright::stablehlo";
}

def Stablehlo_PrecisionAttr : Stablehlo_EnumAttr<Stablehlo_Precision, "precision">;
def Stablehlo_FftTypeAttr : Stablehlo_EnumAttr<Stablehlo_FftType, "fft_type">;
def Stablehlo_ComparisonDirectionAttr : Stablehlo_EnumAttr<Stablehlo_ComparisonDirection, "comparison_direction">;
def Stablehlo_ComparisonTypeAttr : Stablehlo_EnumAttr<Stablehlo_ComparisonType, "comparison_type">;
def Stablehlo_TransposeAttr : Stablehlo_EnumAttr<Stablehlo_Transpose, "transpose">;
def Stablehlo_RngDistributionAttr : Stablehlo_EnumAttr<Stablehlo_RngDistribution, "rng_distribution">;
def Stablehlo_RngAlgorithmAttr : Stablehlo_EnumAttr<Stablehlo_RngAlgorithm, "rng_algorithm">;
def Stablehlo_ResultAccuracyModeAttr : Stablehlo_EnumAttr<Stablehlo_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif  // SHARDWRIGHT_STABLEHLO_ENUMS_TD
