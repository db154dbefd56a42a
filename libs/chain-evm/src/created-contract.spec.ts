// SPDX-License-Identifier: Apache-2.0
import { getContractAddress } from 'viem';
import { decodeBlock } from './decode-block.ts';
import { computeCreatedContract } from './encode-transaction.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import { answerOf, assemble, fixedItems } from './spec-block.ts';
import type { Made } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';

const from = `0x${'a1'.repeat(20)}`;
const network = evmNetworks.find(({ name }) => name === 'base')!;
const traits = readTraits(network);

function compute(tx: Partial<RawTransaction>, receipt: Partial<RawReceipt> = {}): string | undefined {
  return computeCreatedContract(
    { hash: '0x', from, to: null, gas: '0x1', value: '0x0', input: '0x', ...tx },
    receipt as RawReceipt,
    traits.stack,
  );
}

const creation = { ...fixedItems()[3]!, tx: { ...fixedItems()[3]!.tx, value: '0x5' } } as Made;
const made = await assemble([creation, { ...creation, isFailed: true }], 9);

describe('the contract that a transaction creates', () => {
  it.each(['0x0', '0x1', '0x7f', '0x80', '0xffff', '0xffffffffffffff'])(
    'has the address of its sender and nonce %s',
    (nonce) => {
      expect(compute({ nonce })).toBe(
        getContractAddress({ from: from as `0x${string}`, nonce: BigInt(nonce) }).toLowerCase(),
      );
    },
  );

  it("has that of a deposit's receipt where its root holds the nonce, and none else", () => {
    const expected = getContractAddress({ from: from as `0x${string}`, nonce: 7n }).toLowerCase();
    expect(
      compute({ type: '0x7e', nonce: '0x1' }, { depositNonce: '0x7', depositReceiptVersion: '0x1' }),
    ).toBe(expected);
    expect(compute({ type: '0x7e', nonce: '0x1' }, { depositNonce: '0x7' })).toBeUndefined();
    expect(compute({ type: '0x66', nonce: '0x1' })).toBeUndefined();
    expect(compute({ nonce: '0x1', to: from })).toBeUndefined();
  });

  const told = (contractAddress: string | null, index = 0): string => {
    const receipts = (JSON.parse(made.receipts) as { result: object[] }).result;
    return answerOf(
      receipts.map((receipt, at) => (at === index ? { ...receipt, contractAddress } : receipt)),
    );
  };
  const verify = (receipts: string) => {
    const json = (text: string): unknown => (JSON.parse(text) as { result: unknown }).result;
    return verifyBlock(
      made.ref,
      { block: parseRawBlock(json(made.body), 'ethereum'), receipts: parseRawReceipts(json(receipts)) },
      traits,
    );
  };

  it('is refused when the receipt tells another', async () => {
    expect(await verify(made.receipts)).toBeDefined();
    for (const index of [0, 1])
      await expect(verify(told(`0x${'e5'.repeat(20)}`, index))).rejects.toThrow('contractAddress of receipt');
  });

  it('is found where the receipt does not tell it', async () => {
    const created = getContractAddress({ from: from as `0x${string}`, nonce: 4n }).toLowerCase();
    for (const index of [0, 1]) {
      const { transactions } = decodeBlock(network, await verify(told(null, index)));
      expect(
        transactions.map(({ createdContract, transfers }) => [createdContract, transfers[0]?.to]),
      ).toEqual([
        [created, created],
        [undefined, undefined],
      ]);
    }
  });
});
