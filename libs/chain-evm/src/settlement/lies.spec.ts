// SPDX-License-Identifier: Apache-2.0
import { SettledChain, startSettledNode } from '@chainwatch/tool-devnet/settled-chain';
import type { Hex } from '@chainwatch/tool-devnet/settled-chain';
import { createFailoverClient, IncompleteBlockError, UnknownContentError } from '@chainwatch/chain-core';
import { evmFamily } from '../evm-family.ts';
import { lies, makeShortChain, refusalOf, SETTLER, SUBJECT, tellReceipts } from './spec-lies.ts';
import type { Receipts } from './spec-lies.ts';
import { ALICE, fuji, refOf, standingOf, START_MS, startRig } from './spec-settled.ts';
import type { Rig } from './spec-settled.ts';

let chain: SettledChain;
let rig: Rig;

beforeAll(async () => {
  chain = await makeShortChain();
  rig = await startRig(chain);
});
beforeEach(() => rig.reset());
afterAll(() => rig.stop());

describe.each(Object.entries(lies))('%s', (_, lie) => {
  it.each([3, SUBJECT, 6])('in block %i, settled with the one that is read, is refused', async (number) => {
    rig.node.alter = tellReceipts(chain.find(number)!, lie);
    expect(await refusalOf(rig.readFresh(chain.find(SUBJECT)!))).toBeInstanceOf(IncompleteBlockError);
  });

  it('is settling before, is refused when the header is there, and the truth proved once the node tells it', async () => {
    const client = rig.connect();
    rig.node.head = SETTLER - 1;
    rig.node.alter = tellReceipts(chain.find(SUBJECT)!, lie);
    const ref = refOf(chain.find(SUBJECT)!);
    expect(standingOf(await client.readBlock(ref))).toBe('settling');
    rig.node.head = undefined;
    expect(await refusalOf(client.readBlock(ref))).toBeInstanceOf(IncompleteBlockError);
    expect(await refusalOf(client.readBlock(refOf(chain.find(5)!)))).toBeInstanceOf(IncompleteBlockError);
    rig.node.alter = undefined;
    expect(await client.readBlock(ref)).toMatchObject({ provedBy: { number: SETTLER } });
    expect(standingOf(await client.readBlock(ref))).toBe('proved');
  });

  it('that was told once is read again, and the block is proved by what is true', async () => {
    const client = rig.connect();
    rig.node.head = SETTLER - 1;
    rig.node.alter = tellReceipts(chain.find(SUBJECT)!, lie);
    const ref = refOf(chain.find(SUBJECT)!);
    await client.readBlock(ref);
    rig.node.head = undefined;
    rig.node.alter = undefined;
    const read = await client.readBlock(ref);
    expect([standingOf(read), read.provedBy?.number]).toEqual(['proved', SETTLER]);
    expect(read.transactions).toEqual((await rig.readFresh(chain.find(SUBJECT)!)).transactions);
  });

  it('beside a member that is not known is taken at most as unproved', async () => {
    rig.node.alter = tellReceipts(chain.find(5)!, (receipts) => {
      lie(receipts);
      Object.assign(receipts[0]!, { madeUp: '0x1234' });
    });
    const block = chain.find(SUBJECT)!;
    const error = await refusalOf(rig.readFresh(block));
    expect(error).toBeInstanceOf(Error);
    if (!(error instanceof UnknownContentError)) return;
    expect(error.unknowns.map(({ kind }) => kind)).toEqual(['receipt-field:madeUp']);
    const read = await rig.readFresh(block, { takeUnknown: true });
    expect(read.verification).toBe('unproved');
    expect(new Set(read.transactions.map(({ verification }) => verification))).toEqual(new Set(['unproved']));
  });
});

describe('a member of a receipt that is not known', () => {
  const strange = { madeUp: '0x1234' };

  it('does no harm where the root comes out without it', async () => {
    rig.node.alter = tellReceipts(chain.find(5)!, (receipts) => Object.assign(receipts[0]!, strange));
    const read = await rig.readFresh(chain.find(SUBJECT)!);
    expect([standingOf(read), read.provedBy?.number]).toEqual(['proved', SETTLER]);
  });

  it.each([
    [SUBJECT, true],
    [5, false],
  ])(
    'in block %i is named where the root does not come out, with the transaction if it is its own',
    async (number, isOwn) => {
      const block = chain.find(SUBJECT)!;
      rig.node.alter = tellReceipts(chain.find(number)!, (receipts) => {
        lies['the amount of a transfer']!(receipts);
        Object.assign(receipts[0]!, strange);
      });
      const { unknowns } = (await refusalOf(rig.readFresh(block))) as UnknownContentError;
      expect(unknowns).toMatchObject([{ kind: 'receipt-field:madeUp' }]);
      expect(unknowns[0]!.transactionHash).toBe(isOwn ? block.made[0]!.json.hash : undefined);
      const read = await rig.readFresh(block, { takeUnknown: true });
      expect([read.verification, read.unknowns, read.provedBy]).toEqual(['unproved', unknowns, undefined]);
    },
  );
});

describe('a wrong sender', () => {
  it('is found by its signature, and refused from then on', async () => {
    const client = rig.connect();
    const block = chain.find(SUBJECT)!;
    const ref = refOf(block);
    rig.node.alter = ({ method, params }, result) => {
      if (method === 'eth_getBlockByHash' && params[0] === block.hash)
        (result as { transactions: { from: Hex }[] }).transactions[0]!.from = ALICE;
      if (method === 'eth_getBlockReceipts' && params[0] === block.hash)
        Object.assign((result as object[])[0]!, { from: ALICE });
      return result;
    };
    const { transactions } = await client.readBlock(ref);
    expect(transactions[0]!.from).toBe(ALICE);
    await expect(client.proveSenders!(ref, transactions)).rejects.toBeInstanceOf(IncompleteBlockError);
    await expect(client.readBlock(ref)).rejects.toThrow('sender of transaction');
    rig.node.alter = undefined;
    expect((await client.readBlock(ref)).transactions[0]!.from).toBe(block.made[0]!.json.from);
  });
});

it('another endpoint is asked where one lies', async () => {
  const honest = await startSettledNode(chain);
  const clients = [rig.connect(), evmFamily.createClient({ network: fuji, endpointUrl: honest.url })];
  const client = createFailoverClient(clients);
  rig.node.alter = tellReceipts(chain.find(SUBJECT)!, lies['the amount of a transfer']!);
  const read = await client.readBlock(refOf(chain.find(SUBJECT)!));
  expect([standingOf(read), client.endpointOf(read)]).toEqual(['proved', clients[1]!.label]);
  client.close();
  await honest.stop();
});

describe('a price of gas', () => {
  it.each([0, 2])('above the bid of its transaction %i, or none, is refused at once', async (index) => {
    const block = chain.find(SUBJECT)!;
    rig.node.head = SUBJECT;
    const tell = (price: Hex | null): void => {
      rig.node.alter = tellReceipts(chain.find(SUBJECT)!, (receipts) =>
        Object.assign(receipts[index]!, { effectiveGasPrice: price }),
      );
    };
    for (const price of ['0xba43b7401', null] as const) {
      tell(price);
      await expect(rig.readFresh(block)).rejects.toThrow(`effectiveGasPrice of receipt ${index}`);
    }
    tell('0xba43b7400');
    expect(standingOf(await rig.readFresh(block))).toBe('settling');
  });

  it('is the one of the receipt, not by the header base fee, which nobody pays', async () => {
    const block = chain.find(SUBJECT)!;
    const { transactions } = await rig.readFresh(block);
    expect(BigInt(block.header.baseFeePerGas)).toBeGreaterThan(25_000_000_000n);
    expect(transactions.map(({ fee }) => fee?.amountRaw)).toEqual([
      60_000n * 25_000_000_000n,
      60_000n * 25_000_000_000n,
      21_000n * 50_000_000_000n,
    ]);
  });
});

it('receipts that are like those settled with the block itself prove nothing', async () => {
  const alike = await SettledChain.create({ startMs: START_MS });
  const transactions = [{ value: 5n, to: ALICE }];
  await alike.append({ transactions, isSynchronous: true });
  for (let count = 0; count < 2; count++) await alike.append({ transactions });
  const failed = await alike.append({ transactions: [{ ...transactions[0]!, isFailed: true }], settles: 2 });
  const other = await startRig(alike);
  other.node.alter = ({ method, params }, result) => {
    if (method === 'eth_getBlockReceipts' && params[0] === failed.hash)
      (result as Receipts)[0]!.status = '0x1';
    return result;
  };
  // The header of the block has the root of this very receipt.
  expect(standingOf(await other.readFresh(failed))).toBe('settling');
  await alike.append({ settles: 4 });
  expect(await refusalOf(other.readFresh(failed))).toBeInstanceOf(IncompleteBlockError);
  await other.stop();
});
