// SPDX-License-Identifier: Apache-2.0
import { SpecRefusal, type ChangeAnswer } from './spec-proxy.ts';
import type { SolanaScene } from '@chainwatch/tool-devnet/solana-scene';

/**
 * What one node alone gets by a lie:
 *
 * - `refused`: the node contradicts itself or the bytes; its block is not taken.
 * - `attested`: no root covers it; it is told as that node's word, and other operators are asked.
 * - `unproved`: an incident; told, and never confirmed.
 * - `harmless`: everybody is told the truth.
 */
export type LieOutcome = 'refused' | 'attested' | 'unproved' | 'harmless';

export interface SolanaLie {
  readonly name: string;
  readonly alone: LieOutcome;
  readonly change: (scene: SolanaScene, invented: string) => ChangeAnswer;
}

interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}
interface Meta {
  readonly err: unknown;
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[] | null;
  readonly postTokenBalances: readonly TokenBalance[] | null;
  readonly innerInstructions: readonly unknown[] | null;
  readonly loadedAddresses: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
}
interface Transaction {
  readonly transaction: readonly [string, 'base64'];
  readonly meta: Meta | null;
  readonly version: unknown;
}
interface Full {
  readonly transactions: readonly Transaction[];
  readonly rewards: readonly { readonly lamports: number; readonly rewardType: string }[] | null;
}
type Kind = keyof SolanaScene['at'];

/** The leader's part of what a transaction with one signature pays. */
const LEADER_PART = 2_500;
const FEE = 5_000;

/** Changes the full block, where it is asked for whole. */
const block =
  (change: (full: Full, scene: SolanaScene, invented: string) => Full): SolanaLie['change'] =>
  (scene, invented) =>
  ({ method, params }, result) =>
    method === 'getBlock' && params[0] === scene.slots.full && detailsOf(params) === 'full'
      ? change(result as Full, scene, invented)
      : result;
const detailsOf = (params: readonly unknown[]): unknown =>
  (params[1] as { readonly transactionDetails?: unknown } | undefined)?.transactionDetails;

const transaction = (
  kind: Kind,
  change: (one: Transaction, scene: SolanaScene) => Transaction,
): SolanaLie['change'] =>
  block((full, scene) => ({
    ...full,
    transactions: full.transactions.map((one, index) =>
      index === scene.at[kind] ? change(one, scene) : one,
    ),
  }));
const meta = (kind: Kind, change: (meta: Meta, scene: SolanaScene) => Partial<Meta>): SolanaLie['change'] =>
  transaction(kind, (one, scene) => ({ ...one, meta: { ...one.meta!, ...change(one.meta!, scene) } }));

/** Moves lamports between accounts of a transaction; -1 is nobody. */
const moved = (
  balances: readonly number[],
  [from, to]: readonly [number, number],
  lamports: number,
): number[] =>
  balances.map((amount, index) => amount + (index === to ? lamports : 0) - (index === from ? lamports : 0));
/** The leader's reward for that many lamports more. */
const rewarded = (full: Full, more: number): Full => ({
  ...full,
  rewards: full.rewards!.map((reward) => ({ ...reward, lamports: reward.lamports + more })),
});
const without = (full: Full, position: number): Full => ({
  ...full,
  transactions: full.transactions.filter((_, index) => index !== position),
});
/** The signatures that the node lists without the one at `position`; all of them for undefined. */
const alsoListing =
  (lie: SolanaLie['change'], kind: Kind | undefined): SolanaLie['change'] =>
  (scene, invented) =>
  (call, result) => {
    const { method, params } = call;
    if (method !== 'getBlock' || params[0] !== scene.slots.full || detailsOf(params) !== 'signatures')
      return lie(scene, invented)(call, result);
    const list = result as { readonly signatures: readonly string[] };
    return {
      ...list,
      signatures: list.signatures.filter((_, index) => kind !== undefined && index !== scene.at[kind]),
    };
  };

/** A payment to Erin with these bytes, and what it did. */
function appended(full: Full, bytes: Buffer): Full {
  const { meta: like, version } = full.transactions[0]!;
  const invented: Meta = {
    ...like!,
    err: null,
    preBalances: [1_000_000, 0, 1],
    postBalances: [1_000_000 - FEE - 123_456, 123_456, 1],
  };
  return rewarded(
    {
      ...full,
      transactions: [
        ...full.transactions,
        { transaction: [bytes.toString('base64'), 'base64'], meta: invented, version },
      ],
    },
    LEADER_PART,
  );
}
const appending = (change: (bytes: Buffer) => Buffer): SolanaLie['change'] =>
  block((full, _, invented) => appended(full, change(Buffer.from(invented, 'base64'))));

export const CREDITS: readonly SolanaLie[] = [
  {
    name: 'lamports out of nothing',
    alone: 'refused',
    change: meta('credit', ({ postBalances }) => ({ postBalances: moved(postBalances, [-1, 1], 7) })),
  },
  {
    name: "lamports of another's payment",
    alone: 'attested',
    change: meta('credit', ({ postBalances }) => ({ postBalances: moved(postBalances, [2, 1], 4_000) })),
  },
  {
    name: 'more tokens',
    alone: 'attested',
    change: meta('tokens', ({ postTokenBalances }) => ({
      postTokenBalances: postTokenBalances!.map((one) => ({
        ...one,
        uiTokenAmount: { ...one.uiTokenAmount, amount: '3300' },
      })),
    })),
  },
  {
    name: 'tokens for somebody else',
    alone: 'attested',
    change: meta('tokens', ({ postTokenBalances }, { erin }) => ({
      postTokenBalances: postTokenBalances!.map((one) => ({ ...one, owner: erin })),
    })),
  },
  {
    name: 'tokens in a payment without any',
    alone: 'attested',
    change: block((full, { at, erin }) => ({
      ...full,
      transactions: full.transactions.map((one, index) =>
        index !== at.credit
          ? one
          : {
              ...one,
              meta: {
                ...one.meta!,
                postTokenBalances: full.transactions[at.tokens]!.meta!.postTokenBalances!.map((balance) => ({
                  ...balance,
                  accountIndex: 1,
                  owner: erin,
                })),
              },
            },
      ),
    })),
  },
  {
    name: 'a transaction that nobody signed',
    alone: 'refused',
    change: appending((bytes) => bytes.fill(0, 1, 65)),
  },
  {
    name: 'a transaction with a wrong signature',
    alone: 'refused',
    change: appending((bytes) => {
      bytes[2] = bytes[2]! ^ 1;
      return bytes;
    }),
  },
  {
    name: 'a signed transaction that no block has',
    alone: 'attested',
    change: appending((bytes) => bytes),
  },
  {
    name: 'a failed payment that is told as made',
    alone: 'attested',
    change: meta('failed', ({ preBalances }) => ({
      err: null,
      preBalances: preBalances.map((amount, index) => amount + (index === 0 ? 50_000_000_000 : 0)),
      postBalances: preBalances.map(
        (amount, index) => amount + (index === 0 ? -FEE : index === 1 ? 50_000_000_000 : 0),
      ),
    })),
  },
];

export const DEBITS: readonly SolanaLie[] = [
  {
    name: 'a debit that is not told',
    alone: 'attested',
    change: meta('debit', ({ postBalances }) => ({ postBalances: moved(postBalances, [1, 0], 700) })),
  },
  {
    name: 'a larger debit',
    alone: 'attested',
    change: meta('debit', ({ postBalances }) => ({ postBalances: moved(postBalances, [0, 1], 100_000) })),
  },
  {
    name: 'other balances before',
    alone: 'attested',
    change: meta('debit', ({ preBalances }) => ({ preBalances: moved(preBalances, [1, 0], 100_000) })),
  },
  {
    name: 'no token balances',
    alone: 'attested',
    change: meta('tokens', () => ({ preTokenBalances: null, postTokenBalances: null })),
  },
  {
    name: 'a payment that is told as failed',
    alone: 'attested',
    change: meta('credit', ({ preBalances }) => ({
      err: { InstructionError: [0, { Custom: 1 }] },
      postBalances: preBalances.map((amount, index) => amount - (index === 0 ? FEE : 0)),
    })),
  },
  {
    name: 'another fee',
    alone: 'refused',
    change: meta('debit', ({ fee }) => ({ fee: fee + 1_000 })),
  },
  {
    name: 'another fee that was paid and collected',
    alone: 'attested',
    change: (scene, invented) => (call, result) =>
      block((full) => rewarded(full, 1_000))(scene, invented)(
        call,
        meta('debit', ({ fee, postBalances }) => ({
          fee: fee + 1_000,
          postBalances: moved(postBalances, [0, -1], 1_000),
        }))(scene, invented)(call, result),
      ),
  },
];

export const HIDING: readonly SolanaLie[] = [
  {
    name: 'a payment that is left out',
    alone: 'refused',
    change: block((full, { at }) => without(full, at.credit)),
  },
  {
    name: 'a payment that is left out of the list, too',
    alone: 'unproved',
    change: alsoListing(
      block((full, { at }) => without(full, at.credit)),
      'credit',
    ),
  },
  {
    name: 'a payment that is left out of the list and the reward, too',
    alone: 'attested',
    change: alsoListing(
      block((full, { at }) => rewarded(without(full, at.credit), -LEADER_PART)),
      'credit',
    ),
  },
  {
    name: 'an empty block that lists nothing',
    alone: 'attested',
    change: alsoListing(
      block((full) => ({ ...full, transactions: [], rewards: [] })),
      undefined,
    ),
  },
  {
    name: 'a slot without a block',
    alone: 'refused',
    change:
      ({ slots }) =>
      ({ method, params }, result) => {
        if (method === 'getBlock' && params[0] === slots.full)
          throw new SpecRefusal(-32007, `Slot ${slots.full} was skipped, or missing due to ledger jump`);
        return result;
      },
  },
];

export const STRIPPED: readonly SolanaLie[] = [
  {
    name: 'no meta',
    alone: 'refused',
    change: transaction('credit', (one) => ({ ...one, meta: null })),
  },
  { name: 'no word of failure', alone: 'refused', change: meta('failed', () => ({ err: undefined })) },
  {
    name: 'no inner instructions',
    alone: 'harmless',
    change: meta('tokens', () => ({ innerInstructions: null })),
  },
  {
    name: 'no looked-up addresses',
    alone: 'refused',
    change: meta('loaded', () => ({ loadedAddresses: { writable: [], readonly: [] } })),
  },
  {
    name: 'other looked-up addresses',
    alone: 'attested',
    change: meta('loaded', ({ loadedAddresses: { writable, readonly } }, { alice, erin }) => ({
      loadedAddresses: { readonly, writable: writable.map((key) => (key === alice ? erin : key)) },
    })),
  },
  { name: 'no rewards', alone: 'harmless', change: block((full) => ({ ...full, rewards: null })) },
  {
    name: 'a version that nobody knows',
    alone: 'unproved',
    change: transaction('loaded', ({ transaction: [text], ...one }) => {
      const bytes = Buffer.from(text, 'base64');
      // Behind its one signature.
      bytes[65] = 0x85;
      return { ...one, transaction: [bytes.toString('base64'), 'base64'], version: 5 };
    }),
  },
];
