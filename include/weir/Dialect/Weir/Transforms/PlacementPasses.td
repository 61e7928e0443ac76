//===- PlacementPasses.td - Devices of groups and ports ----*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_PLACEMENTPASSES_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_PLACEMENTPASSES_TD

include "weir/Dialect/Weir/Transforms/ModulePass.td"

def PlaceGroups : Weir_ModulePass<"weir-place-groups"> {
  let summary = "Gives every group its device";
  let description = [{
    The first of these decides:

    - the annotation of the group;
    - its operands: the device that holds most of their bytes. An input in the
      memory of an isolated device counts as held by that device;
    - the first group with an annotation that reads its result;
    - the device in whose memory an output lies that the group computes;
    - the first device of the list that computes.

    In the mode `random:SEED`, groups without annotation go to random devices
    that can run them. If the device of a group is missing or lacks a kernel,
    the group moves to the best device that can run it. This is reported; under
    `strict` it is an error. The attribute `weir.placement` of each group has
    the reason for its device and the predicted time on each device that can run
    it.

    A relayout is computed on each device that reads it. Devices that a machine
    may lack are removed from the list if no group, input or output is on them.
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"explicit\"",
           "explicit, or random:SEED">,
    Option<"strict", "strict", "bool", "false",
           "Whether it is an error if a group must move to another device">,
    Option<"allowReference", "allow-reference", "bool", "false",
           "Whether ops without a library kernel are legal on CPU devices">,
  ];
}

def SetDevices : Weir_ModulePass<"weir-set-devices"> {
  let summary = "Sets the list of devices to compile for";
  let description = [{
    The list is that of the option or of the topology file; it is an error to
    give both. Without either, it is the list that the module already has. A
    module without a list gets the devices that annotations name, and `cpu:0` if
    none of these computes.

    The attribute `weir.devices` of the module, a `#weir.devices`, has the list
    and all that the options and the topology file say of its devices. Without a
    file, devices keep what the attribute has stated before. No other pass reads
    the file. Isolated are the devices that the option names, those that the
    file calls isolated, and all of kinds that always have their own memory.

    ```
    module {
    // becomes, with devices=cpu:0-1, threads=2 and isolated=cpu:1,
    module attributes {weir.devices = #weir.devices<[
        "cpu:0" {threads = 2}, "cpu:1" {isolated, threads = 2} ]>} {
    ```
  }];
  let options = [
    Option<"devices", "devices", "std::string", "\"\"",
           "Device list, for instance cpu:0-1">,
    Option<"topology", "topology", "std::string", "\"\"",
           "Topology file (docs/topology.md)">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads per CPU device; 0 for an even share of the cores">,
    Option<"isolated", "isolated", "std::string", "\"\"",
           "The devices with their own memory, for instance cpu:1; or all">,
  ];
}

def SetPortSpaces : Weir_ModulePass<"weir-set-port-spaces"> {
  let summary = "Says in which memory the caller binds inputs and outputs";
  let description = [{
    Each `NAME=DEVICE` says that an input or output lies in the memory of a
    device. NAME stands for the input or output of every entry that has it, and
    ENTRY/NAME for that of one entry. In an entry for which both are given,
    ENTRY/NAME counts. If an input and an output have the name, it means both.
    The attribute `weir.space` in the text says the same of one argument or
    result; an option overrides it. All other inputs and outputs lie in the
    host's memory.

    ```
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "y"})
    // becomes, with x=/CPU:1
    func.func @main(%x: tensor<4xf32> {weir.space = "cpu:1"})
        -> (tensor<4xf32> {weir.name = "y"})
    ```

    The device must be in the list. If it is not isolated, its memory is the
    host's, and the attribute changes nothing.
  }];
  let options = [ListOption<"spaces", "spaces", "std::string",
      "Inputs and outputs, NAME=DEVICE">];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_PLACEMENTPASSES_TD
