/** What compiles expressions, loaded when the first channel has one. */
export function loadExpressions(): Promise<typeof import('./expression/compile-expression.ts')> {
  return import('./expression/compile-expression.ts');
}
