// SPDX-License-Identifier: Apache-2.0
import { NOBODY, type Change, type Move } from './move.ts';
import type { InternalTransaction } from './wallet-block.ts';

/** What an internal transaction does with its value, by its note. */
type Meaning =
  /** From the caller to the receiver. */
  | 'moves'
  /** From the caller into a stake. */
  | 'stakes'
  /** From a stake or a reward to the caller. */
  | 'pays'
  /** The value is that of a delegation, a vote, or a stake that begins to wait. */
  | 'shows';

const RESOURCES = ['Bandwidth', 'Energy', 'TronPower'];
const forEach = (note: string, meaning: Meaning): [string, Meaning][] =>
  RESOURCES.map((resource) => [`${note}${resource}`, meaning]);

/**
 * Every note of java-tron 4.8 (org.tron.core.vm.program.Program). A receiver of a stake gets the resource, and no TRX.
 * Expired stakes of a contract that ends go to its heir: the value of `suicide` includes them, and
 * `withdrawExpireUnfreezeWhileSuiciding` tells them again, so that it is the contract that gets them here.
 */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  (
    [
      ['call', 'moves'],
      ['create', 'moves'],
      ['suicide', 'moves'],
      ...forEach('freezeFor', 'stakes'),
      ...forEach('freezeBalanceV2For', 'stakes'),
      ...forEach('unfreezeFor', 'pays'),
      ['withdrawExpireUnfreeze', 'pays'],
      ['withdrawExpireUnfreezeWhileUnfreezing', 'pays'],
      ['withdrawExpireUnfreezeWhileCanceling', 'pays'],
      ['withdrawExpireUnfreezeWhileSuiciding', 'pays'],
      ['withdrawReward', 'pays'],
      ...forEach('unfreezeBalanceV2For', 'shows'),
      ...forEach('delegateResourceOf', 'shows'),
      ...forEach('unDelegateResourceOf', 'shows'),
      ['cancelAllUnfreezeV2', 'shows'],
      ['voteWitness', 'shows'],
    ] satisfies [string, Meaning][]
  ).map(([note, meaning]) => [Buffer.from(note, 'latin1').toString('hex'), meaning]),
);
const SUICIDE = Buffer.from('suicide', 'latin1').toString('hex');

/** Whether a note, hexadecimal text, is one of java-tron 4.8. */
export function isKnownNote(note: string): boolean {
  return MEANINGS.has(note);
}

/** Whether entries under this note, hexadecimal text, move nothing: their value is told beside something else. */
export function isShowingNote(note: string): boolean {
  return MEANINGS.get(note) === 'shows';
}

/** What contracts moved while a transaction ran, in the order of execution; what was rejected moved nothing. */
export function listInternalMoves(internal: readonly InternalTransaction[]): {
  readonly moves: Move[];
  readonly changes: Change[];
} {
  const moves: Move[] = [];
  const changes: Change[] = [];
  for (const one of internal) {
    const meaning = MEANINGS.get(one.note ?? '');
    if (one.rejected === true || meaning === undefined || meaning === 'shows') continue;
    const caller = Buffer.from(one.caller_address ?? '', 'hex');
    const receiver = Buffer.from(one.transferTo_address ?? '', 'hex');
    const isOwn = caller.equals(receiver);
    const [from, to] =
      meaning === 'moves' ? [caller, receiver] : meaning === 'stakes' ? [caller, NOBODY] : [NOBODY, caller];
    for (const { callValue = 0, tokenId = '' } of one.callValueInfo ?? []) {
      const asset = tokenId === '' ? {} : { asset: tokenId };
      // In a call that runs another contract's code for the caller, the value stays with the caller. A contract that ends
      // in its own favor loses everything, unless it is older than the transaction and the network spares it.
      if (meaning === 'moves' && isOwn) {
        if (one.note === SUICIDE && BigInt(callValue) > 0n) changes.push({ account: caller, ...asset });
        continue;
      }
      moves.push({ type: 'internal', ...asset, from, to, amountRaw: BigInt(callValue) });
    }
  }
  return { moves, changes };
}
