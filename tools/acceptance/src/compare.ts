// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Harness } from './harness.ts';
import type { Project } from './project.ts';
import type { ReceivedEvent, Receiver } from './receiver.ts';
import type { ExpectedTransaction, TestChain, Watched } from './test-chain.ts';
import type { TransactionRecord } from './transaction-record.ts';

/**
 * Every way in which the service disagrees with the chain, in words; empty when it is right. Blocks from
 * the first on that counts for an address are compared.
 */
export async function findDisagreements(
  harness: Harness<TestChain>,
  project: Project,
  registered: readonly Watched[],
): Promise<string[]> {
  const { chain, receiver } = harness;
  const watched = await harness.readWatched(project, registered);
  // Blocks before the first that counts for anybody can say nothing: they are not read again for every comparison.
  const expected = await expectFrom(
    harness,
    watched,
    ({ fromBlock, historyFrom = Number.POSITIVE_INFINITY }) =>
      Math.min(Math.max(harness.startBlock, fromBlock), historyFrom),
  );
  const live = watched.some(({ historyFrom }) => historyFrom !== undefined)
    ? await expectFrom(harness, watched, ({ fromBlock }) => Math.max(harness.startBlock, fromBlock))
    : expected;
  const actual = new Map(
    (await project.listAll<TransactionRecord>('/transactions')).map((record) => [record.hash, record]),
  );
  const faults: string[] = [];

  for (const [hash, want] of expected) {
    const got = actual.get(hash);
    if (got === undefined)
      faults.push(
        `missed transaction ${hash} of block ${want.blockNumber}: ${want.transfers.join('; ')}; watched ${JSON.stringify(watched)}`,
      );
    else faults.push(...findTransactionFaults(want, got, project.depth));
  }
  const absent = chain.failure === 'end' ? ['reorged', 'failed'] : ['reorged'];
  for (const [hash, got] of actual) {
    if (!expected.has(hash) && !absent.includes(got.status))
      faults.push(`phantom transaction ${hash} with status ${got.status}`);
  }
  faults.push(...(chain.findRecordFaults?.(actual) ?? []));
  faults.push(...findEventFaults(chain, { project, receiver, expected, actual, live }));
  faults.push(...(await chain.findBalanceFaults(project, watched)));
  return faults;
}

function expectFrom(
  { chain }: Harness<TestChain>,
  watched: readonly Watched[],
  firstOf: (address: Watched) => number,
): Promise<Map<string, ExpectedTransaction>> {
  const firsts = new Map(watched.map((entry) => [entry.address, firstOf(entry)]));
  return chain.expectTransactions(firsts, Math.min(...firsts.values()));
}

function findTransactionFaults(
  want: ExpectedTransaction,
  got: TransactionRecord,
  depth: number | undefined,
): string[] {
  const faults: string[] = [];
  const status = want.isFailed ? 'failed' : isConfirmed(got, depth) ? 'confirmed' : 'detected';
  if (depth !== undefined && got.required_confirmations !== depth)
    faults.push(`${want.hash}: expected ${depth} required confirmations, got ${got.required_confirmations}`);
  if (got.status !== status) faults.push(`${want.hash}: expected ${status}, got ${got.status}`);
  if (got.block_hash !== want.blockHash)
    faults.push(
      `${want.hash}: expected block ${want.blockNumber} ${want.blockHash}, got ${got.block_number} ${got.block_hash}`,
    );
  if (got.replaced_by !== null)
    faults.push(`${want.hash}: stands in a block, and is said to be replaced by ${got.replaced_by}`);
  const transfers = got.transfers
    .map((t) => `${t.type} ${t.asset_gid} ${t.from} ${t.to} ${t.amount_raw}`.toLowerCase())
    .sort();
  if (JSON.stringify(transfers) !== JSON.stringify(want.transfers))
    faults.push(`${want.hash}: expected transfers ${want.transfers.join('; ')}, got ${transfers.join('; ')}`);
  if (want.direction !== undefined && got.direction !== want.direction)
    faults.push(`${want.hash}: expected direction ${want.direction}, got ${got.direction}`);
  const fee = got.fee?.amount_raw ?? null;
  if (want.feesRaw !== undefined && !want.feesRaw.includes(fee))
    faults.push(`${want.hash}: expected a fee of ${want.feesRaw.join(' or ')}, got ${fee}`);
  return faults;
}

/** After everything that the chain has is final. */
function isConfirmed({ confirmations }: TransactionRecord, depth: number | undefined): boolean {
  return depth === undefined || confirmations >= depth;
}

interface ToldOf {
  readonly project: Project;
  readonly receiver: Receiver;
  readonly expected: ReadonlyMap<string, ExpectedTransaction>;
  /** Those of `expected` that the head tells of, not history. */
  readonly live: ReadonlyMap<string, ExpectedTransaction>;
  readonly actual: ReadonlyMap<string, TransactionRecord>;
}

function findEventFaults(chain: TestChain, { project, receiver, expected, actual, live }: ToldOf): string[] {
  const faults = [...receiver.faults];
  const seen = new Map<string, number>();
  const sequences = new Set<number>();
  for (const event of receiver.events.values()) {
    if (event.body['project_id'] !== project.id) continue;
    const isHistorical = event.body['is_historical'] === true;
    if (
      (event.sequence === null) !== isHistorical ||
      (isHistorical && event.type !== 'transaction.confirmed')
    )
      faults.push(`event ${event.eventId} of type ${event.type}: sequence ${event.sequence}`);
    if (event.sequence !== null && sequences.has(event.sequence))
      faults.push(`sequence ${event.sequence} was given twice`);
    if (event.sequence !== null) sequences.add(event.sequence);
    if (event.transactionHash === undefined) continue;
    if (!actual.has(event.transactionHash))
      faults.push(`event ${event.type} of unknown transaction ${event.transactionHash}`);
    faults.push(...findCountFaults(project, event));
    for (const key of [event.type, ...(isHistorical ? ['transaction.historical'] : [])])
      seen.set(`${key} ${event.transactionHash}`, (seen.get(`${key} ${event.transactionHash}`) ?? 0) + 1);
  }
  for (const hash of actual.keys()) {
    const want = expected.get(hash);
    const count = (type: string): number => seen.get(`transaction.${type} ${hash}`) ?? 0;
    const told =
      count('detected') + count('historical') + (chain.failure === 'outcome' ? count('failed') : 0);
    const undone = count('reorged') + (chain.failure === 'end' ? count('failed') : 0);
    // Nobody is told of what failed before the address was watched.
    const isUntold = want?.isFailed === true && !live.has(hash);
    if (told !== undone + (want === undefined ? 0 : 1) && !(isUntold && told === 0 && undone === 0))
      faults.push(`${hash}: ${told} told and ${undone} undone by events, canonical: ${want !== undefined}`);
    const confirmed = count('confirmed');
    const least = isConfirmed(actual.get(hash)!, project.depth) ? 1 : 0;
    if (want !== undefined && !want.isFailed && (confirmed < least || confirmed > least + count('reorged')))
      faults.push(`${hash}: ${confirmed} confirmed events, ${count('reorged')} reorged`);
  }
  return faults;
}

/** What an event says of its confirmations. */
function findCountFaults({ depth }: Project, { type, eventId, body }: ReceivedEvent): string[] {
  const { transaction } = body['data'] as { transaction: TransactionRecord };
  const { confirmations, required_confirmations: required } = transaction;
  if (type === 'transaction.progress' && confirmations > required)
    return [`event ${eventId}: progress of ${confirmations} of ${required}`];
  if (type === 'transaction.confirmed' && confirmations < (depth ?? 1))
    return [`event ${eventId}: confirmed with ${confirmations}, expected ${depth}`];
  return [];
}

/** Exact decimal string → base units; written here again because the oracle shares no code. */
export function toRaw(decimal: string | undefined, decimals: number): bigint | undefined {
  if (decimal === undefined) return undefined;
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(whole! + fraction.padEnd(decimals, '0'));
}

/** Until the service tells of the block: what it read at the head before is certain then. */
export async function waitForBlock(
  project: Project,
  gid: string,
  { address, block }: { address: string; block: number },
): Promise<void> {
  await waitFor(() =>
    project.getBalancesAt(address, gid, block).then(
      () => true,
      () => undefined,
    ),
  );
}

export interface Past {
  readonly project: Project;
  readonly gid: string;
  readonly watched: readonly Watched[];
  readonly head: number;
  /** Faults of the balances after the block. */
  readonly compare: (
    address: string,
    block: number,
    balances: Readonly<Record<string, string>>,
  ) => Promise<string[]>;
}

/** How many past balances were answered and compared in this process. */
export const past = { compared: 0 };

/** Compares past balances at the first block that counts for an address, the last but one, and one between, unless they are refused. */
export async function findPastFaults({ project, gid, watched, head, compare }: Past): Promise<string[]> {
  const faults: string[] = [];
  for (const { address, fromBlock } of watched)
    for (const block of new Set([fromBlock, Math.floor((fromBlock + head) / 2), head - 1])) {
      if (block < fromBlock || block > head) continue;
      const balances = await project.getBalancesAt(address, gid, block);
      if (balances === undefined) continue;
      past.compared += 1;
      faults.push(...(await compare(address, block, balances)));
    }
  return faults;
}
