// SPDX-License-Identifier: Apache-2.0
import type { Ground } from './ground.ts';

/** One thing that a row says, and how the running stack shows it. */
export interface Check {
  readonly says: string;
  /** @throws Error that says what was expected and what came */
  prove(ground: Ground): Promise<void>;
}

/** The test has no check for what a row says: never a reason to pass. */
export class UncheckedClaimError extends Error {
  constructor(claim: string) {
    super(`expected words that are known to this test, got "${claim}"`);
    this.name = 'UncheckedClaimError';
  }
}

export function check(says: string, prove: Check['prove']): Check {
  return { says, prove };
}

type Maker<A extends unknown[]> = (match: RegExpExecArray, ...rest: A) => Check | readonly Check[];

/** The checks of a phrase: of the one pattern that is the whole of it. @throws UncheckedClaimError */
export function interpret<A extends unknown[]>(
  phrase: string,
  grammar: readonly (readonly [RegExp, Maker<A>])[],
  ...rest: A
): readonly Check[] {
  for (const [pattern, make] of grammar) {
    const match = pattern.exec(phrase);
    if (match !== null && match[0] === phrase) return [make(match, ...rest)].flat();
  }
  throw new UncheckedClaimError(phrase);
}
