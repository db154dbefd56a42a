// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  parseEndpoint,
  type Dial,
  type NetworkDocument,
  type ProbedNetwork,
  type ProbeFinding,
  type ProbeOptions,
} from '@chainwatch/chain-core';
import { HttpTransport } from '../http-transport.ts';
import { toRawHeader } from '../parse-raw-block.ts';
import { toBlockHeader } from '../parse-header.ts';
import type { RawTransaction } from '../raw-block.ts';
import { askFinality, askLogRanges, askMulticall, askRawEncodings, askTraces } from './ask-abilities.ts';
import { judgeStacks, type Proofs } from './judge-stack.ts';
import { readSample, type Sample, type SampleBlock } from './read-sample.ts';

const TIMEOUT_MS = 20_000;
const CONCURRENCY = 4;

/** Reads the last 50 blocks of a node, and says what they prove and what the node can. @throws ChainClientError */
export async function probeNetwork(options: ProbeOptions & { readonly dial?: Dial }): Promise<ProbedNetwork> {
  const { endpointUrl, dial, signal } = options;
  const transport = new HttpTransport({
    endpoint: parseEndpoint(endpointUrl),
    dial,
    timeoutMs: TIMEOUT_MS,
    concurrency: CONCURRENCY,
  });
  try {
    const chainId = await readQuantity(transport, 'eth_chainId', signal);
    const head = Number(await readQuantity(transport, 'eth_blockNumber', signal));
    return await measure(options, { transport, gid: `eip155:${chainId}`, head });
  } finally {
    transport.close();
  }
}

async function measure(
  { signal, findDocument, onFinding }: ProbeOptions,
  {
    transport,
    gid,
    head,
  }: { readonly transport: HttpTransport; readonly gid: string; readonly head: number },
): Promise<ProbedNetwork> {
  const asked = { transport, head, signal };
  const known = findDocument(gid);
  onFinding({
    what: 'chain',
    answer: known === undefined ? 'no' : 'yes',
    found: known === undefined ? `${gid}, which this release does not know` : `${gid}, ${known.display_name}`,
  });
  const sample = await readSample(transport, { head, signal });
  const { blocks } = sample;
  const proofs = await judgeStacks(blocks);
  for (const finding of describeProofs(sample, proofs)) onFinding(finding);
  const transactions = blocks.flatMap(
    ({ json }) => (JSON.parse(json) as { transactions: RawTransaction[] }).transactions,
  );
  onFinding({ what: 'raw encodings', ...(await askRawEncodings(asked, transactions.at(-1)?.hash)) });
  const types = [...new Set(transactions.map(({ type }) => type ?? '0x0'))].sort();
  onFinding({
    what: 'transaction types',
    answer: types.length > 0 ? 'yes' : 'no',
    found: types.join(', ') || 'no transaction in these blocks',
  });
  const finality = await askFinality(asked);
  onFinding({ what: 'finality tags', answer: finality.answer, found: finality.found });
  onFinding({ what: 'traces', ...(await askTraces(asked, blocks.at(-1)!.hash)) });
  onFinding({ what: 'logs of native transfers', ...findNativeLogs(blocks) });
  const multicall = await askMulticall(asked);
  onFinding({ what: 'Multicall3', ...multicall });
  const blockTimeMs = measureBlockTime(sample);
  onFinding({
    what: 'block time',
    answer: blockTimeMs === undefined ? 'no' : 'yes',
    found: blockTimeMs === undefined ? 'fewer than 3 blocks' : `${blockTimeMs} ms, the median`,
  });
  onFinding({ what: 'eth_getLogs', ...(await askLogRanges(asked)) });
  const measured = { proofs, tag: finality.tag, hasMulticall: multicall.answer === 'yes', blockTimeMs };
  return known === undefined ? guess(gid, measured) : strengthen(known, { ...measured, sample }, onFinding);
}

interface Measured {
  readonly proofs: Proofs;
  readonly tag: 'finalized' | 'safe' | undefined;
  readonly hasMulticall: boolean;
  readonly blockTimeMs: number | undefined;
}

function describeProofs({ blocks, hasBlockReceipts }: Sample, proofs: Proofs): ProbeFinding[] {
  const filled = blocks.filter(({ receipts }) => receipts.length > 0).length;
  const count = (what: string, held: number): ProbeFinding => ({
    what,
    answer: held === blocks.length ? 'yes' : held === 0 ? 'no' : 'some',
    found: `${held} of ${blocks.length} blocks, ${filled} of them with transactions`,
  });
  return [
    {
      what: 'stack',
      answer: proofs.whole === blocks.length ? 'yes' : proofs.whole === 0 ? 'no' : 'some',
      found: `${proofs.stack} proves ${proofs.whole} of ${blocks.length} blocks${proofs.reason === undefined ? '' : `; the first that it does not: ${proofs.reason.slice(0, 300)}`}`,
    },
    count('header hash', proofs.header),
    count('transactions root', proofs.transactionsRoot),
    count('receipts root', proofs.receiptsRoot),
    count('bloom', proofs.bloom),
    {
      what: 'block receipts',
      answer: hasBlockReceipts ? 'yes' : 'no',
      found: hasBlockReceipts ? 'eth_getBlockReceipts' : 'one by one',
    },
  ];
}

/** Median of the times between blocks; header times in milliseconds where there are some. */
function measureBlockTime({ blocks }: Sample): number | undefined {
  const times = blocks.map(({ json }) => {
    const { timestamp, timestampMs } = toBlockHeader(toRawHeader(JSON.parse(json)));
    return timestampMs ?? timestamp * 1_000;
  });
  const gaps = times
    .slice(1)
    .map((time, index) => time - times[index]!)
    .sort((one, other) => one - other);
  if (gaps.length < 2) return undefined;
  const isInSeconds = times.every((time) => time % 1_000 === 0);
  // Several blocks of one second: only their mean tells.
  return isInSeconds
    ? Math.max(Math.round((times.at(-1)! - times[0]!) / gaps.length), 1)
    : Math.max(gaps[Math.floor(gaps.length / 2)]!, 1);
}

/** A network that nobody has described yet. Its proofs are strict: what weakens one is for its operator to say. */
function guess(gid: string, { proofs, tag, hasMulticall, blockTimeMs }: Measured): ProbedNetwork {
  const name = gid.replace(':', '-');
  return {
    document: {
      gid: gid as NetworkDocument['gid'],
      family: 'evm',
      name,
      short_name: name,
      display_name: name,
      aliases: [],
      is_testnet: false,
      native: { gid: `${gid}/slip44:60` as never, symbol: 'ETH', name: 'Ether', decimals: 18 },
      token_namespace: 'erc20',
      confirmation: tag === undefined ? { type: 'depth', depth: 12 } : { type: 'tag', tag, depth: 12 },
      block_time_ms: blockTimeMs ?? 1_000,
      traits: { stack: proofs.stack, multicall3: hasMulticall },
    },
    guessed: [
      'name',
      'short_name',
      'display_name',
      'is_testnet',
      'native',
      'confirmation.depth',
      ...(blockTimeMs === undefined ? ['block_time_ms'] : []),
    ],
  };
}

/**
 * What is known stays. Where every block of the sample, some with transactions, has the proofs that are tolerant, these are
 * strict from its first block on: older blocks were not read. None goes the other way.
 */
function strengthen(
  known: NetworkDocument,
  { sample, proofs, hasMulticall, blockTimeMs }: Measured & { readonly sample: Sample },
  onFinding: ProbeOptions['onFinding'],
): ProbedNetwork {
  const traits: Record<string, unknown> = { ...known.traits };
  const held: Readonly<Record<string, boolean>> = {
    header: proofs.header === proofs.blocks,
    roots: proofs.transactionsRoot === proofs.blocks && proofs.receiptsRoot === proofs.blocks,
  };
  const members = Object.keys(held);
  const first = sample.blocks[0]!.number;
  const strictFrom = typeof traits.strict_from === 'number' ? traits.strict_from : Infinity;
  const isFilled = sample.blocks.some(({ receipts }) => receipts.length > 0);
  const isWhole = isFilled && proofs.whole === proofs.blocks && proofs.stack === traits.stack;
  if (members.some((member) => traits[member] === 'tolerant') && isWhole && first < strictFrom) {
    traits.strict_from = first;
    onFinding({
      what: 'strict_from trait',
      answer: 'yes',
      found: `strict from block ${first} on: each is proved`,
    });
  }
  for (const member of members)
    if (traits[member] !== 'tolerant' && !held[member])
      onFinding({
        what: `${member} trait`,
        answer: 'no',
        found: `stays strict: only a document that you write says "${member}": "tolerant"`,
      });
  if (hasMulticall) traits.multicall3 = true;
  return {
    document: {
      ...known,
      ...(blockTimeMs !== undefined && known.is_local !== true && { block_time_ms: blockTimeMs }),
      traits,
    },
    guessed: [],
  };
}

async function readQuantity(transport: HttpTransport, method: string, signal?: AbortSignal): Promise<bigint> {
  const result = await transport.call(method, [], signal);
  if (typeof result !== 'string' || !/^0x[0-9a-f]{1,32}$/i.test(result))
    throw new ChainClientError(`${method}: expected a quantity, got ${typeof result}`);
  return BigInt(result);
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Payments of the sample whose logs are looked at. */
const PAYMENTS_MAX = 1_000;

/**
 * Contracts that log a payment of the native coin as a transfer (EIP-7708, Polygon, Celo, Arc). Told as it was seen: which kind
 * of log it is, and whether it says the same as the transaction, is for a person to judge.
 */
function findNativeLogs(sample: readonly SampleBlock[]): Pick<ProbeFinding, 'answer' | 'found'> {
  const counts = new Map<string, number>();
  let payments = 0;
  for (const { json, receipts } of sample) {
    const { transactions } = JSON.parse(json) as { transactions: RawTransaction[] };
    for (const [index, { value, from, to }] of transactions.entries()) {
      if (payments >= PAYMENTS_MAX || typeof value !== 'string' || !/[1-9a-f]/i.test(value.slice(2)))
        continue;
      if (typeof to !== 'string') continue;
      payments += 1;
      const ends = [from, to].map((address) => `0x${'0'.repeat(24)}${address.slice(2)}`.toLowerCase());
      const loggers = (receipts[index]?.logs ?? [])
        .filter(
          ({ topics: [topic, ...indexed] }) =>
            topic === TRANSFER && ends.every((end, place) => indexed[place]?.toLowerCase() === end),
        )
        .map(({ address }) => address);
      for (const address of new Set(loggers)) counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  }
  if (payments === 0) return { answer: 'no', found: 'no payment in these blocks' };
  const seen = [...counts].sort(([, one], [, other]) => other - one).slice(0, 3);
  if (seen.length === 0) return { answer: 'no', found: `none of ${payments} payments` };
  return {
    answer: seen[0]![1] === payments ? 'yes' : 'some',
    found: seen.map(([address, count]) => `${address} logs ${count} of ${payments} payments`).join('; '),
  };
}
