module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @one_axis = <["x"=2]>
  sdy.mesh @size_one = <["x"=1, "y"=2]>
  sdy.mesh @reversed = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @maximal = <[], device_ids=[5]>
  sdy.mesh @empty = <[]>
  sdy.mesh @"two words" = <["an axis"=2, "\22quoted\22\0A"=3]>
  sdy.mesh @large = <["x"=4611686018427387904]>
  sdy.mesh @attributes = <["x"=2]> {note = "kept", other.unit, sdy.custom = [1, 2]}
  module @nested {
    sdy.mesh @mesh = <["inner"=3]>
    func.func @f(%arg0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"inner"}]>}) {
      return
    }
  }
}
