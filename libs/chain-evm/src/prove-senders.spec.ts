// SPDX-License-Identifier: Apache-2.0
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { createFailoverClient, IncompleteBlockError, UnknownContentError } from '@chainwatch/chain-core';
import type { Block, ChainClient, Transaction } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { parseTransaction } from 'viem';
import type { Hex, TransactionSerializable } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { decodeBlock } from './decode-block.ts';
import { keccak256Hex } from './encode-rlp.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { proveSenders, readSignature, recoverSender } from './prove-senders.ts';
import type { RawTransaction } from './raw-block.ts';
import { hasRecorded, readRecorded, readServed } from './spec-fork.ts';
import type { Served } from './spec-fork.ts';
import { verifyBlock } from './verify-block.ts';

const traitsOf = (name: string) => readTraits(evmNetworks.find((network) => network.name === name)!);
const quantity = (value: bigint | number | undefined): string | undefined =>
  value === undefined ? undefined : `0x${value.toString(16)}`;
const account = privateKeyToAccount(generatePrivateKey());
const from = account.address.toLowerCase();
const to = `0x${'b2'.repeat(20)}` as const;

const types: readonly TransactionSerializable[] = [
  { type: 'legacy', gasPrice: 7n },
  { type: 'legacy', gasPrice: 7n, chainId: 1 },
  { type: 'legacy', gasPrice: 7n, chainId: 4_000_000_000 },
  {
    type: 'eip2930',
    gasPrice: 7n,
    chainId: 1,
    accessList: [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }],
  },
  { type: 'eip1559', maxFeePerGas: 7n, maxPriorityFeePerGas: 0n, chainId: 1 },
  {
    type: 'eip4844',
    maxFeePerGas: 7n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 3n,
    blobVersionedHashes: [`0x01${'02'.repeat(31)}`],
    chainId: 1,
  } as unknown as TransactionSerializable,
  {
    type: 'eip7702',
    maxFeePerGas: 7n,
    maxPriorityFeePerGas: 1n,
    chainId: 1,
    authorizationList: [
      { address: to, chainId: 1, nonce: 0, r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, yParity: 1 },
    ],
  },
];
const typeNumbers: Readonly<Record<string, string>> = {
  legacy: '0x0',
  eip2930: '0x1',
  eip1559: '0x2',
  eip4844: '0x3',
  eip7702: '0x4',
};

async function sign(fields: TransactionSerializable): Promise<RawTransaction> {
  const whole = {
    nonce: 5,
    gas: 21_000n,
    to,
    value: 9n,
    data: '0xabcd',
    ...fields,
  } as TransactionSerializable;
  const signed = parseTransaction((await account.signTransaction(whole)) as Hex) as unknown as Record<
    string,
    never
  >;
  const authorizationList = (
    signed['authorizationList'] as unknown as
      | { chainId: number; nonce: number; yParity: number }[]
      | undefined
  )?.map((each) => ({
    ...each,
    chainId: quantity(each.chainId),
    nonce: quantity(each.nonce),
    yParity: quantity(each.yParity),
  }));
  const numbers = Object.fromEntries(
    [
      'nonce',
      'gas',
      'gasPrice',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
      'maxFeePerBlobGas',
      'value',
      'chainId',
      'yParity',
      'v',
    ].map((name) => [name, quantity(signed[name])]),
  );
  return {
    hash: '0x',
    from,
    to,
    input: '0xabcd',
    accessList: signed['accessList'],
    blobVersionedHashes: signed['blobVersionedHashes'],
    r: signed['r'],
    s: signed['s'],
    ...numbers,
    authorizationList,
    type: typeNumbers[String(fields.type)],
  } as unknown as RawTransaction;
}

describe('the signature of a transaction', () => {
  it.each(types)("of type $type is its sender's (chain $chainId)", async (fields) => {
    const tx = await sign(fields);
    const signature = readSignature(tx, traitsOf('ethereum'))!;
    expect(recoverSender(signature)).toBe(from);
    expect(recoverSender({ ...signature, parity: 1 - signature.parity })).not.toBe(from);
    expect(recoverSender(readSignature({ ...tx, value: '0x8' }, traitsOf('ethereum'))!)).not.toBe(from);
  });

  it("is none where a chain made the transaction itself, or where it may be nobody's", async () => {
    const tx = await sign(types[4]!);
    for (const type of ['0x7e', '0x64', '0x6a', '0x7f'])
      expect(readSignature({ ...tx, type }, traitsOf('base'))).toBeUndefined();
    expect(readSignature({ ...tx, r: '0x0', s: '0x0' }, traitsOf('optimism'))).toBeUndefined();
    expect(readSignature(tx, traitsOf('anvil'))).toBeUndefined();
    expect(readSignature(tx, traitsOf('arbitrum'))).toBeUndefined();
  });

  it.each([{ r: 2n ** 256n - 1n }, { s: 0n }, { parity: 5 }])(
    "that no key can have made is nobody's: %o",
    async (part) => {
      expect(
        recoverSender({ ...readSignature(await sign(types[4]!), traitsOf('ethereum'))!, ...part }),
      ).toBeUndefined();
    },
  );
});

(hasRecorded ? describe : describe.skip)('the senders of a recorded block', () => {
  const stranger = `0x${'a7'.repeat(20)}`;
  const alter = (served: Served, index: number): Served => {
    const lying = structuredClone(served);
    lying.block.transactions[index]!['from'] = stranger;
    lying.receipts[index]!['from'] = stranger;
    return lying;
  };

  it.each([
    ['ethereum', 'ethereum-4370006-byzantium'],
    ['ethereum', 'ethereum-20065008'],
    ['base', 'base-2000000'],
    ['polygon', 'polygon-43200000'],
  ])('of %s (%s) are those that signed', async (network, file) => {
    const block = await readServed(network, readRecorded(file));
    const { transactions } = block;
    expect(transactions.filter(({ signature }) => signature !== undefined).length).toBeGreaterThan(10);
    await proveSenders({ doubted: new Set() }, { ref: block, transactions });
  });

  it.each([undefined, []])(
    'are refused when one is another, and the block at its next reading, too (traces: %j)',
    async (traced) => {
      const [index, network] = [3, 'ethereum'];
      const recorded = readRecorded('ethereum-13998626-london');
      const lying = alter(recorded, index);
      const traces =
        traced &&
        recorded.block.transactions.map(({ hash }) => ({
          type: 'call',
          action: {},
          traceAddress: [],
          blockHash: recorded.block.hash,
          transactionHash: hash,
        }));
      const doubted = new Set<string>();
      const read = (served: Served): ReturnType<typeof readServed> =>
        readServed(network, served, { traces, doubted });
      // No root covers a sender, so the block is returned whatever addresses are looked for.
      const block = await read(lying);
      const [found] = block.transactions.filter((tx) => tx.from === stranger);
      await proveSenders(
        { doubted },
        { ref: block, transactions: block.transactions.filter((tx) => tx.index !== index) },
      );
      await expect(proveSenders({ doubted }, { ref: block, transactions: [found!] })).rejects.toThrow(
        IncompleteBlockError,
      );
      await expect(read(lying)).rejects.toThrow(`got ${stranger}`);
      const { transactions } = await read(recorded);
      expect(transactions[index]?.from).toBe(recorded.block.transactions[index]!['from']);
      expect(doubted.size).toBe(0);
    },
  );

  const createClient = (served: Served, label: string): ChainClient => {
    const doubted = new Set<string>();
    return {
      network: evmNetworks.find(({ name }) => name === 'ethereum')!,
      label,
      verifyChain: () => Promise.resolve(),
      readBlock: () => readServed('ethereum', served, { doubted }),
      proveSenders: (ref, transactions) => proveSenders({ doubted }, { ref, transactions }),
    } as Partial<ChainClient> as ChainClient;
  };

  it.each<[string, (tx: Record<string, unknown>, receipt: Record<string, unknown>) => void]>([
    ['a parity without digits', (tx) => void ((tx['v'] = '0x'), delete tx['yParity'])],
    ['no parity', (tx) => void (delete tx['v'], delete tx['yParity'])],
    ['a price without digits', (_tx, receipt) => void (receipt['effectiveGasPrice'] = '0x')],
    ['a price that is no number', (_tx, receipt) => void (receipt['effectiveGasPrice'] = '0xzz')],
    ['no price', (_tx, receipt) => void delete receipt['effectiveGasPrice']],
    ['an index without digits', (tx) => void (tx['transactionIndex'] = '0x')],
  ])(
    'and what they signed are read from another endpoint where the root proves what cannot be read: %s',
    async (_name, spoil) => {
      const recorded = readRecorded('ethereum-20065008');
      const index = recorded.block.transactions.findIndex(
        ({ type, v, to: payee }) => type === '0x2' && v === '0x0' && typeof payee === 'string',
      );
      const spoilt = structuredClone(recorded);
      spoil(
        spoilt.block.transactions[index] as unknown as Record<string, unknown>,
        spoilt.receipts[index] as unknown as Record<string, unknown>,
      );
      const client = createFailoverClient([createClient(spoilt, 'spoilt'), createClient(recorded, 'honest')]);
      const ref = { number: Number(recorded.block.number), hash: recorded.block.hash };
      const read = async (): Promise<Transaction> => {
        const block = await client.readBlock(ref);
        const found = block.transactions[index]!;
        await client.proveSenders!(ref, [found]);
        return found;
      };
      const first = await read().catch((error: unknown) => error);
      if (first instanceof Error) expect(first).toBeInstanceOf(IncompleteBlockError);
      const { transactions } = await readServed('ethereum', recorded);
      expect(await read()).toEqual(transactions[index]);
    },
  );

  it.each<[string, (tx: Record<string, unknown>) => void]>([
    ['a parity without digits', (tx) => void ((tx['v'] = '0x'), delete tx['yParity'])],
    ['a parity without digits beside one with', (tx) => void (tx['yParity'] = '0x')],
  ])(
    'are unknown where a lone endpoint writes them so that they cannot be read: %s',
    async (_name, spoil) => {
      const recorded = readRecorded('ethereum-20065008');
      const index = recorded.block.transactions.findIndex(
        ({ type, v, to: payee, value }) =>
          type === '0x2' && v === '0x0' && typeof payee === 'string' && value !== '0x0',
      );
      const spoilt = structuredClone(recorded);
      spoil(spoilt.block.transactions[index] as unknown as Record<string, unknown>);
      const { transactions: whole } = await readServed('ethereum', recorded);
      const expectTold = ({ transactions, unknowns, verification }: Block): void => {
        const { hash, transfers } = whole[index]!;
        expect(unknowns).toMatchObject([{ kind: 'transaction-form:0x2', transactionHash: hash }]);
        expect(transactions[index]).toMatchObject({ hash, transfers, verification: 'unproved' });
        expect(transactions.filter((tx) => tx.index !== index)).toEqual(
          whole.filter((tx) => tx.index !== index),
        );
        expect(verification).toBeUndefined();
      };
      const doubted = new Set<string>();
      const read = (options: { takeUnknown?: boolean } = {}): Promise<Block> =>
        readServed('ethereum', spoilt, { doubted, ...options });
      // Others are asked, and this one again; then the block is taken with what is understood.
      for (let attempt = 0; attempt < 2; attempt += 1)
        await expect(read()).rejects.toThrow(UnknownContentError);
      for (let attempt = 0; attempt < 2; attempt += 1) expectTold(await read({ takeUnknown: true }));
      const { block, receipts } = structuredClone(spoilt);
      const raw = parseRawBlock(block, 'ethereum');
      const ref = { number: Number(raw.number), hash: raw.hash };
      const network = evmNetworks.find((one) => one.name === 'ethereum')!;
      const answers = { block: raw, receipts: parseRawReceipts(receipts) };
      expectTold(decodeBlock(network, await verifyBlock(ref, answers, readTraits(network))));
    },
  );

  it('are asked of another endpoint after one told a wrong one', async () => {
    const recorded = readRecorded('ethereum-13998626-london');
    const client = createFailoverClient([
      createClient(alter(recorded, 3), 'liar'),
      createClient(recorded, 'honest'),
    ]);
    const ref = { number: Number(recorded.block.number), hash: recorded.block.hash };
    const taken = (await client.readBlock(ref)).transactions[3] as Transaction;
    expect(taken.from).toBe(stranger);
    await expect(client.proveSenders!(ref, [taken])).rejects.toThrow(IncompleteBlockError);
    const again = (await client.readBlock(ref)).transactions[3] as Transaction;
    expect(again.from).not.toBe(stranger);
    await client.proveSenders!(ref, [again]);
  });
});

const ORDER = secp256k1.Point.CURVE().n;
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const scalar = fc.bigInt({ min: 1n, max: ORDER - 1n });
const digestOf = (message: Uint8Array): string => Buffer.from(message).toString('hex');

/** As @noble/curves recovers it, which is not the library in use. */
function recoverByNoble(digest: string, r: bigint, s: bigint, parity: number): string | undefined {
  try {
    const key = new secp256k1.Signature(r, s, parity)
      .recoverPublicKey(Buffer.from(digest, 'hex'))
      .toBytes(false);
    return `0x${keccak256Hex(key.subarray(1)).slice(24)}`;
  } catch {
    return undefined;
  }
}

describe('recoverSender', () => {
  it('finds the signer, also behind a high s, as before Homestead', () => {
    fc.assert(
      fc.property(bytes, scalar, (message, secret) => {
        const key = Buffer.from(secret.toString(16).padStart(64, '0'), 'hex');
        const { r, s, recovery } = secp256k1.Signature.fromBytes(
          secp256k1.sign(message, key, { prehash: false, format: 'recovered' }),
          'recovered',
        );
        const signer = `0x${keccak256Hex(secp256k1.getPublicKey(key, false).subarray(1)).slice(24)}`;
        const digest = digestOf(message);
        expect(recoverSender({ digest, r, s, parity: recovery! })).toBe(signer);
        expect(recoverSender({ digest, r, s: ORDER - s, parity: 1 - recovery! })).toBe(signer);
        expect(recoverSender({ digest, r, s, parity: 1 - recovery! })).not.toBe(signer);
      }),
      { numRuns: 30 },
    );
  });

  it('gives what @noble/curves gives for whatever numbers a node tells', () => {
    const number = fc.oneof(
      scalar,
      fc.constantFrom(0n, 1n, ORDER - 1n, ORDER, 2n ** 256n - 1n),
      fc.bigInt({ min: 0n, max: 100n }),
    );
    fc.assert(
      fc.property(bytes, number, number, fc.nat(1), (message, r, s, parity) => {
        const digest = digestOf(message);
        expect(recoverSender({ digest, r, s, parity })).toBe(recoverByNoble(digest, r, s, parity));
      }),
      { numRuns: 100 },
    );
  });

  it.each([2, 3, 27, -1, NaN])('finds nobody for the parity %s', (parity) => {
    expect(recoverSender({ digest: '11'.repeat(32), r: 5n, s: 6n, parity })).toBeUndefined();
  });

  it('finds nobody for numbers of more than 32 bytes', () => {
    expect(recoverSender({ digest: '11'.repeat(32), r: 2n ** 256n, s: 6n, parity: 0 })).toBeUndefined();
  });
});
