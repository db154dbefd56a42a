// SPDX-License-Identifier: Apache-2.0
import { evmNetworks, readTraits } from './networks.ts';
import { encodeHeader, parseHeader } from './parse-header.ts';
import { keccak256Hex } from './encode-rlp.ts';
import type { RawBlock } from './raw-block.ts';
import { recoverSender } from './prove-senders.ts';
import {
  account,
  makeItem,
  networkNamed,
  readCase,
  readMade,
  transferLog,
  type Changes,
} from './spec-read.ts';
import recorded from './vectors/recorded-parts.json' with { type: 'json' };

// What these chains have of their own beside Ethereum's or the OP stack's encodings. Blocks are generated unless they are
// named as recorded.

const [sender, payee, contract] = ['a1', 'b2', 'c3'].map(account) as [string, string, string];
const transfers = (blockTx: { transfers: readonly { type: string; amountRaw: bigint }[] } | undefined) =>
  blockTx?.transfers.map(({ type, amountRaw }) => [type, amountRaw]);

describe('Monad', () => {
  it('charges the limit of gas, which its receipts tell as used: the fee is proved', async () => {
    const gas = 300_000;
    const made = makeItem({ from: sender, to: payee, gas: `0x${gas.toString(16)}` }, { gas });
    const { transactions } = await readMade('monad', [made]);
    expect(transactions[0]?.fee).toEqual({
      assetGid: 'eip155:143/slip44:268435779',
      amountRaw: BigInt(gas) * 1_000_000_000n,
      payer: sender,
    });
  });

  it('does not believe less than what the proved gas comes to', async () => {
    const made = makeItem({ from: sender, to: payee }, { gas: 60_000 });
    const lower = await readMade('monad', [made], { receipt: (it) => ({ ...it, effectiveGasPrice: '0x1' }) });
    expect(lower.transactions[0]?.fee?.isAttested).toBe(true);
    await expect(
      readMade('monad', [made], { receipt: (it) => ({ ...it, gasUsed: '0x5208' }) }),
    ).rejects.toThrow('cumulativeGasUsed');
  });

  it("reads its system's own transactions, which cost nothing", async () => {
    const from = '0x6f49a8f621353f12378d0046e7d7e4b9b249dc9e';
    const made = makeItem(
      { from, to: contract, gas: '0x0', gasPrice: '0x0', value: '0x0' },
      { gas: 0, extra: {} },
    );
    const { transactions } = await readMade('monad', [made]);
    expect(transactions[0]?.fee?.amountRaw).toBe(0n);
    expect(transactions[0]?.fee?.isAttested).toBeUndefined();
  });
});

describe('MegaETH', () => {
  it.each(recorded.megaeth.headers)('has the hash of its recorded header $number', (header) => {
    const traits = readTraits(networkNamed('megaeth'));
    expect(parseHeader({ ...header }, traits).hash).toBe(header.hash);
    expect(() => parseHeader({ ...header, requestsHash: null }, traits)).toThrow('its hash');
  });

  it('charges its own account nothing, whatever a receipt says', async () => {
    const of = (from: string) =>
      makeItem(
        { from, to: contract, value: '0x0' },
        { extra: { effectiveGasPrice: '0xf4240', l1Fee: '0x5' } },
      );
    const own = await readMade('megaeth', [of(recorded.megaeth.system.from)]);
    expect(own.transactions[0]).toMatchObject({ from: recorded.megaeth.system.from, fee: undefined });
    const others = await readMade('megaeth', [of(sender)]);
    expect(others.transactions[0]?.fee?.amountRaw).toBe(50_000n * 1_000_000n + 5n);
  });
});

describe('Sonic', () => {
  it('has headers of Ethereum’s form, beside which its nodes tell an epoch and nanoseconds', async () => {
    const header = {
      extraData: `0x${'07'.repeat(12)}`,
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      mixHash: `0x${'00'.repeat(32)}`,
    };
    const made = makeItem({ from: sender, to: payee });
    const block = await readMade('sonic', [made], {
      header,
      block: (it) => ({ ...it, epoch: '0xd431', timestampNano: '0x18b1e2c4d5f6a7b8' }),
    });
    expect(transfers(block.transactions[0])).toEqual([['native', 5n]]);
  });

  it('has transactions of its own, signed by nobody and free', async () => {
    const made = makeItem(
      { from: account('00'), to: contract, gasPrice: '0x0', value: '0x0', r: '0x0', s: '0x0', v: '0x0' },
      { extra: {} },
    );
    const { transactions } = await readMade('sonic', [made]);
    expect(transactions[0]?.signature).toBeUndefined();
    expect(transactions[0]?.fee?.amountRaw).toBe(0n);
  });
});

describe('Scroll', () => {
  const { hash: _, ...message } = recorded.scroll.transaction;

  it('reads a message from L1, which mints nothing and is free, and the L1 fee of other transactions', async () => {
    const { transactions, balanceChanges } = await readMade('scroll', [
      makeItem(message, { gas: 100_000, extra: { l1Fee: '0x0', effectiveGasPrice: '0x0' } }),
      makeItem({ from: sender, to: payee }, { extra: { l1Fee: '0x64', effectiveGasPrice: '0x3b9aca00' } }),
    ]);
    expect(transactions[0]).toMatchObject({ from: message.sender, fee: undefined, transfers: [] });
    expect(transactions[0]?.signature).toBeUndefined();
    expect(transactions[1]?.fee?.amountRaw).toBe(50_000n * 1_000_000_000n + 100n);
    expect(balanceChanges.map(({ reason }) => reason)).toEqual(['reward']);
  });

  it('proves a recorded block: its hash, both roots, and who signed', async () => {
    const { header, transactions } = recorded.scroll.block;
    const json = (result: unknown): string => JSON.stringify({ result });
    const at = (index: number): string => `0x${index}`;
    const receipts = transactions.map(({ hash, from, to }, index) => ({
      transactionHash: hash,
      transactionIndex: at(index),
      blockHash: header.hash,
      from,
      to,
      status: '0x1',
      gasUsed: '0x5208',
      cumulativeGasUsed: index === 0 ? '0x5208' : '0xa410',
      logs: [],
    }));
    const made = {
      ref: { number: Number(header.number), hash: header.hash },
      body: json({ ...header, transactions, uncles: [] }),
      receipts: json(receipts),
    };
    const block = await readCase('scroll', made);
    expect(block.transactions.map(({ signature }) => recoverSender(signature!))).toEqual(
      transactions.map(({ from }) => from),
    );
    expect(block.transactions.map(({ to, transfers: [moved] }) => [to, moved?.amountRaw])).toEqual(
      transactions.map(({ to, value }) => [to, BigInt(value)]),
    );
    for (const [change, message] of [
      [{ block: (it) => ({ ...it, extraData: '0x' }) }, 'its hash'],
      [{ receipt: (it) => ({ ...it, status: '0x0' }) }, 'receiptsRoot'],
      [{ block: (it) => ({ ...it, transactions: [...transactions].reverse() }) }, 'transactionsRoot'],
    ] as [Changes, string][])
      await expect(readCase('scroll', made, change)).rejects.toThrow(message);
  });

  it('refuses a message with another place in the queue', async () => {
    await expect(
      readMade('scroll', [makeItem(message)], {
        block: (it) => {
          const [first] = it['transactions'] as object[];
          return { ...it, transactions: [{ ...first, queueIndex: '0xe7ba1' }] };
        },
      }),
    ).rejects.toThrow('hash of transaction 0');
  });
});

describe.each(['unichain', 'worldchain', 'megaeth', 'celo'])('the OP stack on %s', (name) => {
  it('mints what a deposit brings, and takes no fee for it', async () => {
    const deposit = { ...recorded.megaeth.deposit, from: sender, to: payee, mint: '0x9', value: '0x4' };
    const made = makeItem(deposit, {
      extra: { depositNonce: '0x3', depositReceiptVersion: '0x1' },
    });
    const { transactions, balanceChanges } = await readMade(name, [made]);
    expect(transactions[0]).toMatchObject({ from: sender, fee: undefined });
    expect(transfers(transactions[0])).toEqual([['native', 4n]]);
    expect(balanceChanges).toContainEqual(
      expect.objectContaining({ address: sender, amountRaw: 9n, reason: 'mint' }),
    );
  });
});

describe.each([
  'celo',
  'scroll',
  'unichain',
  'worldchain',
  'megaeth',
  'monad',
  'plasma',
  'sonic',
  'berachain',
  'hyperevm',
  'arc',
])('a generated block of %s', (name) => {
  const logs = [transferLog(contract, [sender, payee], 6n)];
  const items = [
    makeItem({ from: sender, to: payee }, { logs }),
    makeItem({ from: payee, to: sender, nonce: '0x9' }),
  ];
  // Every member that Prague gave to headers; roll-ups have a root of their bridge in the place of withdrawals.
  const header = {
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: `0x${'bb'.repeat(32)}`,
    requestsHash: `0x${'c7'.repeat(32)}`,
  };
  const read = (changes: Changes = {}) => readMade(name, items, { header, ...changes });

  it('is proved, with the native coin and a token that it moves', async () => {
    const { transactions, verification } = await read();
    expect(verification).toBeUndefined();
    const { gid, native } = networkNamed(name);
    expect(transactions[0]?.transfers.map(({ assetGid, amountRaw }) => [assetGid, amountRaw])).toEqual([
      [native!.gid, 5n],
      [`${gid}/erc20:${contract}`, 6n],
    ]);
    expect(transactions.map(({ fee }) => fee?.amountRaw)).toEqual([50_000n * 10n ** 9n, 50_000n * 10n ** 9n]);
  });

  it.each<[string, Changes, string]>([
    ['another state root', { block: (it) => ({ ...it, stateRoot: `0x${'00'.repeat(32)}` }) }, 'its hash'],
    ['no hash of requests', { block: ({ requestsHash: _, ...it }) => it }, 'its hash'],
    [
      'its transactions in another order',
      { block: (it) => ({ ...it, transactions: [...(it['transactions'] as object[])].reverse() }) },
      'transactionsRoot',
    ],
    [
      'another amount of the token',
      {
        receipt: (it, index) =>
          index === 0 ? { ...it, logs: [transferLog(contract, [sender, payee], 7n)] } : it,
      },
      'receiptsRoot',
    ],
  ])('is refused with %s', async (_name, changes, message) => {
    await expect(read(changes)).rejects.toThrow(message);
  });
});

it('every network but a developer’s own proves its newest blocks: hash and roots must match', () => {
  for (const network of evmNetworks.filter(({ isLocal, isTestnet }) => isLocal !== true && !isTestnet)) {
    const { header, roots, strictFrom } = readTraits(network);
    expect([network.name, header === 'strict' && roots === 'strict' ? 0 : strictFrom]).toEqual([
      network.name,
      expect.any(Number),
    ]);
  }
});

it('a header without a proposer’s key has the hash that it always had', () => {
  const plain = { number: '0x1', logsBloom: '0x', requestsHash: '0x01', slotNumber: '0x2' } as RawBlock;
  expect(keccak256Hex(encodeHeader({ ...plain, parentProposerPubkey: null }))).toBe(
    keccak256Hex(encodeHeader(plain)),
  );
});
