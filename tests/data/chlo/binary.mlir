module {
  func.func @floats(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<8xf32>, %arg3: tensor<f32>) {
    %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %1 = chlo.broadcast_add %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = chlo.broadcast_atan2 %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %3 = chlo.broadcast_atan2 %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = chlo.broadcast_divide %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %5 = chlo.broadcast_divide %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %6 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %7 = chlo.broadcast_maximum %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %8 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %9 = chlo.broadcast_minimum %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %10 = chlo.broadcast_multiply %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %11 = chlo.broadcast_multiply %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %12 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %13 = chlo.broadcast_next_after %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %14 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %15 = chlo.broadcast_polygamma %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %16 = chlo.broadcast_power %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %17 = chlo.broadcast_power %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %18 = chlo.broadcast_remainder %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %19 = chlo.broadcast_remainder %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %20 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %21 = chlo.broadcast_subtract %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %22 = chlo.broadcast_zeta %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %23 = chlo.broadcast_zeta %arg2, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %24 = chlo.broadcast_add %arg0, %arg3 {broadcast_dimensions = array<i64>, note} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %25 = chlo.broadcast_complex %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xcomplex<f32>>
    %26 = chlo.broadcast_complex %arg0, %arg2 {broadcast_dimensions = array<i64: 0>} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xcomplex<f32>>
    %27 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xi1>
    %28 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction NE>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xi1>
    %29 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction GE>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xi1>
    %30 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction GT>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xi1>
    %31 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LE>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xi1>
    %32 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xi1>
    %33 = chlo.broadcast_compare %arg0, %arg2 {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type NOTYPE>, comparison_direction = #chlo<comparison_direction EQ>, note = 2 : i64} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xi1>
    %34 = chlo.broadcast_compare %arg0, %arg2 {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction EQ>, note = 2 : i64} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xi1>
    %35 = chlo.broadcast_compare %arg0, %arg2 {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction EQ>, note = 2 : i64} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xi1>
    %36 = chlo.broadcast_compare %arg0, %arg2 {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type SIGNED>, comparison_direction = #chlo<comparison_direction EQ>, note = 2 : i64} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xi1>
    %37 = chlo.broadcast_compare %arg0, %arg2 {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type UNSIGNED>, comparison_direction = #chlo<comparison_direction EQ>, note = 2 : i64} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xi1>
    %38 = chlo.next_after %arg0, %arg0 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
    %39 = chlo.polygamma %arg0, %arg0 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
    %40 = chlo.zeta %arg0, %arg0 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
    %41 = chlo.zeta %arg1, %arg1 {note} : tensor<4xf32>, tensor<4xf32> -> tensor<?xf32>
    return
  }
  func.func @integers(%arg0: tensor<8x4xi32>, %arg1: tensor<4xi32>, %arg2: tensor<8x1xui8>, %arg3: tensor<1x4xui8>, %arg4: tensor<4xi1>) {
    %0 = chlo.broadcast_and %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xi32>, tensor<4xi32>) -> tensor<8x4xi32>
    %1 = chlo.broadcast_or %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xi32>, tensor<4xi32>) -> tensor<8x4xi32>
    %2 = chlo.broadcast_xor %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xi32>, tensor<4xi32>) -> tensor<8x4xi32>
    %3 = chlo.broadcast_shift_left %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xi32>, tensor<4xi32>) -> tensor<8x4xi32>
    %4 = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xi32>, tensor<4xi32>) -> tensor<8x4xi32>
    %5 = chlo.broadcast_shift_right_logical %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xi32>, tensor<4xi32>) -> tensor<8x4xi32>
    %6 = chlo.broadcast_add %arg2, %arg3 : (tensor<8x1xui8>, tensor<1x4xui8>) -> tensor<8x4xui8>
    %7 = chlo.broadcast_and %arg4, %arg4 : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %8 = chlo.mulhi %arg0, %arg0 : tensor<8x4xi32>, tensor<8x4xi32> -> tensor<8x4xi32>
    %9 = chlo.mulhi %arg2, %arg2 {note} : tensor<8x1xui8>, tensor<8x1xui8> -> tensor<8x1xui8>
    return
  }
  func.func @select(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<8x4xf32>, %arg3: tensor<f32>, %arg4: tensor<?xf32>, %arg5: tensor<*xf32>) {
    %0 = chlo.broadcast_select %arg0, %arg2, %arg3 : (tensor<i1>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %1 = chlo.broadcast_select %arg1, %arg2, %arg2 {note} : (tensor<4xi1>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = chlo.broadcast_add %arg2, %arg4 : (tensor<8x4xf32>, tensor<?xf32>) -> tensor<8x4xf32>
    %3 = chlo.broadcast_add %arg5, %arg4 : (tensor<*xf32>, tensor<?xf32>) -> tensor<*xf32>
    return
  }
}
