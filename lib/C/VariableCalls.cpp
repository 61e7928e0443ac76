//===- VariableCalls.cpp - The C API's functions for variables --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GrowingStructs.h"
#include "Handles.h"
#include "TensorStructs.h"

using namespace weir;
using namespace weir::c;

weir_status weir_session_variables(const weir_session *session,
                                   weir_variables **variables) {
  return runCall("weir_session_variables", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(variables, "variables"));
    *variables = new weir_variables{session->session->variables()};
    return Status::ok();
  });
}

void weir_variables_free(weir_variables *variables) { delete variables; }

size_t weir_variables_num(const weir_variables *variables) {
  return variables ? variables->infos.size() : 0;
}

weir_status weir_variables_at(const weir_variables *variables, size_t index,
                              weir_variable *variable) {
  return runCall("weir_variables_at", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(variables, "variables"));
    WEIR_RETURN_IF_ERROR(checkNotNull(variable, "variable"));
    WEIR_RETURN_IF_ERROR(
        checkNumber(index, variables->infos.size(), "variable", "list"));
    const VariableInfo &info = variables->infos[index];
    auto found = describe<weir_variable>(info.name, info.desc);
    found.is_valid = info.isValid;
    return writeStruct(found, "weir_variable", variable);
  });
}

/// Checks the arguments of a call for one variable and its value.
static Status checkArguments(const weir_session *session, const char *name,
                             const weir_tensor *value) {
  WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
  WEIR_RETURN_IF_ERROR(checkNotNull(name, "name"));
  WEIR_RETURN_IF_ERROR(checkNotNull(value, "value"));
  return checkTensor(*value);
}

weir_status weir_session_get_variable(const weir_session *session,
                                      const char *name,
                                      const weir_tensor *value) {
  return runCall("weir_session_get_variable", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkArguments(session, name, value));
    return session->session->getVariable(name, viewOf<TensorView>(*value));
  });
}

weir_status weir_session_get_variables(const weir_session *session,
                                       const weir_tensor *values,
                                       size_t num_values) {
  return runCall("weir_session_get_variables", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    ViewList<TensorView> views;
    WEIR_RETURN_IF_ERROR(views.fill(values, num_values, "value"));
    return session->session->getVariables(views.get());
  });
}

weir_status weir_session_set_variable(weir_session *session, const char *name,
                                      const weir_tensor *value) {
  return runCall("weir_session_set_variable", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkArguments(session, name, value));
    return session->session->setVariable(name, viewOf<ConstTensorView>(*value));
  });
}

weir_status weir_session_save_variables(const weir_session *session,
                                        const char *path) {
  return runCall("weir_session_save_variables", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(path, "path"));
    return session->session->saveVariables(path);
  });
}

weir_status weir_session_load_variables(weir_session *session,
                                        const char *path) {
  return runCall("weir_session_load_variables", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(path, "path"));
    return session->session->loadVariables(path);
  });
}
