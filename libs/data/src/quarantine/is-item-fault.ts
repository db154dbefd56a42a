// SPDX-License-Identifier: Apache-2.0
/** SQLSTATE classes of what a value does: data exception, integrity violation, program limit exceeded. */
const VALUE_CLASSES = new Set(['22', '23', '54']);
/** Codes of errors that our own libraries throw on a value (`InvalidAmountError`, `InvalidCaipError`). */
const VALUE_CODES = new Set(['invalid_amount', 'invalid_caip']);
const CODE_ERRORS = [RangeError, SyntaxError, TypeError, URIError];
const FAULT_MAX = 200;

/**
 * Whether an item of the work may have made it fail: the database refused a value, or code of ours cannot handle one.
 * What a database or a node that is away says is nobody's fault, and neither is a share that was lost.
 */
export function isItemFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string')
    return (
      VALUE_CODES.has(error.code) || (error.code.length === 5 && VALUE_CLASSES.has(error.code.slice(0, 2)))
    );
  return CODE_ERRORS.some((type) => error instanceof type);
}

/** What an incident says of it: no value of a tenant, which the database's detail would show. */
export function describeFault(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // What stands in quotes is a value, or a name of a table.
  return text
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\s+/g, ' ')
    .slice(0, FAULT_MAX);
}
