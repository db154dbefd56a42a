// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { EvmApi } from './evm-api.ts';
import { tronNetworks } from './networks.ts';
import { readEvmBlock } from './read-evm-block.ts';
import { toEvmParts } from './spec-evm-block.ts';
import { describeFixtures } from './spec-fixtures.ts';
import { readSpecBlock } from './spec-node.ts';

const network = tronNetworks.find(({ name }) => name === 'tron')!;
const take = { takeUnknown: true };

describeFixtures('unknown, by the Ethereum-compatible interface: a real block', () => {
  const honest = readSpecBlock();
  const { block, receipts } = toEvmParts(honest);
  const ref = { number: 165, hash: honest.block.blockID };
  const read = (shown: object, told: readonly object[] = receipts, options = {}): Promise<Block> => {
    const evm = {
      call: (method: string) => Promise.resolve(method === 'eth_getBlockReceipts' ? told : shown),
    } as unknown as EvmApi;
    const capabilities = {
      hasGetBlock: true,
      solidified: 'none',
      hasBlockReceipts: true,
      hasWalletBeside: false,
      headerVersion: 0,
    } as const;
    return readEvmBlock({ network, evm, capabilities }, { ref, signal: undefined, options });
  };
  const unproved = ({ transactions }: Block): (true | undefined)[] =>
    transactions.map(({ verification }) => (verification === 'unproved' ? true : undefined));

  it('(a) with a type of transaction that is not known: that one is the word of the node', async () => {
    expect((await read(block)).unknowns).toBeUndefined();
    const told = {
      ...block,
      transactions: block.transactions.with(0, { ...block.transactions[0]!, type: '0x7d' }),
    };
    await expect(read(told)).rejects.toMatchObject({
      code: 'unknown_content',
      unknowns: [{ kind: 'transaction-type:0x7d', transactionHash: honest.block.transactions![0]!.txID }],
    });
    const taken = await read(told, receipts, take);
    expect([unproved(taken), taken.transactions[0]!.transfers]).toEqual([
      [true, undefined, undefined],
      [expect.objectContaining({ amountRaw: 255n })],
    ]);
    await expect(read(told, receipts.slice(1), take)).rejects.toMatchObject({ code: 'incomplete_block' });
  });

  it('(b) with a member of a transaction or a receipt that is not known: nothing rests on it', async () => {
    const told = {
      ...block,
      transactions: block.transactions.with(0, { ...block.transactions[0]!, energyRebate: '0x1' } as never),
    };
    expect(await read(told, receipts.with(1, { ...receipts[1]!, energyRebate: '0x1' } as never))).toEqual(
      await read(block),
    );
  });

  it('(c) with a member of its header that is not known: proved where the id comes out, else the word of the node', async () => {
    expect(await read({ ...block, energyRoot: '0x1' })).toEqual(await read(block));
    const told = { ...block, energyRoot: '0x1', parentHash: `0x${'ab'.repeat(32)}` };
    await expect(read(told)).rejects.toMatchObject({
      code: 'unknown_content',
      unknowns: [{ kind: 'header-field:energyRoot' }],
    });
    expect(unproved(await read(told, receipts, take))).toEqual([true, true, true]);
    await expect(read({ ...block, parentHash: told.parentHash }, receipts, take)).rejects.toMatchObject({
      code: 'incomplete_block',
    });
    await expect(
      read({ ...told, transactions: block.transactions.slice(0, 2) }, receipts, take),
    ).rejects.toMatchObject({ code: 'incomplete_block' });
  });
});
