#pragma once
#include <libpq-fe.h>

// libpq spells these as character constants in macros, which Swift does not import.
enum DiagnosticField {
    DiagnosticFieldSeverity = PG_DIAG_SEVERITY_NONLOCALIZED,
    DiagnosticFieldState = PG_DIAG_SQLSTATE,
    DiagnosticFieldPosition = PG_DIAG_STATEMENT_POSITION,
    DiagnosticFieldMessage = PG_DIAG_MESSAGE_PRIMARY,
    DiagnosticFieldColumn = PG_DIAG_COLUMN_NAME,
    DiagnosticFieldConstraint = PG_DIAG_CONSTRAINT_NAME,
};
