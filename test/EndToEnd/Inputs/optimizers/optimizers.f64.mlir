weir.parameter @grads : tensor<8x3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @step : tensor<i64> = dense<0> : tensor<i64>
weir.parameter @sgd : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @momentum : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @nesterov : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @momentum_falling : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_momentum_falling : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_nesterov_falling : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_decay : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @l1 : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @adam : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @adam_decay : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @adamw : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @adamw_decay : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_adam : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @rmsprop : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @rmsprop_momentum : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @rmsprop_centered : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_rmsprop : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @adagrad : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_adagrad : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @adadelta : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @keras_adadelta : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @multistep : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @exponential : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @polynomial : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @cosine : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @inverse : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @sigmoid : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @warmup : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @clip_value : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @clip_norm : tensor<3x4xf64> from "optimizers.f64.safetensors"
weir.parameter @accumulate : tensor<3x4xf64> from "optimizers.f64.safetensors"
func.func @main() -> tensor<f64> {
  %step = weir.read @step : tensor<i64>
  %all = weir.read @grads : tensor<8x3x4xf64>
  %g = weir.gather %all, %step {axis = 0} : tensor<8x3x4xf64>, tensor<i64>
  %sgd = weir.read @sgd : tensor<3x4xf64>
  %sgd_p = weir.mul %sgd, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %sgd_l = weir.reduce_sum %sgd_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %sgd_l {optimizer = {name = "sgd", rate = 0.1},
      parameters = ["sgd"]} : tensor<f64>
  %momentum = weir.read @momentum : tensor<3x4xf64>
  %momentum_p = weir.mul %momentum, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %momentum_l = weir.reduce_sum %momentum_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %momentum_l {optimizer = {name = "sgd", rate = 0.1, momentum = 0.9},
      parameters = ["momentum"]} : tensor<f64>
  %nesterov = weir.read @nesterov : tensor<3x4xf64>
  %nesterov_p = weir.mul %nesterov, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %nesterov_l = weir.reduce_sum %nesterov_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %nesterov_l {optimizer = {name = "sgd", rate = 0.1, momentum = 0.9, nesterov = true, weight_decay = 0.05},
      parameters = ["nesterov"]} : tensor<f64>
  %momentum_falling = weir.read @momentum_falling : tensor<3x4xf64>
  %momentum_falling_p = weir.mul %momentum_falling, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %momentum_falling_l = weir.reduce_sum %momentum_falling_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %momentum_falling_l {optimizer = {name = "sgd", rate = 0.1, momentum = 0.9}, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["momentum_falling"]} : tensor<f64>
  %keras_momentum_falling = weir.read @keras_momentum_falling : tensor<3x4xf64>
  %keras_momentum_falling_p = weir.mul %keras_momentum_falling, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_momentum_falling_l = weir.reduce_sum %keras_momentum_falling_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_momentum_falling_l {optimizer = {name = "sgd", rate = 0.1, momentum = 0.9, rate_inside = true}, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["keras_momentum_falling"]} : tensor<f64>
  %keras_nesterov_falling = weir.read @keras_nesterov_falling : tensor<3x4xf64>
  %keras_nesterov_falling_p = weir.mul %keras_nesterov_falling, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_nesterov_falling_l = weir.reduce_sum %keras_nesterov_falling_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_nesterov_falling_l {optimizer = {name = "sgd", rate = 0.1, momentum = 0.9, nesterov = true, rate_inside = true}, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["keras_nesterov_falling"]} : tensor<f64>
  %keras_decay = weir.read @keras_decay : tensor<3x4xf64>
  %keras_decay_p = weir.mul %keras_decay, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_decay_l = weir.reduce_sum %keras_decay_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_decay_l {optimizer = {name = "sgd", rate = 0.1, weight_decay = 0.1, decoupled_decay = true},
      parameters = ["keras_decay"]} : tensor<f64>
  %l1 = weir.read @l1 : tensor<3x4xf64>
  %l1_p = weir.mul %l1, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %l1_l = weir.reduce_sum %l1_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %l1_l {optimizer = {name = "sgd", rate = 0.1, l1_decay = 0.3},
      parameters = ["l1"]} : tensor<f64>
  %adam = weir.read @adam : tensor<3x4xf64>
  %adam_p = weir.mul %adam, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %adam_l = weir.reduce_sum %adam_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %adam_l {optimizer = {name = "adam", rate = 0.1},
      parameters = ["adam"]} : tensor<f64>
  %adam_decay = weir.read @adam_decay : tensor<3x4xf64>
  %adam_decay_p = weir.mul %adam_decay, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %adam_decay_l = weir.reduce_sum %adam_decay_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %adam_decay_l {optimizer = {name = "adam", rate = 0.1, beta1 = 0.8, beta2 = 0.95, epsilon = 0.01, weight_decay = 0.1},
      parameters = ["adam_decay"]} : tensor<f64>
  %adamw = weir.read @adamw : tensor<3x4xf64>
  %adamw_p = weir.mul %adamw, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %adamw_l = weir.reduce_sum %adamw_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %adamw_l {optimizer = {name = "adamw", rate = 0.1},
      parameters = ["adamw"]} : tensor<f64>
  %adamw_decay = weir.read @adamw_decay : tensor<3x4xf64>
  %adamw_decay_p = weir.mul %adamw_decay, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %adamw_decay_l = weir.reduce_sum %adamw_decay_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %adamw_decay_l {optimizer = {name = "adamw", rate = 0.1, weight_decay = 0.5}, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["adamw_decay"]} : tensor<f64>
  %keras_adam = weir.read @keras_adam : tensor<3x4xf64>
  %keras_adam_p = weir.mul %keras_adam, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_adam_l = weir.reduce_sum %keras_adam_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_adam_l {optimizer = {name = "adam", rate = 0.1, epsilon = 0.01, epsilon_hat = true},
      parameters = ["keras_adam"]} : tensor<f64>
  %rmsprop = weir.read @rmsprop : tensor<3x4xf64>
  %rmsprop_p = weir.mul %rmsprop, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %rmsprop_l = weir.reduce_sum %rmsprop_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %rmsprop_l {optimizer = {name = "rmsprop", rate = 0.1},
      parameters = ["rmsprop"]} : tensor<f64>
  %rmsprop_momentum = weir.read @rmsprop_momentum : tensor<3x4xf64>
  %rmsprop_momentum_p = weir.mul %rmsprop_momentum, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %rmsprop_momentum_l = weir.reduce_sum %rmsprop_momentum_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %rmsprop_momentum_l {optimizer = {name = "rmsprop", rate = 0.1, rho = 0.9, momentum = 0.8, epsilon = 0.01}, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["rmsprop_momentum"]} : tensor<f64>
  %rmsprop_centered = weir.read @rmsprop_centered : tensor<3x4xf64>
  %rmsprop_centered_p = weir.mul %rmsprop_centered, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %rmsprop_centered_l = weir.reduce_sum %rmsprop_centered_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %rmsprop_centered_l {optimizer = {name = "rmsprop", rate = 0.1, rho = 0.9, centered = true, momentum = 0.8, epsilon = 0.01},
      parameters = ["rmsprop_centered"]} : tensor<f64>
  %keras_rmsprop = weir.read @keras_rmsprop : tensor<3x4xf64>
  %keras_rmsprop_p = weir.mul %keras_rmsprop, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_rmsprop_l = weir.reduce_sum %keras_rmsprop_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_rmsprop_l {optimizer = {name = "rmsprop", rate = 0.1, rho = 0.9, centered = true, momentum = 0.8, epsilon = 0.01, epsilon_inside = true, rate_inside = true}, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["keras_rmsprop"]} : tensor<f64>
  %adagrad = weir.read @adagrad : tensor<3x4xf64>
  %adagrad_p = weir.mul %adagrad, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %adagrad_l = weir.reduce_sum %adagrad_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %adagrad_l {optimizer = {name = "adagrad", rate = 0.1},
      parameters = ["adagrad"]} : tensor<f64>
  %keras_adagrad = weir.read @keras_adagrad : tensor<3x4xf64>
  %keras_adagrad_p = weir.mul %keras_adagrad, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_adagrad_l = weir.reduce_sum %keras_adagrad_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_adagrad_l {optimizer = {name = "adagrad", rate = 0.1, epsilon = 0.01, epsilon_inside = true, initial = 0.1},
      parameters = ["keras_adagrad"]} : tensor<f64>
  %adadelta = weir.read @adadelta : tensor<3x4xf64>
  %adadelta_p = weir.mul %adadelta, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %adadelta_l = weir.reduce_sum %adadelta_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %adadelta_l {optimizer = {name = "adadelta", rate = 1.0},
      parameters = ["adadelta"]} : tensor<f64>
  %keras_adadelta = weir.read @keras_adadelta : tensor<3x4xf64>
  %keras_adadelta_p = weir.mul %keras_adadelta, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %keras_adadelta_l = weir.reduce_sum %keras_adadelta_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %keras_adadelta_l {optimizer = {name = "adadelta", rate = 0.5, rho = 0.95, epsilon = 1.0e-3},
      parameters = ["keras_adadelta"]} : tensor<f64>
  %multistep = weir.read @multistep : tensor<3x4xf64>
  %multistep_p = weir.mul %multistep, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %multistep_l = weir.reduce_sum %multistep_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %multistep_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "multistep", at = [2, 5], factor = 0.3},
      parameters = ["multistep"]} : tensor<f64>
  %exponential = weir.read @exponential : tensor<3x4xf64>
  %exponential_p = weir.mul %exponential, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %exponential_l = weir.reduce_sum %exponential_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %exponential_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "exponential", factor = 0.8},
      parameters = ["exponential"]} : tensor<f64>
  %polynomial = weir.read @polynomial : tensor<3x4xf64>
  %polynomial_p = weir.mul %polynomial, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %polynomial_l = weir.reduce_sum %polynomial_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %polynomial_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "polynomial", steps = 6, power = 2.0},
      parameters = ["polynomial"]} : tensor<f64>
  %cosine = weir.read @cosine : tensor<3x4xf64>
  %cosine_p = weir.mul %cosine, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %cosine_l = weir.reduce_sum %cosine_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %cosine_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "cosine", steps = 20, final = 0.1},
      parameters = ["cosine"]} : tensor<f64>
  %inverse = weir.read @inverse : tensor<3x4xf64>
  %inverse_p = weir.mul %inverse, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %inverse_l = weir.reduce_sum %inverse_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %inverse_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "inverse", gamma = 0.5, power = 0.75},
      parameters = ["inverse"]} : tensor<f64>
  %sigmoid = weir.read @sigmoid : tensor<3x4xf64>
  %sigmoid_p = weir.mul %sigmoid, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %sigmoid_l = weir.reduce_sum %sigmoid_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %sigmoid_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "sigmoid", gamma = 0.7, steps = 4},
      parameters = ["sigmoid"]} : tensor<f64>
  %warmup = weir.read @warmup : tensor<3x4xf64>
  %warmup_p = weir.mul %warmup, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %warmup_l = weir.reduce_sum %warmup_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %warmup_l {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "exponential", factor = 0.5, warmup = 4},
      parameters = ["warmup"]} : tensor<f64>
  %clip_value = weir.read @clip_value : tensor<3x4xf64>
  %clip_value_p = weir.mul %clip_value, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %clip_value_l = weir.reduce_sum %clip_value_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %clip_value_l {optimizer = {name = "sgd", rate = 0.1}, clip_value = 0.5,
      parameters = ["clip_value"]} : tensor<f64>
  %clip_norm = weir.read @clip_norm : tensor<3x4xf64>
  %clip_norm_p = weir.mul %clip_norm, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %clip_norm_l = weir.reduce_sum %clip_norm_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %clip_norm_l {optimizer = {name = "sgd", rate = 0.1}, clip_norm = 3.0,
      parameters = ["clip_norm"]} : tensor<f64>
  %accumulate = weir.read @accumulate : tensor<3x4xf64>
  %accumulate_p = weir.mul %accumulate, %g : tensor<3x4xf64>, tensor<3x4xf64>
  %accumulate_l = weir.reduce_sum %accumulate_p {keepdims = false} : tensor<3x4xf64>
  weir.minimize %accumulate_l {optimizer = {name = "adam", rate = 0.1}, accumulate = 3, schedule = {name = "step", every = 2, factor = 0.5},
      parameters = ["accumulate"]} : tensor<f64>
  return %sgd_l : tensor<f64>
}
