// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';

/** What may happen around an analyzer; `Payment` is what a family's blocks are made of. */
export type Command<Payment> =
  | { readonly type: 'mine'; readonly payments: readonly Payment[] }
  | { readonly type: 'reorg'; readonly depth: number; readonly extra: number; readonly keep: boolean }
  | { readonly type: 'finalize'; readonly behind: number }
  | {
      readonly type: 'watch';
      readonly project: number;
      readonly address: number;
      readonly isOpen: boolean;
      readonly history: number | undefined;
    }
  | { readonly type: 'commit' }
  | { readonly type: 'policy'; readonly depth: number | undefined }
  | { readonly type: 'restart' }
  | { readonly type: 'crash'; readonly statements: number; readonly diesAfter: boolean }
  | { readonly type: 'settle' };

/** Undefined: the chain's own finality. */
export const policyDepth = fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined, freq: 3 });

export function commandOf<Payment>(
  payment: fc.Arbitrary<Payment>,
  addresses: number,
): fc.Arbitrary<Command<Payment>> {
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('mine' as const),
        payments: fc.array(payment, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('reorg' as const),
        depth: fc.integer({ min: 1, max: 5 }),
        extra: fc.nat(2),
        keep: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('finalize' as const), behind: fc.nat(4) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('watch' as const),
        project: fc.integer({ min: 1, max: 2 }),
        address: fc.nat(addresses - 1),
        isOpen: fc.boolean(),
        history: fc.option(fc.nat(12), { nil: undefined }),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ type: 'commit' as const }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('policy' as const), depth: policyDepth }) },
    { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('crash' as const),
        statements: fc.integer({ min: 1, max: 60 }),
        diesAfter: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'settle' as const }) },
  );
}
