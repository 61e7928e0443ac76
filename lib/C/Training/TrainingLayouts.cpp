//===- TrainingLayouts.cpp - Where the members of C structs lie -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// lib/C/StructLayouts.cpp says which changes are allowed.
//
//===----------------------------------------------------------------------===//

#include "weir/C/training.h"

#include <cstddef>

#define WEIR_AT(type, member, offset)                                          \
  static_assert(offsetof(type, member) == (offset))

// Structs that never change.

static_assert(sizeof(weir_named_value) == 16);
WEIR_AT(weir_named_value, name, 0);
WEIR_AT(weir_named_value, value, 8);

// Structs that may grow.

WEIR_AT(weir_step, size, 0);
WEIR_AT(weir_step, step, 8);
WEIR_AT(weir_step, epoch, 16);
WEIR_AT(weir_step, examples, 24);
WEIR_AT(weir_step, time_ns, 32);
WEIR_AT(weir_step, values, 40);
WEIR_AT(weir_step, num_values, 48);
WEIR_AT(weir_step, rate, 56);
WEIR_AT(weir_step, validation, 64);
WEIR_AT(weir_step, num_validation, 72);
WEIR_AT(weir_step, is_last, 80);

WEIR_AT(weir_trainer_options, size, 0);
WEIR_AT(weir_trainer_options, entry, 8);
WEIR_AT(weir_trainer_options, data, 16);
WEIR_AT(weir_trainer_options, columns, 24);
WEIR_AT(weir_trainer_options, num_columns, 32);
WEIR_AT(weir_trainer_options, maps, 40);
WEIR_AT(weir_trainer_options, num_maps, 48);
WEIR_AT(weir_trainer_options, inputs, 56);
WEIR_AT(weir_trainer_options, num_inputs, 64);
WEIR_AT(weir_trainer_options, validation_entry, 72);
WEIR_AT(weir_trainer_options, validation_data, 80);
WEIR_AT(weir_trainer_options, epochs, 88);
WEIR_AT(weir_trainer_options, steps, 96);
WEIR_AT(weir_trainer_options, validate_every, 104);
WEIR_AT(weir_trainer_options, batch_size, 112);
WEIR_AT(weir_trainer_options, seed, 120);
WEIR_AT(weir_trainer_options, shuffle, 128);
WEIR_AT(weir_trainer_options, quiet, 129);
WEIR_AT(weir_trainer_options, resume, 130);
WEIR_AT(weir_trainer_options, keep_checkpoints, 131);
WEIR_AT(weir_trainer_options, last, 132);
WEIR_AT(weir_trainer_options, checkpoint_folder, 136);
WEIR_AT(weir_trainer_options, checkpoint_every, 144);
WEIR_AT(weir_trainer_options, best, 152);
WEIR_AT(weir_trainer_options, log, 160);
WEIR_AT(weir_trainer_options, mask, 168);
WEIR_AT(weir_trainer_options, validation_last, 176);
WEIR_AT(weir_trainer_options, cancel_token, 184);
WEIR_AT(weir_trainer_options, on_step, 192);
WEIR_AT(weir_trainer_options, context, 200);

WEIR_AT(weir_training_summary, size, 0);
WEIR_AT(weir_training_summary, step, 8);
WEIR_AT(weir_training_summary, epoch, 16);
WEIR_AT(weir_training_summary, steps_before, 24);
WEIR_AT(weir_training_summary, examples, 32);
WEIR_AT(weir_training_summary, time_ns, 40);
WEIR_AT(weir_training_summary, data_wait_ns, 48);
WEIR_AT(weir_training_summary, data_waits, 56);
WEIR_AT(weir_training_summary, values, 64);
WEIR_AT(weir_training_summary, num_values, 72);
WEIR_AT(weir_training_summary, validation, 80);
WEIR_AT(weir_training_summary, num_validation, 88);
WEIR_AT(weir_training_summary, end, 96);
