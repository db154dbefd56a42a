import type { Harness } from './harness.ts';
import type { Project } from './project.ts';
import type { Receiver } from './receiver.ts';
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
  const from = Math.max(harness.startBlock, Math.min(...watched.map(({ fromBlock }) => fromBlock)));
  const expected = await chain.expectTransactions(
    new Map(watched.map(({ address, fromBlock }) => [address, fromBlock])),
    from,
  );
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
    else faults.push(...findTransactionFaults(want, got));
  }
  const absent = chain.failure === 'end' ? ['reorged', 'failed'] : ['reorged'];
  for (const [hash, got] of actual) {
    if (!expected.has(hash) && !absent.includes(got.status))
      faults.push(`phantom transaction ${hash} with status ${got.status}`);
  }
  faults.push(...(chain.findRecordFaults?.(actual) ?? []));
  faults.push(...findEventFaults(chain, project, receiver, expected, actual));
  faults.push(...(await chain.findBalanceFaults(project, watched)));
  return faults;
}

function findTransactionFaults(want: ExpectedTransaction, got: TransactionRecord): string[] {
  const faults: string[] = [];
  const status = want.isFailed ? 'failed' : 'confirmed';
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

function findEventFaults(
  chain: TestChain,
  project: Project,
  receiver: Receiver,
  expected: ReadonlyMap<string, ExpectedTransaction>,
  actual: ReadonlyMap<string, TransactionRecord>,
): string[] {
  const faults = [...receiver.faults];
  const seen = new Map<string, number>();
  const sequences = new Set<number>();
  for (const event of receiver.events.values()) {
    if (event.body['project_id'] !== project.id) continue;
    if (sequences.has(event.sequence)) faults.push(`sequence ${event.sequence} was given twice`);
    sequences.add(event.sequence);
    if (event.transactionHash === undefined) continue;
    if (!actual.has(event.transactionHash))
      faults.push(`event ${event.type} of unknown transaction ${event.transactionHash}`);
    const key = `${event.type} ${event.transactionHash}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  for (const hash of actual.keys()) {
    const want = expected.get(hash);
    const count = (type: string): number => seen.get(`transaction.${type} ${hash}`) ?? 0;
    const told = count('detected') + (chain.failure === 'outcome' ? count('failed') : 0);
    const undone = count('reorged') + (chain.failure === 'end' ? count('failed') : 0);
    if (told !== undone + (want === undefined ? 0 : 1))
      faults.push(`${hash}: ${told} told and ${undone} undone by events, canonical: ${want !== undefined}`);
    const confirmed = count('confirmed');
    if (want !== undefined && !want.isFailed && (confirmed < 1 || confirmed > 1 + count('reorged')))
      faults.push(`${hash}: ${confirmed} confirmed events, ${count('reorged')} reorged`);
  }
  return faults;
}

/** Exact decimal string → base units; written here again because the oracle shares no code. */
export function toRaw(decimal: string | undefined, decimals: number): bigint | undefined {
  if (decimal === undefined) return undefined;
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(whole! + fraction.padEnd(decimals, '0'));
}
