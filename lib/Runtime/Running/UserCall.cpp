//===- UserCall.cpp - Calls to the user that devices wait for -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "UserCall.h"

using namespace weir;

static thread_local int numUserCalls = 0;

UserCall::UserCall() { ++numUserCalls; }
UserCall::~UserCall() { --numUserCalls; }
bool UserCall::isHere() { return numUserCalls > 0; }
