import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { BodyBytes } from '@chainwatch/chain-core';
import type { Block, BlockRef, Network } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { compileProver } from '../assembly/build.mjs';
import { decodeBlock } from './decode-block.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { canProveBytes, proveBytes } from './prove-bytes.ts';
import type { RawBlock, RawLog, RawTransaction, RawWithdrawal } from './raw-block.ts';
import { answerOf, assemble, fixedItems } from './spec-block.ts';
import type { Case, Made } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';

const network = evmNetworks.find(({ gid }) => gid === 'eip155:31337') as Network;
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const approvalTopic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const SEED = Number(process.env.PROVE_SEED ?? 7);
const RUNS = Number(process.env.PROVE_RUNS ?? 60);

/** A text as it may come over a socket. */
function bytesOf(text: string, chunkLength = 1_000): BodyBytes {
  const whole = Buffer.from(text);
  const chunks = [];
  for (let at = 0; at < whole.length; at += chunkLength) chunks.push(whole.subarray(at, at + chunkLength));
  return new BodyBytes(chunks);
}

/** What `verifyBlock` makes of the same answers. @throws where it refuses them */
async function readSlowly({ ref, body, receipts }: Case, of: Network): Promise<Block> {
  const block = parseRawBlock((JSON.parse(body) as { result: unknown }).result);
  const list = parseRawReceipts((JSON.parse(receipts) as { result: unknown }).result);
  return decodeBlock(of, await verifyBlock(ref, block, list, readTraits(of)));
}

function readQuickly({ ref, body, receipts }: Case, of: Network) {
  return proveBytes({ network: of, traits: readTraits(of) }, ref, bytesOf(body), bytesOf(receipts));
}

/** As one request for both brings them. */
function readTogether(list: string, ref: BlockRef) {
  const bytes = bytesOf(list);
  return proveBytes({ network, traits: readTraits(network) }, ref, bytes, bytes);
}

const plain = ({
  number,
  hash,
  parentHash,
  timestamp,
  transactions,
  balanceChanges,
  touchedAssets,
}: Block): Block => ({ number, hash, parentHash, timestamp, transactions, balanceChanges, touchedAssets });

function participantsOf(block: Block): string[] {
  const found = new Set<string>();
  for (const { from, isFailed, transfers } of block.transactions) {
    if (from !== undefined) found.add(from);
    if (isFailed) continue;
    for (const transfer of transfers)
      for (const side of [transfer.from, transfer.to]) if (side !== undefined) found.add(side);
  }
  return [...found];
}

function concerned(block: Block, filter: ReadonlySet<string>): string[] {
  return block.transactions
    .filter((transaction) =>
      participantsOf({ ...block, transactions: [transaction] }).some((address) => filter.has(address)),
    )
    .map(({ hash }) => hash);
}

/** The same block either way, and whoever is looked for is found. */
function expectSame(quick: ReturnType<typeof readQuickly>, slow: Block): void {
  if (quick === undefined) throw new Error('expected a proved block, got none');
  expect(plain(quick)).toEqual(slow);
  expect(quick.transactionCount).toBe(slow.transactions.length);
  for (const address of participantsOf(slow)) {
    const filter = new Set([address]);
    const possible = quick.possibleTransactions(filter);
    expect(
      quick.possibleTransactions({
        has: () => false,
        hasAt: (text, from, length) => filter.has(text.slice(from, from + length)),
      }),
    ).toEqual(possible);
    expect(possible.map(({ hash }) => hash)).toEqual(expect.arrayContaining(concerned(slow, filter)));
    for (const transaction of possible) expect(transaction).toEqual(slow.transactions[transaction.index]);
  }
  expect(quick.possibleTransactions(new Set([`0x${'9'.repeat(40)}`]))).toEqual([]);
}

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}`);
const data = fc.oneof(
  { weight: 3, arbitrary: fc.constant('0x') },
  {
    weight: 3,
    arbitrary: fc.uint8Array({ maxLength: 200 }).map((value) => `0x${Buffer.from(value).toString('hex')}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0x00',
      '0x7f',
      '0x80',
      `0x${'ab'.repeat(55)}`,
      `0x${'cd'.repeat(56)}`,
      `0x${'ef'.repeat(300)}`,
    ),
  },
);
const quantity = (max: bigint): fc.Arbitrary<string> =>
  fc
    .oneof(fc.bigInt(0n, max), fc.constantFrom(0n, 1n, 0x7fn, 0x80n, 0xffn, 0x100n))
    .map((value) => `0x${value.toString(16)}`);
// Few, so that they meet.
const address = fc.oneof(
  fc.constantFrom(...[1, 2, 3, 4].map((digit) => `0x${String(digit).repeat(40)}`)),
  hex(20),
);
const topicOf = (of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  of.map((value) => `0x${'0'.repeat(24)}${value.slice(2)}`);

const log: fc.Arbitrary<RawLog> = fc.oneof(
  fc.record({
    address,
    topics: fc.tuple(fc.constant(transferTopic), topicOf(address), topicOf(address)),
    data: hex(32),
  }),
  fc.record({
    address,
    topics: fc.tuple(fc.constant(transferTopic), topicOf(address), topicOf(address), hex(32)),
    data: fc.constant('0x'),
  }),
  fc.record({ address, topics: fc.constant([transferTopic]), data: hex(96) }),
  fc.record({
    address,
    topics: fc.tuple(fc.constant(approvalTopic), topicOf(address), topicOf(address)),
    data: hex(32),
  }),
  fc.record({ address, topics: fc.array(hex(32), { maxLength: 4 }), data }),
);

// Never so small that a transaction takes less than a word: its leaf would stand in its branch, which no chain has.
const scalar = fc.bigInt(2n ** 200n, 2n ** 256n - 1n).map((value) => `0x${value.toString(16)}`);
const signature = {
  r: scalar,
  s: scalar,
  yParity: fc.constantFrom('0x0', '0x1'),
  v: fc.constantFrom('0x0', '0x1'),
};
const call = {
  from: address,
  nonce: quantity(2n ** 64n - 1n),
  gas: quantity(2n ** 32n),
  value: quantity(2n ** 90n),
  input: data,
  to: fc.oneof({ weight: 8, arbitrary: address }, { weight: 1, arbitrary: fc.constant(null) }),
};
const accessList = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ address, storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  },
);
const fees = {
  maxFeePerGas: quantity(2n ** 64n),
  maxPriorityFeePerGas: quantity(2n ** 64n),
  chainId: quantity(2n ** 32n),
  accessList,
};

const transaction: fc.Arbitrary<RawTransaction> = fc
  .oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        ...call,
        type: fc.constantFrom('0x0', undefined),
        gasPrice: quantity(2n ** 64n),
        r: signature.r,
        s: signature.s,
        v: fc.constantFrom('0x1b', '0x1c', '0xf4f5', '0x2'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x1'),
        gasPrice: quantity(2n ** 64n),
        chainId: fees.chainId,
        accessList,
        ...signature,
      }),
    },
    { weight: 5, arbitrary: fc.record({ ...call, type: fc.constant('0x2'), ...fees, ...signature }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x2'),
        ...fees,
        r: signature.r,
        s: signature.s,
        v: signature.v,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x3'),
        ...fees,
        ...signature,
        to: address,
        maxFeePerBlobGas: quantity(2n ** 64n),
        blobVersionedHashes: fc.array(hex(32), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x4'),
        ...fees,
        ...signature,
        to: address,
        authorizationList: fc.array(
          fc.record({
            chainId: fees.chainId,
            address,
            nonce: quantity(100n),
            r: signature.r,
            s: signature.s,
            yParity: signature.yParity,
          }),
          { minLength: 1, maxLength: 2 },
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x7e'),
        sourceHash: hex(32),
        mint: fc.oneof(quantity(2n ** 80n), fc.constant(null)),
        isSystemTx: fc.boolean(),
      }),
    },
  )
  .map((tx) => ({ hash: '0x', ...tx }) as RawTransaction);

const made: fc.Arbitrary<Made> = fc.record({
  tx: transaction,
  logs: fc.array(log, { maxLength: 4 }),
  gas: fc.integer({ min: 0, max: 1e7 }),
  isFailed: fc.boolean(),
  created: address,
  extra: fc.constantFrom(
    {},
    { l1Fee: '0x10', l1FeeScalar: '0.684' },
    { effectiveGasPrice: '0x3b9aca00', blockTimestamp: 1_795_352_913 },
    {
      effectiveGasPrice: null,
      somethingNew: { deep: [1.5e3, -0, true, null, { text: 'none of ours', hash: '0x1' }] },
    },
    { operatorFeeScalar: '0x5', operatorFeeConstant: '0x1' },
  ),
});

const withdrawal: fc.Arbitrary<RawWithdrawal> = fc.record({
  index: fc.bigInt(2n ** 16n, 2n ** 64n - 1n).map((value) => `0x${value.toString(16)}`),
  validatorIndex: fc.bigInt(2n ** 16n, 2n ** 64n - 1n).map((value) => `0x${value.toString(16)}`),
  address,
  amount: quantity(2n ** 50n),
});

const listOf = ({ body, receipts }: Case): string => `[${body},${receipts.replace('"id":1', '"id":2')}]`;

interface Answers {
  readonly block: { transactions: Record<string, unknown>[]; withdrawals: unknown[] };
  readonly receipts: (Record<string, unknown> & { logs: { topics: string[]; data: string }[] })[];
}

/** Changes the parsed answers, which stay JSON. */
const parsed =
  (change: (answers: Answers) => unknown) =>
  (whole: Case): Partial<Case> => {
    const block = (JSON.parse(whole.body) as { result: Answers['block'] }).result;
    const receipts = (JSON.parse(whole.receipts) as { result: Answers['receipts'] }).result;
    change({ block, receipts });
    return { body: answerOf(block), receipts: answerOf(receipts) };
  };
const inBody =
  (from: string, to: string) =>
  ({ body }: Case): Partial<Case> => ({ body: body.replace(from, to) });
const inReceipts =
  (from: string | RegExp, to: string) =>
  ({ receipts }: Case): Partial<Case> => ({ receipts: receipts.replace(from, to) });

const tamperings: readonly [string, (whole: Case) => Partial<Case>][] = [
  [
    'swaps two hashes in both answers',
    parsed(
      ({
        block: {
          transactions: [a, b],
        },
        receipts: [c, d],
      }) =>
        ([a!.hash, b!.hash, c!.transactionHash, d!.transactionHash] = [
          b!.hash,
          a!.hash,
          d!.transactionHash,
          c!.transactionHash,
        ]),
    ),
  ],
  [
    'omits the last transaction with its receipt',
    parsed(({ block, receipts }) => [block.transactions.pop(), receipts.pop()]),
  ],
  ['omits a receipt', parsed(({ receipts }) => receipts.pop())],
  ['gives a receipt too many', parsed(({ receipts }) => receipts.push(receipts[0]!))],
  [
    'gives no transactions',
    parsed(({ block, receipts }) => [block.transactions.splice(0), receipts.splice(0)]),
  ],
  ['alters the gas of a receipt', parsed(({ receipts }) => (receipts[1]!.gasUsed = '0xc351'))],
  [
    'alters a sender in both answers but for one',
    parsed(({ receipts }) => (receipts[1]!.from = `0x${'a2'.repeat(20)}`)),
  ],
  ['alters the place of a receipt', parsed(({ receipts }) => (receipts[1]!.transactionIndex = '0x2'))],
  [
    'gives receipts of another block',
    parsed(({ receipts }) => (receipts[1]!.blockHash = `0x${'a2'.repeat(32)}`)),
  ],
  ['alters an amount', parsed(({ receipts }) => (receipts[1]!.logs[0]!.data = `0x${'0'.repeat(62)}fe`))],
  ['omits a log', parsed(({ receipts }) => receipts[1]!.logs.pop())],
  ['alters a status', parsed(({ receipts }) => (receipts[1]!.status = '0x0'))],
  ['gives a status that is none', parsed(({ receipts }) => (receipts[1]!.status = null))],
  [
    'alters a withdrawal',
    parsed(({ block }) =>
      block.withdrawals.push({
        index: '0x1',
        validatorIndex: '0x1',
        address: `0x${'a2'.repeat(20)}`,
        amount: '0x1',
      }),
    ),
  ],
  ['alters the parent', inBody(`"parentHash":"0x12`, `"parentHash":"0x13`)],
  ['gives a value without digits', inBody('"value":"0x0"', '"value":"0x"')],
  ['gives a price that is none', parsed(({ receipts }) => (receipts[1]!.effectiveGasPrice = '0x'))],
  ['gives a price in other digits', parsed(({ receipts }) => (receipts[1]!.effectiveGasPrice = '0x1g'))],
  ['gives a price as a number', parsed(({ receipts }) => (receipts[1]!.effectiveGasPrice = 7))],
  ['gives a fee of the roll-up that is none', parsed(({ receipts }) => (receipts[1]!.l1Fee = 'none'))],
  ['gives a contract that is no address', parsed(({ receipts }) => (receipts[3]!.contractAddress = '0x12'))],
  [
    'writes a sender in capitals',
    parsed(
      ({ block, receipts }) => (
        (block.transactions[0]!.from = `0x${'A1'.repeat(20)}`), (receipts[0]!.from = `0x${'A1'.repeat(20)}`)
      ),
    ),
  ],
  ['writes a topic in capitals', inReceipts('d4d4d4d4', 'D4D4D4D4')],
  ['writes data in capitals', inBody('abababab', 'ABABABAB')],
  ['gives a value twice', inBody('"value":"0x5"', '"value":"0x5","value":"0x5"')],
  ['gives logs twice', inReceipts('"logs":', '"logs":[],"logs":')],
  ['gives topics twice', inReceipts('"topics":', '"topics":[],"topics":')],
  ['gives access lists twice', inBody('"accessList":[]', '"accessList":[],"accessList":[]')],
  ['gives the transactions twice', inBody('"withdrawals":[]', '"withdrawals":[],"transactions":[]')],
  ['gives two results', ({ body }) => ({ body: body.replace(/\}$/, ',"result":null}') })],
  [
    'gives an error with the result',
    ({ body }) => ({ body: body.replace(/\}$/, ',"error":{"code":-32000,"message":"busy"}}') }),
  ],
  ['goes on after the answer', ({ body }) => ({ body: `${body}{}` })],
  ['stops before the end', ({ body }) => ({ body: body.slice(0, -1) })],
  ['gives a list of answers', ({ body }) => ({ body: `[${body}]` })],
  ['gives an error', () => ({ body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}' })],
  ['gives nothing', () => ({ body: answerOf(null) })],
  ['gives no receipts', () => ({ receipts: answerOf(null) })],
  ['writes a line break into a text', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0","note":"a\nb"')],
  ['escapes a key', inBody('"value"', '"valu\\u0065"')],
  ['ends a text with an escape', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0","note":"a\\"')],
  ['writes beyond ASCII', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0","note":"é"')],
  ['writes a number that is none', inBody('"jsonrpc":"2.0"', '"jsonrpc":01')],
  ['writes a literal that is none', inBody('"jsonrpc":"2.0"', '"jsonrpc":nul1')],
  ['writes a comma too many', inReceipts(/\}\]\}$/, '},]}')],
  ['ends a text with a line break', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0\n')],
  [
    'nests deeper than a stack',
    ({ body }) => ({ body: body.replace('"2.0"', `${'['.repeat(500_000)}${']'.repeat(500_000)}`) }),
  ],
  [
    'lists nothing for transactions, a million times',
    ({ body }) => ({ body: body.replace('"transactions":[', `"transactions":[${'{},'.repeat(1_000_000)}`) }),
  ],
  [
    'lists transactions without a member',
    ({ body }) => ({ body: body.replace('"transactions":[', '"transactions":[{"a":1},') }),
  ],
  ['puts a zero byte for a space', inBody('"jsonrpc":"2.0"', '"jsonrpc":\0"2.0"')],
];

describe('blocks proved from bytes', () => {
  it('by the module that the sources make', async () => {
    expect(readFileSync(new URL('./block-prover-wasm.ts', import.meta.url), 'utf8')).toBe(
      await compileProver(),
    );
  }, 60_000);

  it('are those that are proved from parsed answers, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.array(withdrawal, { maxLength: 20 }),
        async (items, number, withdrawals) => {
          const made = await assemble(items, number, withdrawals);
          const slow = await readSlowly(made, network);
          expectSame(readQuickly(made, network), slow);
          expectSame(readTogether(listOf(made), made.ref), slow);
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it.each([1, 2, 15, 16, 17, 127, 128, 129, 130, 255, 256, 257, 272, 500, 4_097])(
    'with %i transactions, which is another trie',
    async (count) => {
      const [item] = fc.sample(
        made.filter(({ tx }) => tx.type === '0x2' && tx.accessList?.length === 0),
        { seed: SEED, numRuns: 1 },
      );
      const made_ = await assemble(
        Array.from({ length: count }, (_, index) => ({
          ...item!,
          tx: { ...item!.tx, nonce: `0x${index.toString(16)}` },
        })),
        5,
      );
      const quick = readQuickly(made_, network);
      expect(quick === undefined ? undefined : plain(quick)).toEqual(await readSlowly(made_, network));
    },
  );

  it.each([1, 15, 16, 17, 127, 128, 129, 257])('with %i withdrawals', async (count) => {
    const withdrawals = fc.sample(withdrawal, { seed: SEED, numRuns: count });
    const whole = await assemble(fixedItems(), 5, withdrawals);
    expectSame(readQuickly(whole, network), await readSlowly(whole, network));
    const list = JSON.stringify(withdrawals);
    for (const changed of [
      whole.body.replace(list, JSON.stringify(withdrawals.slice(1))),
      whole.body.replace(list, JSON.stringify([...withdrawals, ...withdrawals.slice(-1)])),
      whole.body.replace(/"amount":"0x./, '"amount":"0xe'),
      whole.body.replace('"withdrawals":', '"withdrawals":[],"withdrawals":'),
      whole.body.replace(list, 'null'),
    ]) {
      expect(changed).not.toBe(whole.body);
      expect(readQuickly({ ...whole, body: changed }, network)).toBeUndefined();
    }
  });

  it('with withdrawals so small that they stand in their branches, by the other way', async () => {
    const small = { index: '0x1', validatorIndex: '0x1', address: `0x${'a2'.repeat(20)}`, amount: '0x1' };
    const whole = await assemble(fixedItems(), 5, [small, small]);
    expect(readQuickly(whole, network)).toBeUndefined();
    expect((await readSlowly(whole, network)).balanceChanges).toHaveLength(3);
  });

  it('are however the node spaces its JSON', async () => {
    const [items] = fc.sample(fc.array(made, { minLength: 3, maxLength: 3 }), { seed: SEED, numRuns: 1 });
    const { ref, body, receipts } = await assemble(items!, 9);
    const spaced: Case = {
      ref,
      body: JSON.stringify(JSON.parse(body), null, '\t').replaceAll('\n', '\r\n '),
      receipts: ` ${JSON.stringify(JSON.parse(receipts), null, 2)}`,
    };
    expectSame(readQuickly(spaced, network), await readSlowly(spaced, network));
  });

  it.each<[string, (list: string) => string]>([
    ['in another order', (list) => JSON.stringify((JSON.parse(list) as unknown[]).toReversed())],
    ['with the same number', (list) => list.replace('"id":2', '"id":1')],
    ['with other numbers', (list) => list.replace('"id":1', '"id":7')],
    ['with longer numbers', (list) => list.replace('"id":1', '"id":11')],
    ['with texts for numbers', (list) => list.replace('"id":2', '"id":"2"')],
    ['without numbers', (list) => list.replace('"id":2,', '')],
    ['and one more', (list) => list.replace(/\]$/, ',{"jsonrpc":"2.0","id":3,"result":null}]')],
    ['but for one', (list) => JSON.stringify((JSON.parse(list) as unknown[]).slice(0, 1))],
    ['not as a list', (list) => list.slice(1, -1)],
    ['and more', (list) => `${list}]`],
  ])('are not taken from a list of both answers %s', async (_, change) => {
    const whole = await assemble(fixedItems(), 9);
    const slow = await readSlowly(whole, network);
    const list = listOf(whole);
    expectSame(readTogether(list, whole.ref), slow);
    expectSame(
      readTogether(
        list.replaceAll(/\{"jsonrpc":"2.0","id":(\d),/g, '{"result_":1,"id" : $1 ,"jsonrpc":"2.0",'),
        whole.ref,
      ),
      slow,
    );
    expect(change(list)).not.toBe(list);
    expect(readTogether(change(list), whole.ref)).toBeUndefined();
  });

  describe.each(tamperings)('are not taken from a node that %s', (_, tamper) => {
    it('whatever the other way says', async () => {
      const whole = await assemble(fixedItems(), 9);
      expectSame(readQuickly(whole, network), await readSlowly(whole, network));
      const changed = tamper(whole);
      expect(changed).not.toEqual(whole);
      expect(readQuickly({ ...whole, ...changed }, network)).toBeUndefined();
      // And nothing of it stays.
      expect(readQuickly(whole, network)).toBeDefined();
    });
  });

  it('are never what the other way refuses, however the bytes are changed', async () => {
    const outcomes = { proved: 0, left: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { minLength: 1, maxLength: 4 }),
        fc.array(
          fc.record({
            side: fc.constantFrom('body' as const, 'receipts' as const),
            at: fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000),
            how: fc.constantFrom(
              'flip',
              'cut',
              'double',
              'space',
              'digit',
              'swap',
              'quote',
              'null',
              'capital',
              'escape',
            ),
            char: fc.constantFrom(...'0123456789abcdefxABCDEF"{}[],:\\ntu-.e '),
          }),
          { minLength: 40, maxLength: 40 },
        ),
        async (items, changes) => {
          const whole = await assemble(items, 77);
          for (const change of changes) {
            const changed = { ...whole, [change.side]: alter(whole[change.side], change) };
            const quick = readQuickly(changed, network);
            const slow = await readSlowly(changed, network).catch(() => undefined);
            if (quick !== undefined && slow === undefined)
              throw new Error(`proved what is refused: ${JSON.stringify(change)} ${changed[change.side]}`);
            if (quick !== undefined) expectSame(quick, slow!);
            outcomes[quick !== undefined ? 'proved' : slow !== undefined ? 'left' : 'refused'] += 1;
          }
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    // Each of the three did happen, or the changes say nothing.
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(RUNS);
  });

  it('are asked for only where every root has to come out and nothing is traced', () => {
    const of = (gid: string, trace: 'none' | 'trace_block', number = 17) =>
      canProveBytes(
        {
          traits: readTraits(evmNetworks.find((candidate) => candidate.gid === gid) as Network),
          capabilities: {
            receipts: 'by_hash',
            trace,
            hasBlockByHash: true,
            hasMulticall: true,
            hasSocket: true,
          },
        },
        { number, hash: '0x' },
      );
    expect([
      of('eip155:1', 'none'),
      of('eip155:1', 'trace_block'),
      of('eip155:42161', 'none'),
      of('eip155:42161', 'none', 22_207_817),
      of('eip155:137', 'none'),
      of('eip155:137', 'none', 32),
    ]).toEqual([true, false, false, true, true, false]);
  });
});

interface Change {
  readonly at: number;
  readonly how: string;
  readonly char: string;
}

function alter(text: string, { at, how, char }: Change): string {
  const place = Math.floor(at * text.length);
  const members = [...text.matchAll(/"(\w+)":("[^"]*"|null|true|false|\[\])/g)];
  const member = members[Math.floor(at * members.length)]!;
  const [pair, key] = member;
  const around = (changed: string): string =>
    text.slice(0, member.index) + changed + text.slice(member.index + pair.length);
  switch (how) {
    case 'flip':
      return text.slice(0, place) + char + text.slice(place + 1);
    case 'cut':
      return text.slice(0, place) + text.slice(place + 1);
    case 'space':
      return text.slice(0, place) + ' ' + text.slice(place);
    case 'double':
      return around(`${pair},"${key}":"0x${char}"`);
    case 'digit':
      return around(pair.replace(/[0-9a-f](?="$)/, (digit) => ((parseInt(digit, 16) + 1) & 15).toString(16)));
    case 'swap':
      return around(`"${key}x":"0x1",${pair}`);
    case 'capital':
      return around(pair.replace(/[a-f](?=[^a-f]*"$)/, (digit) => digit.toUpperCase()));
    case 'escape':
      return around(pair.replace(/^"./, `"\\u00${key!.charCodeAt(0).toString(16)}`));
    case 'quote':
      return around(pair.replaceAll('"', '\\"'));
    default:
      return around(`"${key}":null`);
  }
}

// Recorded mainnet blocks, beside the repository: ../shared/fixtures/evm (see INDEX.md there).
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
const files = existsSync(folder) ? readdirSync(folder) : [];
const recorded = files
  .filter((file) => file.endsWith('.block.json') && files.includes(file.replace('.block.', '.receipts.')))
  .map((file) => file.slice(0, -'.block.json'.length));
if (recorded.length === 0)
  console.log('skipped: proving recorded EVM blocks from bytes (../shared/fixtures/evm is absent)');

/** Before Byzantium receipts have a state root in place of a status. */
const leftToTheOther = /frontier/;

(recorded.length === 0 ? describe.skip : describe)('recorded blocks', () => {
  it.each(recorded)('%s is the same either way', async (name) => {
    const wanted = name.startsWith('polygon')
      ? 'polygon'
      : name.startsWith('base')
        ? 'base'
        : name.startsWith('gnosis')
          ? 'gnosis'
          : 'ethereum';
    const of = evmNetworks.find((candidate) => candidate.name === wanted) as Network;
    const text = (part: string): string => readFileSync(new URL(`${name}.${part}.json`, folder), 'utf8');
    const { number, hash } = JSON.parse(text('block')) as RawBlock;
    const made = {
      ref: { number: Number(number), hash },
      body: `{"jsonrpc":"2.0","id":1,"result":${text('block')}}`,
      receipts: `{"id":1,"result":${text('receipts')},"jsonrpc":"2.0"}`,
    };
    const quick = readQuickly(made, of);
    if (leftToTheOther.test(name)) expect(quick).toBeUndefined();
    else expectSame(quick, await readSlowly(made, of));
  });
});
