// SPDX-License-Identifier: Apache-2.0
export function demand(isSo: boolean, expected: string, got: unknown): asserts isSo {
  if (!isSo) throw new Error(`expected ${expected}, got ${describe(got)}`);
}

function describe(value: unknown): string {
  return (
    typeof value === 'string'
      ? value
      : (JSON.stringify(value, (_key, inner: unknown) =>
          inner instanceof Headers ? Object.fromEntries(inner) : inner,
        ) ?? 'nothing')
  ).slice(0, 600);
}
