// What weir.minimize refuses, and what weir-build-steps cannot build.
// RUN: graph-opt %s --weir-build-steps -verify-diagnostics -split-input-file

func.func @rows(%loss: tensor<4xf32>) {
  // expected-error@below {{'weir.minimize' op expects a loss with one element of floats, found 'loss' of 'tensor<4xf32>'; sum it or take its mean first}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}} : tensor<4xf32>
  return
}

// -----

func.func @integer_loss(%loss: tensor<i64>) {
  // expected-error@below {{'weir.minimize' op expects a loss with one element of floats, found 'loss' of 'tensor<i64>'; sum it or take its mean first}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}} : tensor<i64>
  return
}

// -----

func.func @rate_type(%loss: tensor<f32>, %rate: tensor<1xf32>) {
  // expected-error@below {{'weir.minimize' op expects a scalar of floats as the rate, found 'rate' of 'tensor<1xf32>'}}
  weir.minimize %loss rate %rate {optimizer = {name = "sgd"}} : tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @two_rates(%loss: tensor<f32>, %rate: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'sgd' has a 'rate', and so has the op as an operand; give one of them}}
  weir.minimize %loss rate %rate {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @no_rate(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'sgd': 'rate' is missing; give a number above 0}}
  weir.minimize %loss {optimizer = {name = "sgd"}} : tensor<f32>
  return
}

// -----

func.func @rate_range(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'adam': 'rate' expects a number above 0, found -0.1}}
  weir.minimize %loss {optimizer = {name = "adam", rate = -0.1}} : tensor<f32>
  return
}

// -----

func.func @infinite_rate(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'adam': 'rate' expects a number above 0, found inf}}
  weir.minimize %loss {optimizer = {name = "adam", rate = 0x7FF0000000000000 : f64}} : tensor<f32>
  return
}

// -----

func.func @decay_range(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'sgd': 'weight_decay' expects a number from 0 on, found -0.5}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 1, weight_decay = -0.5}} : tensor<f32>
  return
}

// -----

func.func @beta_range(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'adam': 'beta1' expects a number from 0 to below 1, found 1}}
  weir.minimize %loss {optimizer = {name = "adam", rate = 0.1, beta1 = 1.0}} : tensor<f32>
  return
}

// -----

func.func @kind(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'sgd': 'nesterov' expects true or false, found 1 : i64}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1, nesterov = 1}} : tensor<f32>
  return
}

// -----

func.func @number(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'sgd': 'rate' expects a number above 0, found "fast"}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = "fast"}} : tensor<f32>
  return
}

// -----

func.func @unknown_number(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'sgd': has no 'momentun'; did you mean 'momentum'? There are 'rate', 'decoupled_decay', 'l1_decay', 'momentum', 'nesterov', 'rate_inside', 'weight_decay'}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1, momentun = 0.9}} : tensor<f32>
  return
}

// -----

func.func @unknown_optimizer(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op there is no optimiser 'adan'; did you mean 'adam'? There are 'adadelta', 'adagrad', 'adam', 'adamw'}}
  weir.minimize %loss {optimizer = {name = "adan", rate = 0.1}} : tensor<f32>
  return
}

// -----

func.func @unnamed(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op 'optimizer' expects its name, as in {name = "..."}}}
  weir.minimize %loss {optimizer = {rate = 0.1}} : tensor<f32>
  return
}

// -----

func.func @unknown_attribute(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op has no attribute 'clip_nrom'; it has accumulate, clip_norm, clip_value, groups, optimizer, parameters, schedule}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, clip_nrom = 1.0} : tensor<f32>
  return
}

// -----

func.func @clip(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op 'clip_norm' expects a number above 0, found 0}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, clip_norm = 0} : tensor<f32>
  return
}

// -----

func.func @accumulate(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op 'accumulate' expects an integer from 1 on, found 1.5}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, accumulate = 1.5} : tensor<f32>
  return
}

// -----

func.func @unknown_schedule(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op there is no schedule 'cosinus'; did you mean 'cosine'? There are 'cosine'}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "cosinus"}} : tensor<f32>
  return
}

// -----

func.func @schedule_range(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op schedule 'cosine': 'steps' is missing; give an integer from 1 on}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "cosine"}} : tensor<f32>
  return
}

// -----

func.func @milestones(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op schedule 'multistep': 'at' expects a list of integers from 1 on that increase, found [5, 5]}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, schedule = {name = "multistep", at = [5, 5]}} : tensor<f32>
  return
}

// -----

func.func @group_number(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op group 0 (counted from 0): has no 'rate'; there are}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, groups = [{parameters = ["b"], rate = 0.5}]} : tensor<f32>
  return
}

// -----

func.func @malformed_glob(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op parameters '[a':}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, parameters = ["[a"]} : tensor<f32>
  return
}

// -----

func.func @no_parameter(%x: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op has no parameter to train: the loss depends on no parameter of floats that is neither frozen nor assigned by the entry}}
  weir.minimize %x {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return
}

// -----

weir.parameter @weight : tensor<f32> = dense<1.0> : tensor<f32>
func.func @unknown_glob() {
  %w = weir.read @weight : tensor<f32>
  // expected-error@below {{'weir.minimize' op finds no parameter of floats for 'wieght' that the entry reads; there is only 'weight'}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}, parameters = ["wieght"]} : tensor<f32>
  return
}

// -----

weir.parameter @weight : tensor<f32> = dense<1.0> : tensor<f32>
func.func @unknown_group() {
  %w = weir.read @weight : tensor<f32>
  // expected-error@below {{'weir.minimize' op group 0 (counted from 0) finds no trained parameter for 'bias'; there is only 'weight'}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}, groups = [{parameters = ["bias"]}]} : tensor<f32>
  return
}

// -----

weir.parameter @v : tensor<f32> = dense<1.0> : tensor<f32>
weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @not_reached() {
  %v = weir.read @v : tensor<f32>
  %stopped = weir.stop_gradient %v : tensor<f32>
  %w = weir.read @w : tensor<f32>
  %loss = weir.mul %stopped, %w : tensor<f32>, tensor<f32>
  // expected-error@below {{'weir.minimize' op finds no path from 'v' to the loss 'loss'; leave the parameter out, or remove what stops its gradient: an op that does so, or one with an integer result}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, parameters = ["v", "w"]} : tensor<f32>
  return
}

// -----

weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @assigned() {
  %w = weir.read @w : tensor<f32>
  weir.assign @w, %w : tensor<f32>
  // expected-error@below {{'weir.minimize' op trains parameter 'w', which something else in the entry assigns or trains; leave one of them out}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}, parameters = ["w"]} : tensor<f32>
  return
}

// -----

// A glob leaves out what the loss does not depend on.
weir.parameter @v : tensor<f32> = dense<1.0> : tensor<f32>
weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @left_out() -> tensor<f32> {
  %v = weir.read @v : tensor<f32>
  %w = weir.read @w : tensor<f32>
  // expected-remark@below {{does not train 'v', on which the loss does not depend}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return %v : tensor<f32>
}

// -----

// expected-note@below {{declared here}}
weir.parameter @step : tensor<f32> = dense<1.0> : tensor<f32>
func.func @other_step() {
  %w = weir.read @step : tensor<f32>
  // expected-error@below {{'weir.minimize' op counts runs in a parameter 'step' of type 'tensor<i64>', but what is declared is another; rename that one}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return
}

// -----

weir.parameter @step : tensor<i64> = dense<1> : tensor<i64>
weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @own_step() {
  %w = weir.read @w : tensor<f32>
  %step = weir.read @step : tensor<i64>
  // expected-error@below {{'weir.assign' op assigns 'step', which weir.minimize counts; leave the assignment out}}
  weir.assign @step, %step : tensor<i64>
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return
}

// -----

weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
// expected-note@below {{declared here}}
weir.parameter @w.sum : tensor<f32> = dense<1.0> : tensor<f32>
func.func @state_is_used() {
  %w = weir.read @w : tensor<f32>
  %s = weir.read @w.sum : tensor<f32>
  %loss = weir.add %w, %s : tensor<f32>, tensor<f32>
  // expected-error@below {{'weir.minimize' op needs a parameter 'w.sum' of type 'tensor<f32>' for its own use, but the graph uses it; rename that one}}
  weir.minimize %loss {optimizer = {name = "adagrad", rate = 0.1}, parameters = ["w"]} : tensor<f32>
  return
}

// -----

weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
// expected-note@below {{declared here}}
weir.parameter @w.sum : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @state_type() {
  %w = weir.read @w : tensor<f32>
  // expected-error@below {{'weir.minimize' op needs a parameter 'w.sum' of type 'tensor<f32>' for its own use, but the one that is declared has another type; rename that one}}
  weir.minimize %w {optimizer = {name = "adagrad", rate = 0.1}} : tensor<f32>
  return
}

// -----

weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
weir.parameter @v : tensor<f32> = dense<1.0> : tensor<f32>
func.func @every_other_run() {
  %w = weir.read @w : tensor<f32>
  // expected-error@below {{'weir.minimize' op averages gradients over runs, and 'step' counts the runs of all entries that train; let them train the same parameters with equal 'accumulate', or leave 'accumulate' out}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}, accumulate = 2} : tensor<f32>
  return
}
func.func @each_run() {
  %v = weir.read @v : tensor<f32>
  // expected-note@below {{another entry trains here}}
  weir.minimize %v {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return
}

// -----

weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @second() {
  %w = weir.read @w : tensor<f32>
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  // expected-error@below {{'weir.minimize' op has no parameter to train: a 'weir.minimize' above trains 'w' already; leave one of the two out, or give each its own with 'parameters'}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
  return
}

// -----

func.func @list_of_numbers(%loss: tensor<f32>) {
  // expected-error@below {{'weir.minimize' op optimiser 'adam': has no 'betas'; give its numbers as 'beta1', 'beta2'}}
  weir.minimize %loss {optimizer = {name = "adam", rate = 0.1, betas = [0.9, 0.999]}} : tensor<f32>
  return
}

// -----

func.func @text_for_list(%loss: tensor<f32>) {
  // expected-error@below {{'parameters' expects a list of texts, found "w"; write ["w"]}}
  weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}, groups = [{parameters = "w"}]} : tensor<f32>
  return
}
