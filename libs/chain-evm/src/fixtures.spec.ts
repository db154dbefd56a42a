// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { Block, Network, Transfer } from '@chainwatch/chain-core';
import { borTransactionHash } from './bor-state-sync.ts';
import { decodeBlock } from './decode-block.ts';
import { decodeFee } from './decode-fee.ts';
import { decodeLogs } from './decode-logs.ts';
import { decodeCallTraces } from './read-traces.ts';
import type { TransactionTrace } from './read-traces.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawLog, RawReceipt, RawTransaction } from './raw-block.ts';
import type { CallFrame, CallTrace } from './raw-trace.ts';
import { verifyBlock } from './verify-block.ts';

// Recorded mainnet blocks, beside the repository: ../shared/fixtures/evm (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
const names = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.expected.json')) : [];
const fixtures = names
  .filter((file) => !file.includes('rosetta'))
  .map((file) => file.slice(0, -'.expected.json'.length));

if (fixtures.length === 0) console.log('skipped: recorded EVM blocks (../shared/fixtures/evm is absent)');

interface Expected {
  readonly number: number;
  readonly hash: string;
  readonly failed: readonly string[];
  readonly contractsCreated: readonly { readonly tx: string; readonly address: string }[];
  readonly nativeTransfers: readonly {
    tx: string;
    from: string;
    to: string;
    value: string;
    status: boolean | null;
  }[];
  readonly tokenTransferLogs: readonly {
    tx: string;
    logIndex: number;
    token: string;
    kind: string;
    from: string;
    to: string;
    value?: string;
  }[];
  readonly internalValueTransfers?: readonly { tx: string; from: string; to: string; value: string }[];
}

interface FlatTrace {
  readonly tx: string;
  readonly type: string;
  readonly traceAddress: readonly string[];
  readonly status: string;
  readonly value: string;
  readonly error: string | null;
  readonly from: string;
  readonly to: string;
}

function read<T>(file: string): T | undefined {
  const url = new URL(file, folder);
  return existsSync(url) ? (JSON.parse(readFileSync(url, 'utf8')) as T) : undefined;
}

function networkOf(name: string): Network {
  const wanted = name.startsWith('polygon')
    ? 'polygon'
    : name.startsWith('base')
      ? 'base'
      : name.startsWith('gnosis')
        ? 'gnosis'
        : 'ethereum';
  const network = evmNetworks.find((candidate) => candidate.name === wanted);
  if (network === undefined) throw new Error(`no network ${wanted}`);
  return network;
}

async function decodeFixture(name: string): Promise<{
  block: Block;
  expected: Expected;
  network: Network;
  hasTraces: boolean;
}> {
  const network = networkOf(name);
  const expected = read<Expected>(`${name}.expected.json`);
  if (expected === undefined) throw new Error(`${name} has no expected file`);
  const raw = parseRawBlock(read(`${name}.block.json`), readTraits(networkOf(name)).stack);
  const receipts = parseRawReceipts(read(`${name}.receipts.json`));
  const verified = await verifyBlock(
    { number: expected.number, hash: expected.hash },
    { block: raw, receipts },
    readTraits(network),
  );
  const hashes = raw.transactions.map(({ hash }) => hash);
  const callTraces = read<CallTrace[]>(`${name}.callTracer.json`);
  const traces = callTraces === undefined ? undefined : decodeCallTraces(expected, hashes, callTraces);
  return {
    block: decodeBlock(network, verified, traces),
    expected,
    network,
    hasTraces: traces !== undefined,
  };
}

function transfersOf(block: Block, type: string): Record<string, unknown>[] {
  return block.transactions.flatMap((tx) =>
    tx.transfers
      .filter((transfer) => transfer.type === type)
      .map(({ assetGid, from, to, amountRaw, logIndex }) => ({
        tx: tx.hash,
        assetGid,
        from,
        to,
        value: amountRaw.toString(),
        logIndex,
      })),
  );
}

/** What the wrapper of the native coin minted and burnt, which the list of transfers has not. */
function listWrapped(network: Network, name: string) {
  const nobody = `0x${'00'.repeat(20)}`;
  const receipts = parseRawReceipts(read(`${name}.receipts.json`));
  return receipts.flatMap(({ logs, transactionHash }) =>
    logs.flatMap(({ address, topics: [topic, account = ''], data, logIndex }) => {
      if (address !== network.wrappedNative || topic === undefined) return [];
      const owner = `0x${account.slice(26)}`;
      const ends = {
        '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c': { from: nobody, to: owner },
        '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65': { from: owner, to: nobody },
      }[topic];
      const value = BigInt(data).toString();
      return ends === undefined
        ? []
        : [{ tx: transactionHash, logIndex: Number(logIndex), token: address, ...ends, value }];
    }),
  );
}

(fixtures.length === 0 ? describe.skip : describe)('recorded blocks', () => {
  it.each(fixtures)('%s: roots prove it and every native transfer is decoded', async (name) => {
    const { block, expected, network } = await decodeFixture(name);
    const failed = new Set(expected.failed);
    expect(transfersOf(block, 'native')).toEqual(
      expected.nativeTransfers
        .filter(({ tx, value }) => !failed.has(tx) && value !== '0')
        .map(({ tx, from, to, value }) => ({
          tx,
          assetGid: network.native!.gid,
          from,
          to,
          value,
          logIndex: undefined,
        })),
    );
  });

  it.each(fixtures)('%s: every token transfer, failure and creation is decoded', async (name) => {
    const { block, expected, network } = await decodeFixture(name);
    const wanted = [
      ...expected.tokenTransferLogs.filter(({ kind }) => kind === 'erc20'),
      ...listWrapped(network, name),
    ].toSorted((one, other) => one.logIndex - other.logIndex);
    expect(transfersOf(block, 'token')).toEqual(
      wanted.map(({ tx, logIndex, token, from, to, value }) => ({
        tx,
        assetGid: `${network.gid}/${network.tokenNamespace}:${token}`,
        from,
        to,
        value,
        logIndex,
      })),
    );
    expect(block.transactions.filter(({ isFailed }) => isFailed).map(({ hash }) => hash)).toEqual(
      expected.failed,
    );
    const created = block.transactions.flatMap(({ hash, createdContract }) =>
      createdContract === undefined ? [] : [{ tx: hash, address: createdContract }],
    );
    expect(created).toEqual(expected.contractsCreated);
  });

  it.each(fixtures)('%s: every internal transfer is decoded where traces are there', async (name) => {
    const { block, expected, hasTraces } = await decodeFixture(name);
    const told = hasTraces ? (expected.internalValueTransfers ?? []) : [];
    // Bor logs what contracts pay: as much as another source has traced.
    const wanted = networkOf(name).name === 'polygon' ? readFlattened(name) : told;
    expect(
      transfersOf(block, 'internal').map(({ tx, from, to, value }) => ({ tx, from, to, value })),
    ).toEqual(wanted.map(({ tx, from, to, value }) => ({ tx, from, to, value })));
  });

  it.each(fixtures)('%s: transfers are numbered in order, natives first', async (name) => {
    for (const { transfers } of (await decodeFixture(name)).block.transactions) {
      expect(transfers.map(({ index }) => index)).toEqual(transfers.map((_, index) => index));
      const kinds = transfers.map(({ type }) => ['native', 'token', 'internal'].indexOf(type));
      expect(kinds).toEqual(kinds.toSorted((a, b) => a - b));
    }
  });

  const flattened = fixtures.filter((name) =>
    existsSync(new URL(`${name}.chainstorage-flattened-traces.json`, folder)),
  );
  it.each(flattened)('%s: traces of another source give the value moves they list', (name) => {
    const flat = readFlat(name);
    const raw = parseRawBlock(read(`${name}.block.json`), readTraits(networkOf(name)).stack);
    const hashes = raw.transactions.map(({ hash }) => hash);
    const traces = decodeCallTraces(
      { number: 0, hash: raw.hash },
      hashes,
      hashes.map((hash) => toCallTrace(hash, flat)),
    );
    const got = traces.flatMap((trace: TransactionTrace, index) =>
      trace.transfers.map(({ from, to, amountRaw }) => ({
        tx: hashes[index],
        from,
        to,
        value: amountRaw.toString(),
      })),
    );
    expect(got).toEqual(readFlattened(name));
  });
});

(fixtures.length === 0 ? describe.skip : describe)('recorded answers of one kind', () => {
  const unwrap = <T>(file: string): T =>
    (read<{ response: { result: T } }>(file) as { response: { result: T } }).response.result;

  it.each(['ethereum-16000000', 'ethereum-16000001', 'ethereum-16000003', 'gnosis-29000000'])(
    '%s: header and transactions prove themselves',
    async (name) => {
      const block = parseRawBlock(unwrap(`${name}.block.json`), readTraits(networkOf(name)).stack);
      const ref = { number: Number(block.number), hash: block.hash };
      // The recording has no receipts, so the proof gets as far as asking for them.
      await expect(verifyBlock(ref, { block, receipts: [] }, readTraits(networkOf(name)))).rejects.toThrow(
        `expected ${block.transactions.length}, got 0`,
      );
    },
  );

  it('the Transfer logs of three blocks are the ERC-20 ones among them', () => {
    const logs = unwrap<RawLog[]>('ethereum-16000000-16000003.transfer-getLogs.json');
    const transfers: Transfer[] = [];
    decodeLogs(networkOf('ethereum'), { logs, logIndex: 0, transfers });
    expect(transfers).toHaveLength(logs.filter(({ topics }) => topics.length === 3).length);
    expect(transfers.map(({ logIndex }) => logs[logIndex ?? -1]?.data)).toEqual(
      transfers.map(({ amountRaw }) => `0x${amountRaw.toString(16).padStart(64, '0')}`),
    );
  });

  it('receipts of block 20000010 give fees with blob gas', () => {
    const receipts = parseRawReceipts(unwrap('ethereum-20000010.receipts.json'));
    const blobs = receipts.filter(({ type }) => type === '0x3');
    expect(blobs.length).toBeGreaterThan(0);
    for (const receipt of blobs) {
      const tx = { hash: '', from: receipt.from ?? '', value: '0x0', input: '0x', gas: '0x0' };
      const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice ?? 0);
      const blobGas = BigInt(receipt.blobGasUsed ?? 0) * BigInt(receipt.blobGasPrice ?? 0);
      expect(blobGas).toBeGreaterThan(0n);
      expect(decodeFee(networkOf('ethereum'), { tx: { ...tx, type: '0x3' }, receipt })?.amountRaw).toBe(
        gas + blobGas,
      );
    }
  });

  it('the state-sync receipt of Polygon is known by its hash and mints without a sender or a fee', () => {
    const [receipt] = parseRawReceipts([unwrap('polygon-receipt-state-sync.json')]);
    const block = {
      ...parseRawBlock(read('polygon-43200000.block.json'), 'bor'),
      number: '0x40b1ac0',
      hash: receipt?.blockHash ?? '',
    };
    expect(borTransactionHash(block)).toBe(receipt?.transactionHash);
    const decoded = decodeBlock(networkOf('polygon'), {
      block,
      transactions: [],
      receipts: [],
      stateSync: receipt,
    });
    expect(decoded.transactions).toEqual([
      {
        hash: receipt?.transactionHash,
        index: 0,
        isFailed: false,
        transfers: [
          {
            index: 0,
            type: 'token',
            assetGid: 'eip155:137/erc20:0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6',
            from: `0x${'0'.repeat(40)}`,
            to: '0xc6c17e46db79424f398ad9320648f00774e3cc99',
            amountRaw: 1_000_000n,
            logIndex: 0,
          },
        ],
        verification: 'attested',
      },
    ]);
  });

  it('a Polygon block with its state sync among its receipts proves itself, and is not refused for one too many', async () => {
    const block = parseRawBlock(read('polygon-43200000.block.json'), 'bor');
    const receipts = parseRawReceipts(read('polygon-43200000.receipts.json'));
    const [stateSync] = parseRawReceipts([unwrap('polygon-receipt-state-sync.json')]);
    const hash = borTransactionHash(block);
    const transaction = { ...(block.transactions[0] as RawTransaction), hash, type: '0x0' };
    const listed = { ...block, transactions: [...block.transactions, transaction] };
    const ref = { number: 43200000, hash: block.hash };
    const verified = await verifyBlock(
      ref,
      {
        block: listed,
        receipts: [
          ...receipts,
          { ...(stateSync as RawReceipt), transactionHash: hash, blockHash: block.hash },
        ],
      },
      readTraits(networkOf('polygon')),
    );
    expect(decodeBlock(networkOf('polygon'), verified).transactions).toHaveLength(68);
  });

  it('Arbitrum logs are decoded as transfers', () => {
    const logs = unwrap<RawLog[]>('arbitrum-sepolia-getLogs.json');
    const transfers: Transfer[] = [];
    decodeLogs(networkOf('ethereum'), { logs, logIndex: 0, transfers });
    expect(transfers).toHaveLength(10);
  });
});

const readFlat = (name: string): readonly FlatTrace[] =>
  read<FlatTrace[]>(`${name}.chainstorage-flattened-traces.json`) ?? [];

/** The moves of value below top calls, without those that were undone. */
function readFlattened(name: string): { tx: string; from: string; to: string; value: string }[] {
  const flat = readFlat(name);
  const isUndone = (move: FlatTrace): boolean =>
    flat.some(
      ({ tx, traceAddress, error }) =>
        tx === move.tx && error !== null && move.traceAddress.join('.').startsWith(traceAddress.join('.')),
    );
  return flat
    .filter(
      (move) =>
        move.type === 'CALL' &&
        move.traceAddress.length > 0 &&
        move.status === '1' &&
        move.value !== '0' &&
        !isUndone(move),
    )
    .map(({ tx, from, to, value }) => ({ tx, from, to, value }));
}

/** Rebuilds the call tree that the flattened list came from; the list leaves out some frames, top ones among them. */
function toCallTrace(hash: string, flat: readonly FlatTrace[]): CallTrace {
  const own = flat.filter(({ tx }) => tx === hash);
  const frames = new Map<string, CallFrame & { calls: CallFrame[] }>();
  frames.set('', { type: 'CALL', from: '0x', calls: [] });
  for (const { traceAddress, type, from, to, value, error } of own) {
    const frame = { type, from, to, value: `0x${BigInt(value).toString(16)}`, error, calls: [] };
    frames.set(traceAddress.join('.'), frame);
    let parent = traceAddress.slice(0, -1);
    while (!frames.has(parent.join('.'))) parent = parent.slice(0, -1);
    if (traceAddress.length > 0) frames.get(parent.join('.'))?.calls.push(frame);
  }
  return { txHash: hash, result: frames.get('') };
}
