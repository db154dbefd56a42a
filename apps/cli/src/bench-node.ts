// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef, ChainClient, ChainFamily, Network } from '@chainwatch/chain-core';
import { CliError, EXIT, wrongInput } from './cli-error.ts';

/** One thing that a node was asked for. */
export interface Ability {
  readonly what: string;
  /** `no`: it cannot, and need not; `fault`: it must, and does not. */
  readonly answer: 'yes' | 'no' | 'fault';
  readonly found: string;
  readonly duration_ms: number;
}

interface BenchOptions {
  readonly url: string;
  readonly network: Network;
  readonly family: ChainFamily;
  readonly calls: number;
  readonly block: number | undefined;
  readonly signal: AbortSignal;
  readonly show: (ability: Ability) => void;
}

/** What a question found; `isAble: false` where the node cannot. */
interface Found {
  readonly found: string;
  readonly isAble?: boolean;
}

interface Node {
  readonly client: ChainClient;
  /** An address that the chain knows, for questions where no other is at hand. */
  readonly anybody: string | undefined;
}

/** How far back blocks and balances are asked for. */
const PAST_BLOCKS = 10_000;
const HISTORY_BLOCKS = 10;
/** Some nodes do not tell of the block before it. */
const FIRST_BLOCK = 1;

/** Chain families are loaded here alone: no other command waits for them. @throws CliError where there is no such chain */
export async function findBenchFamily(chain: string): Promise<Pick<BenchOptions, 'network' | 'family'>> {
  const { findFamily, findNetwork } = await import('@chainwatch/chain-registry');
  const network = findNetwork(chain);
  const family = network && (await findFamily(network.namespace));
  if (network === undefined || family === undefined)
    throw wrongInput('--chain', `expected a chain of the catalogue, as CAIP-2 or by its name, got ${chain}`);
  return { network, family };
}

/** Asks the node through the code of its family, as the services do. @throws CliError where the URL is none */
export async function benchNode(options: BenchOptions): Promise<void> {
  const node = connect(options);
  try {
    await examine(node, options);
  } finally {
    node.client.close();
  }
}

function connect({ url, network, family }: BenchOptions): Node {
  try {
    const client = family.createClient({ network, endpointUrl: url });
    return { client, anybody: family.burnAddresses?.[0] };
  } catch (error) {
    throw wrongInput('url', `expected the URL of a node: ${(error as Error).message}`);
  }
}

async function examine({ client, anybody }: Node, options: BenchOptions): Promise<void> {
  const { signal } = options;
  const { must, may } = createAsk(options);
  const { network } = client;
  const isRight = await must('chain', async () => {
    await client.verifyChain(signal);
    return { found: `${network.displayName}, ${network.gid}` };
  });
  if (!isRight) return;
  await must('latency', () => measureHeads(client, options));
  let ref = await findFinal(client, options);
  let block: Block | undefined;
  await must('block', async () => {
    ref ??= await client.readHead(signal);
    block = await client.readBlock(ref, signal);
    return { found: describeBlock(block) };
  });
  if (ref === undefined) return;
  const last = ref;
  const past = Math.max(last.number - PAST_BLOCKS, FIRST_BLOCK);
  let old: BlockRef | undefined;
  await may('old blocks', async () => {
    old = await client.findHeaderByNumber(past, signal);
    if (old === undefined) return { isAble: false, found: `it has no block ${past}` };
    await client.readBlock(old, signal);
    return { found: `it has block ${past}` };
  });
  await may('push of heads', async () => offered(client.subscribeHeads));
  const holder = (block && findHolder(block)) ?? anybody;
  if (client.coins === undefined && holder !== undefined) {
    await may('old balances', async () => {
      if (old === undefined) return { isAble: false, found: `it has no block ${past}` };
      if (network.native === undefined)
        return { isAble: false, found: 'not asked: the chain has no native coin' };
      await client.readBalances(old, [{ address: holder, assetGid: network.native.gid }], signal);
      return { found: `it has the state of block ${past}` };
    });
    await may('history of an address', async () => {
      const range = { fromBlock: Math.max(last.number - HISTORY_BLOCKS, FIRST_BLOCK), toBlock: last.number };
      const found = await client.findBlocksOf?.({ addresses: [holder], ...range }, signal);
      return offered(found);
    });
  }
  const { coins, mempool } = client;
  if (coins) await may('spent outputs', async () => offered(await coins.readSpentOutputs(last, signal)));
  if (mempool)
    await may('mempool', async () => ({
      found: `${(await mempool.readSnapshot(signal)).hashes.length} transactions wait`,
    }));
}

/** What it is asked for must be there, or may be. Resolves to whether it is. */
type Ask = (what: string, question: () => Promise<Found>) => Promise<boolean>;

function createAsk({ show, signal }: BenchOptions): { readonly must: Ask; readonly may: Ask } {
  const ask =
    (lacking: 'no' | 'fault'): Ask =>
    async (what, question) => {
      const started = performance.now();
      const tell = (answer: Ability['answer'], found: string): boolean => {
        show({ what, answer, found, duration_ms: Math.round(performance.now() - started) });
        return answer === 'yes';
      };
      try {
        const { found, isAble = true } = await question();
        return tell(isAble ? 'yes' : 'no', found);
      } catch (error) {
        if (signal.aborted) throw new CliError('Stopped.', EXIT.interrupted);
        return tell(lacking, (error as Error).message);
      }
    };
  return { must: ask('fault'), may: ask('no') };
}

function offered(value: unknown): Found {
  return value === undefined ? { isAble: false, found: 'not offered' } : { found: 'offered' };
}

async function measureHeads(client: ChainClient, { calls, signal }: BenchOptions): Promise<Found> {
  const spent: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const started = performance.now();
    await client.readHead(signal);
    spent.push(performance.now() - started);
  }
  spent.sort((one, other) => one - other);
  const at = (share: number): string => (spent[Math.ceil(calls * share) - 1] ?? 0).toFixed(1);
  return {
    found: `${at(0.5)} ms in the middle, ${at(0.95)} ms at 95 %, ${at(1)} ms at most, of ${calls} calls`,
  };
}

/** The block that was asked for, else what the node calls final. */
async function findFinal(client: ChainClient, options: BenchOptions): Promise<BlockRef | undefined> {
  const { signal, block } = options;
  const { must, may } = createAsk(options);
  let final: BlockRef | undefined;
  await may('finality', async () => {
    final = await client.findFinalized(signal);
    return final === undefined
      ? { isAble: false, found: 'not told: blocks are final at a depth' }
      : { found: `told, block ${final.number}` };
  });
  if (block === undefined) return final;
  let asked: BlockRef | undefined;
  await must('header', async () => {
    asked = await client.findHeaderByNumber(block, signal);
    if (asked === undefined) throw new CliError(`it has no block ${block}`);
    return { found: `block ${block} is ${asked.hash}` };
  });
  return asked;
}

function describeBlock({ number, transactions }: Block): string {
  const transfers = transactions.reduce((sum, one) => sum + one.transfers.length, 0);
  const outputs = transactions.reduce((sum, one) => sum + (one.utxo?.outputs.length ?? 0), 0);
  const moved = outputs > 0 ? `${outputs} outputs` : `${transfers} transfers`;
  return `${number} is complete, ${transactions.length} transactions with ${moved}`;
}

/** Somebody of whom the chain knows. */
function findHolder({ transactions }: Block): string | undefined {
  for (const { from, to } of transactions) if (from !== undefined || to !== undefined) return from ?? to;
  return undefined;
}
