// SPDX-License-Identifier: Apache-2.0
import type * as Expressions from './expression/compile-expression.ts';

/** What compiles expressions, loaded when the first channel has one. */
export function loadExpressions(): Promise<typeof Expressions> {
  return import('./expression/compile-expression.ts');
}
