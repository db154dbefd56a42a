// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError } from '@chainwatch/chain-core';
import { z } from 'zod';
import { isBehindContext } from './classify-node-error.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { parse } from './read-headers.ts';
import type { Session } from './session.ts';

/** Accounts of one request: the node's limit. */
export const ACCOUNTS_MAX = 100;

const accountSchema = z.object({
  lamports: z.union([z.int().min(0), z.string().regex(/^\d+$/)]).transform(BigInt),
  owner: z.string(),
  data: z
    .tuple([z.string(), z.literal('base64')])
    .transform(([text]) => new Uint8Array(Buffer.from(text, 'base64'))),
});
const contextSchema = z.object({ slot: z.int().min(0) });
const multipleSchema = z.object({ context: contextSchema, value: z.array(accountSchema.nullable()) });
const keyedSchema = z.object({
  context: contextSchema,
  value: z.array(z.object({ pubkey: z.string(), account: accountSchema })),
});

export type ChainAccount = z.infer<typeof accountSchema>;

/** A value as of the state at `slot`. */
export interface AtSlot<T> {
  readonly slot: number;
  readonly value: T;
}

export interface StateOptions {
  /** The state must not be older than this slot. */
  readonly slotMin?: number;
  readonly dataSlice?: { readonly offset: number; readonly length: number };
  readonly signal?: AbortSignal;
}

/**
 * Accounts in the order of `keys`, null where there is none. They are read in batches, which may be of
 * different slots.
 */
export async function readAccounts(
  session: Session,
  keys: readonly string[],
  options: StateOptions = {},
): Promise<AtSlot<ChainAccount | null>[]> {
  const batches: Promise<AtSlot<ChainAccount | null>[]>[] = [];
  for (let from = 0; from < keys.length; from += ACCOUNTS_MAX)
    batches.push(readBatch(session, keys.slice(from, from + ACCOUNTS_MAX), options));
  return (await Promise.all(batches)).flat();
}

async function readBatch(
  session: Session,
  keys: readonly string[],
  options: StateOptions,
): Promise<AtSlot<ChainAccount | null>[]> {
  const { context, value } = parse(
    'getMultipleAccounts',
    multipleSchema,
    await readState(session, { method: 'getMultipleAccounts', params: [keys], options }),
  );
  if (value.length !== keys.length)
    throw new BlockNotFoundError(
      `getMultipleAccounts: expected ${keys.length} accounts, got ${value.length}`,
    );
  return value.map((account) => ({ slot: context.slot, value: account }));
}

interface TokenAccountQuery extends StateOptions {
  readonly owner: string;
  readonly mint?: string | undefined;
}

/** Token accounts of `owner`, of one mint or of both token programs. */
export async function readTokenAccounts(
  session: Session,
  { owner, mint, ...options }: TokenAccountQuery,
): Promise<AtSlot<{ pubkey: string; account: ChainAccount }[]>[]> {
  const filters =
    mint === undefined ? [{ programId: TOKEN_PROGRAM }, { programId: TOKEN_2022_PROGRAM }] : [{ mint }];
  return Promise.all(
    filters.map(async (filter) => {
      const { context, value } = parse(
        'getTokenAccountsByOwner',
        keyedSchema,
        await readState(session, { method: 'getTokenAccountsByOwner', params: [owner, filter], options }),
      );
      return { slot: context.slot, value };
    }),
  );
}

async function readState(
  session: Session,
  {
    method,
    params,
    options: { slotMin, dataSlice, signal },
  }: { readonly method: string; readonly params: readonly unknown[]; readonly options: StateOptions },
): Promise<unknown> {
  const config = {
    commitment: 'confirmed',
    encoding: 'base64',
    minContextSlot: slotMin,
    dataSlice,
  };
  try {
    return await session.rpc.call(method, [...params, config], signal);
  } catch (error) {
    if (!isBehindContext(error)) throw error;
    throw new BlockNotFoundError(`${method}: the node has not reached slot ${slotMin}`, {
      cause: error,
      publicMessage: `block ${slotMin} is not known to the node`,
    });
  }
}
