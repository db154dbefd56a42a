// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainError, type BlockRef } from '@chainwatch/chain-core';
import {
  endRehearsal,
  findPoison,
  isItemFault,
  rehearse,
  retryAll,
  RETRY_EVERY,
  setAside,
} from '@chainwatch/data/quarantine';
import type { BalanceReader } from '../read/balance-reader.ts';
import type { BalanceStore } from '../store/balance-store.ts';
import type { Answers } from '../read/read-targets.ts';
import type { Target } from '../read/target.ts';
import type { BalanceEvent } from '../store/insert-events.ts';

/** The two halves of a step. */
export interface Settle {
  /** Asks the chain. */
  readonly read: (targets: readonly Target[]) => Promise<Answers>;
  /** Plans, and writes with `write`. Undefined: the analyzer has to move first. */
  readonly store: (
    answers: Answers,
    readIds: readonly number[],
    write: BalanceStore['write'],
  ) => Promise<BalanceEvent[] | undefined>;
}

interface Suspects {
  readonly chainGid: string;
  readonly targets: readonly Target[];
  readonly cursor: BlockRef;
  readonly settle: Settle;
}

/**
 * Finds the balances that make the step fail even alone, and sets them aside: they are not read until they are tried
 * again. What the chain has answered is not asked for again: contracts may make each answer dear. True when there is one.
 */
export async function setAsidePoison(
  store: BalanceStore,
  suspects: Suspects,
  isFault: (error: unknown) => boolean = isItemFault,
): Promise<boolean> {
  const { chainGid, targets, cursor, settle } = suspects;
  const write: BalanceStore['write'] = (work) =>
    store.write(async (sql) => {
      await work(sql);
      return endRehearsal(sql);
    });
  const answers: Answers[] = [];
  const silent = await findPoison(
    targets,
    async (some) => void answers.push(await settle.read(some)),
    isFault,
  );
  const stored = await findPoison(
    answers.flatMap(splitAnswers),
    (some) => rehearse(() => settle.store(joinAnswers(some), [], write)),
    isFault,
  );
  const poison = [
    ...silent,
    ...stored.map(({ item, error }) => ({ item: (item.readings[0] ?? item.silent[0])!, error })),
  ];
  if (poison.length === 0) return false;
  await store.write(async (sql) => {
    await setAside(
      sql,
      chainGid,
      poison.map(({ item: { addressId, projectId, assetGid, block }, error }) => ({
        ...{ step: 'balances', projectId, addressId, assetGid, error },
        subject: { type: 'address', id: addressId },
        block: block ?? cursor,
      })),
    );
    await sql.query(
      `DELETE FROM balance_reads q USING unnest($2::uuid[], $3::text[]) AS p (address_id, asset_gid)
       WHERE q.chain_gid = $1 AND q.reason = 'retry' AND q.address_id = p.address_id AND q.asset_gid = p.asset_gid`,
      [chainGid, poison.map(({ item }) => item.addressId), poison.map(({ item }) => item.assetGid)],
    );
  });
  return true;
}

/** One balance each. */
function splitAnswers({ readings, silent }: Answers): Answers[] {
  return [
    ...readings.map((reading) => ({ readings: [reading], silent: [] })),
    ...silent.map((target) => ({ readings: [], silent: [target] })),
  ];
}

function joinAnswers(answers: readonly Answers[]): Answers {
  return {
    readings: answers.flatMap(({ readings }) => readings),
    silent: answers.flatMap(({ silent }) => silent),
  };
}

/**
 * The node answers nothing for the balances of a single row. Where it does answer for the native coin of the same
 * address (without a coin: for its head), they are set aside: contracts may cost more time than a node gives. True when there is one.
 */
export async function setAsideUnanswered(
  store: BalanceStore,
  client: BalanceReader,
  { signal, ...suspects }: Suspects & { readonly signal: AbortSignal },
): Promise<boolean> {
  const [target] = suspects.targets;
  if (target === undefined) return false;
  const coin = client.network.native?.gid;
  const asking: Promise<unknown> | undefined =
    coin === undefined
      ? client.readHead?.(signal)
      : client.readBalances(suspects.cursor, [{ address: target.address, assetGid: coin }], signal);
  if (asking === undefined) return false;
  const isAnswered = await asking.then(
    () => true,
    () => false,
  );
  return isAnswered && setAsidePoison(store, suspects, isUnanswered);
}

/** A node that only lacks a block answers later. */
function isUnanswered(error: unknown): boolean {
  return error instanceof ChainError && !(error instanceof BlockNotFoundError);
}

/** Asks again for the balances that were set aside and are due; after a start, for all. */
export async function askAgain(store: BalanceStore, chainGid: string, isStart: boolean): Promise<void> {
  await store.write(async (sql) => {
    if (isStart) await retryAll(sql, chainGid, 'balances');
    await sql.query(
      `WITH due AS (
         UPDATE incidents SET retry_at = clock_timestamp() + ${RETRY_EVERY}
         WHERE chain_gid = $1 AND kind = 'poison:balances' AND status = 'quarantined' AND retry_at <= clock_timestamp()
         RETURNING address_id, asset_gid)
       INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason) SELECT $1, address_id, asset_gid, 'retry' FROM due`,
      [chainGid],
    );
  });
}
