import type { Hex } from 'viem';
import type { ChainActor, NodeRpc } from './chain-actor.ts';
import { expectTransactions } from './expectation.ts';
import type { Harness, Project } from './harness.ts';
import type { Receiver } from './receiver.ts';
import type { Watched } from './script.ts';

interface TransactionRecord {
  hash: string;
  status: string;
  block_number: number | null;
  block_hash: string | null;
  transfers: { type: string; asset_gid: string; from: string | null; to: string | null; amount_raw: string }[];
}

const CHAIN = 'eip155:31337';

/**
 * Every way in which the service disagrees with the chain, in words; empty when it is right. Blocks from the harness's
 * start on are compared.
 */
export async function findDisagreements(harness: Harness, project: Project, registered: readonly Watched[]): Promise<string[]> {
  const { receiver, actor, rpc, startBlock: from } = harness;
  const watched = await harness.readWatched(project, registered);
  const head = await actor.head();
  const first = new Map(watched.map(({ address, fromBlock }) => [address.toLowerCase(), fromBlock]));
  const expected = await expectTransactions(rpc, CHAIN, first, from, head);
  const actual = new Map((await project.listAll<TransactionRecord>('/transactions')).map((record) => [record.hash, record]));
  const faults: string[] = [];

  for (const [hash, want] of expected) {
    const got = actual.get(hash);
    if (got === undefined) {
      faults.push(`missed transaction ${hash} of block ${want.blockNumber}: ${want.transfers.join('; ')}; watched ${JSON.stringify(watched)}`);
      continue;
    }
    const status = want.isFailed ? 'failed' : 'confirmed';
    if (got.status !== status) faults.push(`${hash}: expected ${status}, got ${got.status}`);
    if (got.block_hash !== want.blockHash) faults.push(`${hash}: expected block ${want.blockNumber} ${want.blockHash}, got ${got.block_number} ${got.block_hash}`);
    const transfers = got.transfers.map((t) => `${t.type} ${t.asset_gid} ${t.from} ${t.to} ${t.amount_raw}`.toLowerCase()).sort();
    if (JSON.stringify(transfers) !== JSON.stringify(want.transfers)) faults.push(`${hash}: expected transfers ${want.transfers.join('; ')}, got ${transfers.join('; ')}`);
  }
  for (const [hash, got] of actual) {
    if (!expected.has(hash) && got.status !== 'reorged') faults.push(`phantom transaction ${hash} with status ${got.status}`);
  }
  faults.push(...findEventFaults(project, receiver, expected, actual));
  faults.push(...(await findBalanceFaults(project, actor, rpc, watched)));
  return faults;
}

function findEventFaults(project: Project, receiver: Receiver, expected: Map<string, { isFailed: boolean }>, actual: Map<string, TransactionRecord>): string[] {
  const faults = [...receiver.faults];
  const seen = new Map<string, number>();
  const sequences = new Set<number>();
  for (const event of receiver.events.values()) {
    if (event.body['project_id'] !== project.id) continue;
    if (sequences.has(event.sequence)) faults.push(`sequence ${event.sequence} was given twice`);
    sequences.add(event.sequence);
    if (event.transactionHash === undefined) continue;
    if (!actual.has(event.transactionHash)) faults.push(`event ${event.type} of unknown transaction ${event.transactionHash}`);
    const key = `${event.type} ${event.transactionHash}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  for (const hash of actual.keys()) {
    const want = expected.get(hash);
    const undone = seen.get(`transaction.reorged ${hash}`) ?? 0;
    const detected = (seen.get(`transaction.detected ${hash}`) ?? 0) + (seen.get(`transaction.failed ${hash}`) ?? 0);
    const confirmed = seen.get(`transaction.confirmed ${hash}`) ?? 0;
    if (detected !== undone + (want === undefined ? 0 : 1)) faults.push(`${hash}: ${detected} detected and ${undone} reorged events, canonical: ${want !== undefined}`);
    if (want !== undefined && !want.isFailed && (confirmed < 1 || confirmed > 1 + undone)) faults.push(`${hash}: ${confirmed} confirmed events, ${undone} reorged`);
  }
  return faults;
}

async function findBalanceFaults(project: Project, actor: ChainActor, rpc: NodeRpc, watched: readonly Watched[]): Promise<string[]> {
  const faults: string[] = [];
  const { token, rebasing, feeToken } = actor.deployed;
  for (const { address } of watched) {
    const balances = await project.get<Record<string, string>>(`/addresses/${address}/balances`);
    const native = BigInt(await rpc<Hex>('eth_getBalance', [address, 'latest']));
    if (toRaw(balances[`${CHAIN}/slip44:60`], 18) !== native) faults.push(`${address}: expected ${native} wei, got ${balances[`${CHAIN}/slip44:60`]}`);
    for (const contract of [token, rebasing, feeToken]) {
      const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
      const held = BigInt(await rpc<Hex>('eth_call', [{ to: contract, data }, 'latest']));
      const decimals = Number(await rpc<Hex>('eth_call', [{ to: contract, data: '0x313ce567' }, 'latest']));
      const got = balances[`${CHAIN}/erc20:${contract.toLowerCase()}`];
      // An asset that was never discovered on the address has no entry; then the chain must say zero.
      if ((toRaw(got, decimals) ?? 0n) !== held) faults.push(`${address}: expected ${held} of ${contract}, got ${got}`);
    }
  }
  return faults;
}

/** Exact decimal string → base units; written here again because the oracle shares no code. */
function toRaw(decimal: string | undefined, decimals: number): bigint | undefined {
  if (decimal === undefined) return undefined;
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(whole! + fraction.padEnd(decimals, '0'));
}
