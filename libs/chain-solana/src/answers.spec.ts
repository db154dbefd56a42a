// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { toBase58 } from './base58-text.ts';
import { pairFlows, type Flow } from './decode-block.ts';
import { quoteLargeBalances, splitTransactions } from './rpc-client.ts';
import { solanaNetworks } from './networks.ts';
import { SolanaClient } from './solana-client.ts';
import { parseTransaction } from './parse-transaction.ts';
import type { RawMeta } from './raw-block.ts';
import { UnknownTransactionError } from './wire/unknown-transaction-error.ts';

const network = solanaNetworks.find(({ name }) => name === 'solana-local')!;
const key = (fill: number): string => base58.encode(new Uint8Array(32).fill(fill));
const meta: RawMeta = { err: null, fee: 5_000, preBalances: [], postBalances: [] };

describe('toBase58', () => {
  it('writes what the general encoder writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.nat(20), (bytes, zeros) => {
        bytes.fill(0, 0, zeros);
        expect(toBase58(bytes, 0, 64)).toBe(base58.encode(bytes));
        expect(toBase58(bytes, 8, 32)).toBe(base58.encode(bytes.subarray(8, 40)));
      }),
    );
    expect(toBase58(new Uint8Array(32), 0, 32)).toBe('1'.repeat(32));
  });
});

describe('quoteLargeBalances', () => {
  it('keeps lamports beyond 2^53 exact, and every text as it was', () => {
    const text =
      '{"preBalances":[1, 18446744073709551615,9007199254740993],"log":"\\"preBalances\\":[18446744073709551615]","n":12345678901234567890,"lamports":9007199254740993}';
    expect(JSON.parse(quoteLargeBalances(text))).toEqual({
      preBalances: [1, '18446744073709551615', '9007199254740993'],
      log: '"preBalances":[18446744073709551615]',
      n: 12345678901234567890,
      lamports: '9007199254740993',
    });
  });
});

describe('splitTransactions', () => {
  const gather = (text: string): unknown => {
    const split = splitTransactions(text);
    if (split === undefined) return undefined;
    const { result, ...rest } = split.rest as { result: { transactions: unknown[] } };
    return { ...rest, result: { ...result, transactions: [...split.others, ...result.transactions] } };
  };

  it('reads one by one what JSON.parse reads at once', () => {
    const one = fc.record({
      meta: fc.jsonValue(),
      transaction: fc.tuple(fc.string(), fc.constant('base64')),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 2 }), fc.string(), (transactions, blockhash) => {
        const text = JSON.stringify({ jsonrpc: '2.0', result: { blockhash, transactions }, id: 1 });
        expect(gather(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('says when it cut inside of one, or another list', () => {
    const inner = { meta: 1, transaction: { more: [{ meta: 2 }, { meta: 3 }] } };
    expect(() => gather(JSON.stringify({ result: { transactions: [inner, { meta: 4 }] } }))).toThrow(
      SyntaxError,
    );
    expect(() =>
      gather(JSON.stringify({ result: { transactions: [{ meta: 1 }], z: [{ meta: 2 }, { meta: 3 }] } })),
    ).toThrow(SyntaxError);
  });

  it('is not deceived by texts that look like its borders', () => {
    const transactions = [
      { meta: { log: '},{"meta":' }, transaction: 1 },
      { meta: { log: '"transactions":[{"meta":' }, transaction: 2 },
      { meta: 1, transaction: '}]}' },
    ];
    const text = JSON.stringify({
      jsonrpc: '2.0',
      result: { blockhash: '"transactions":[', transactions, parentSlot: 1 },
      id: 1,
    });
    expect(gather(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['an error', '{"error":{"code":-32007},"id":1}'],
    ['no transaction', '{"result":{"transactions":[]},"id":1}'],
    ['one', '{"result":{"transactions":[{"meta":1}]},"id":1}'],
    ['text that was broken off', '{"result":{"transactions":[{"meta":1},{"meta":2'],
  ])('leaves an answer with %s to be read whole', (_what, text) => {
    expect(splitTransactions(text)).toBeUndefined();
  });
});

describe('pairFlows', () => {
  it('adds up to the flows, whatever the hints say, and invents nobody', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const flows = fc.uniqueArray(fc.tuple(name, fc.bigInt(-9n, 9n)), { selector: ([one]) => one });
    const hints = fc.array(fc.record({ from: name, to: name, amountRaw: fc.bigInt(0n, 9n) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(flows, hints, (entries, hinted) => {
        const paired = pairFlows(new Map(entries), () => hinted.filter(({ from, to }) => from !== to));
        const sumOf = (address: string): bigint =>
          paired.reduce(
            (sum, { from, to, amountRaw }) =>
              sum + (to === address ? amountRaw : 0n) - (from === address ? amountRaw : 0n),
            0n,
          );
        for (const [address, delta] of entries) expect(sumOf(address)).toBe(delta);
        for (const { from, to, amountRaw } of paired)
          expect([from === to, amountRaw > 0n]).toEqual([false, true]);
      }),
    );
  });

  it('goes by instructions where two pay two', () => {
    const flows = new Map([
      ['a', -5n],
      ['b', -5n],
      ['c', 5n],
      ['d', 5n],
    ]);
    const pairs = (paired: readonly Flow[]): string[] => paired.map(({ from, to }) => `${from}${to}`);
    expect(pairs(pairFlows(flows, () => []))).toEqual(['ac', 'bd']);
    expect(pairs(pairFlows(flows, () => [{ from: 'a', to: 'd', amountRaw: 5n }]))).toEqual(['ad', 'bc']);
  });
});

describe('parseTransaction', () => {
  it('refuses bytes that end early, unknown versions and keys that are not there', () => {
    const wire = (...bytes: number[]): readonly [string, string] => [
      Buffer.from(bytes).toString('base64'),
      'base64',
    ];
    expect(() => parseTransaction({ transaction: wire(1, 2, 3), meta })).toThrow(RangeError);
    expect(() => parseTransaction({ transaction: wire(0, 0x81, 0), meta })).toThrow(RangeError);
    for (const bytes of [
      [0, 0x82, 0],
      [0x82, 1],
    ])
      expect(() => parseTransaction({ transaction: wire(...bytes), meta })).toThrow(
        expect.objectContaining({ kind: 'transaction-version:2' }) as Error,
      );
    expect(() =>
      parseTransaction({
        transaction: { signatures: ['s'], message: { accountKeys: [key(1)], instructions: [] } },
        meta,
      }).keyAt(1),
    ).toThrow(RangeError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          parseTransaction({ transaction: [Buffer.from(bytes).toString('base64'), 'base64'], meta });
        } catch (error) {
          expect(error instanceof RangeError || error instanceof UnknownTransactionError).toBe(true);
        }
      }),
    );
  });
});

describe('a node that answers otherwise', () => {
  let server: Server;
  let client: SolanaClient;
  let answers: Record<string, (params: readonly unknown[]) => unknown> = {};
  const codes = (code: number) => () => ({ error: { code, message: 'so the node says' } });
  const header = (slot: number, parentSlot = slot - 1) => ({
    result: {
      blockhash: key(slot),
      previousBlockhash: key(parentSlot),
      parentSlot,
      blockTime: 7,
      transactions: [],
    },
  });

  beforeAll(async () => {
    server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
          id: number;
          method: string;
          params: unknown[];
        };
        res
          .writeHead(200)
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...(answers[method]!(params) as object) }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    client = new SolanaClient({
      network,
      endpointUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
  });
  afterAll(() => {
    client.close();
    server.close();
  });

  it.each([-32007, -32009, -32004, -32014, -32001])(
    '%d: there is no block in that slot, or none yet',
    async (code) => {
      answers = { getBlock: codes(code) };
      expect(await client.findHeaderByNumber(5)).toBeUndefined();
      await expect(client.readBlock({ number: 5, hash: key(5) })).rejects.toMatchObject({
        code: 'block_not_found',
        retryable: true,
      });
    },
  );

  it('-32005: the node is at fault, which is no word about the block', async () => {
    answers = { getBlock: codes(-32005) };
    await expect(client.findHeaderByNumber(5)).rejects.toMatchObject({ code: 'node_error' });
  });

  it('takes an earlier head where the newest slot has no block yet', async () => {
    answers = {
      getSlot: () => ({ result: 9 }),
      getBlocks: () => ({ result: [6, 7] }),
      getBlock: ([slot]) => (slot === 9 ? codes(-32004)() : header(Number(slot))),
    };
    expect(await client.readHead()).toMatchObject({ number: 7, hash: key(7), parentNumber: 6 });
  });

  it('finds out a block that the node leaves out, and one that it lists and does not have', async () => {
    answers = { getBlocks: () => ({ result: [5, 7] }), getBlock: ([slot]) => header(Number(slot)) };
    await expect(client.readHeaders(5, 7)).rejects.toThrow(/not linked/);
    answers = {
      getBlocks: () => ({ result: [5, 7] }),
      getBlock: ([slot]) => (slot === 7 ? codes(-32007)() : header(Number(slot))),
    };
    await expect(client.readHeaders(5, 7)).rejects.toThrow(/told of/);
    answers = {
      getBlocks: () => ({ result: [5, 8] }),
      getBlock: ([slot]) => header(Number(slot), Number(slot) === 8 ? 5 : 4),
    };
    expect((await client.readHeaders(5, 8)).map(({ number }) => number)).toEqual([5, 8]);
  });

  it.each([
    [null, 'block_not_found'],
    [{}, 'incomplete_block'],
    [{ ...header(5).result, transactions: [{}] }, 'incomplete_block'],
    [{ ...header(5).result, transactions: [null] }, 'incomplete_block'],
  ])('refuses the block %j', async (result, code) => {
    answers = { getBlock: () => ({ result }) };
    await expect(client.readBlock({ number: 5, hash: key(5) })).rejects.toMatchObject({ code });
  });

  it('believes a block without rewards when the node lists the same signatures', async () => {
    const empty = { ...header(5).result, rewards: [] };
    answers = { getBlock: () => ({ result: { ...empty, signatures: [] } }) };
    expect(await client.readBlock({ number: 5, hash: key(5) })).toMatchObject({
      number: 5,
      parentNumber: 4,
      transactions: [],
    });
    const transaction = {
      transaction: { signatures: ['s'], message: { accountKeys: [key(1)], instructions: [] } },
      meta: { ...meta, preBalances: [9_000], postBalances: [4_000] },
    };
    const listed =
      (signatures: readonly string[]) =>
      ([, config]: readonly unknown[]) => ({
        result:
          (config as { transactionDetails: string }).transactionDetails === 'signatures'
            ? { ...empty, signatures }
            : { ...empty, transactions: [transaction] },
      });
    answers = { getBlock: listed(['s']) };
    expect((await client.readBlock({ number: 5, hash: key(5) })).transactions).toHaveLength(1);
    for (const other of [['s', 't'], ['t'], []]) {
      answers = { getBlock: listed(other) };
      await expect(client.readBlock({ number: 5, hash: key(5) })).rejects.toMatchObject({
        code: 'incomplete_block',
      });
    }
  });

  it('parses again where lamports were rounded', async () => {
    const large = '9007199254740993';
    const transaction = {
      transaction: { signatures: ['s'], message: { accountKeys: [key(1), key(2)], instructions: [] } },
      meta: { ...meta, preBalances: [9_000, 0], postBalances: [3_999, 1] },
    };
    const rewards = [{ pubkey: key(9), lamports: 2_500, rewardType: 'Fee' }];
    const body = { ...header(5).result, rewards, transactions: [transaction] };
    server.prependOnceListener('request', (_req, res) => {
      const end = res.end.bind(res);
      // The digits are put into the text: JSON.stringify would round them as well.
      res.end = ((text: string) =>
        end(
          text.replace('[9000,0]', `[9000,${large}]`).replace('[3999,1]', '[3999,9007199254740994]'),
        )) as typeof res.end;
    });
    answers = { getBlock: () => ({ result: body }) };
    const block = await client.readBlock({ number: 5, hash: key(5) });
    expect(block.transactions[0]!.transfers).toMatchObject([{ from: key(1), to: key(2), amountRaw: 1n }]);
  });
});
