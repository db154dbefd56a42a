// SPDX-License-Identifier: Apache-2.0
import type { Block, Network } from '@chainwatch/chain-core';
import { fuzzSpellings, type Json } from '@chainwatch/testing';
import type { EvmApi } from './evm-api.ts';
import { readEvmBlock } from './read-evm-block.ts';
import { readWalletBlock } from './read-wallet-block.ts';
import type { Session } from './session.ts';
import { describeFixtures } from './spec-fixtures.ts';
import { toEvmParts } from './spec-evm-block.ts';
import { readSpecBlock, withInfo } from './spec-node.ts';
import { tronNetworks } from './networks.ts';
import type { WalletApi } from './wallet-api.ts';

const network = tronNetworks.find(({ name }) => name === 'tron') as Network;
const TRIES = 2_000;
const SEED = 15;

/** A log without data, and where nothing proves who it was, nobody, are other words. */
function isOther(member: string, spelling: string): boolean {
  if (member === 'tokenId') return true;
  if (member === 'data') return ['empty', 'nothing but 0x', 'null'].includes(spelling);
  return ['from', 'to', 'contractAddress'].includes(member) && ['nothing but 0x', 'null'].includes(spelling);
}

async function fuzz(told: Json, read: (told: Json) => Promise<Block>): Promise<void> {
  expect(await fuzzSpellings({ told, read, isOther, tries: TRIES, seed: SEED })).toBeGreaterThan(TRIES / 4);
}

const capabilities = (): Session['capabilities'] => ({
  hasGetBlock: true,
  solidified: 'none',
  hasBlockReceipts: true,
  hasWalletBeside: false,
  headerVersion: 38,
});

describeFixtures(`${TRIES} spellings of members in hexadecimal digits are refused or read the same:`, () => {
  const moved = withInfo(readSpecBlock(), 2, {
    internal_transactions: [
      {
        caller_address: `41${'1a'.repeat(20)}`,
        transferTo_address: `41${'0b'.repeat(20)}`,
        callValueInfo: [{ callValue: 5 }, { callValue: 7, tokenId: '1002000' }],
        note: '63616c6c',
      },
    ],
  });
  const { block, infos } = withInfo(moved, 1, { result: 'SUCESS' });
  const ref = { number: block.block_header.raw_data.number!, hash: block.blockID };

  it('the wallet API', async () => {
    await fuzz(JSON.parse(JSON.stringify({ block, infos })) as Json, (told) => {
      const { block: shown, infos: records } = told as { block: Json; infos: Json };
      const wallet = {
        call: (method: string) => Promise.resolve(method.endsWith('infobyblocknum') ? records : shown),
      } as unknown as WalletApi;
      return readWalletBlock({ network, wallet, capabilities: capabilities() }, { ref });
    });
  });

  it('the Ethereum-compatible interface', async () => {
    const told = toEvmParts(moved) as unknown as Json;
    await fuzz(told, (shown) => {
      const { block: body, receipts } = shown as { block: Json; receipts: Json };
      const evm = {
        call: (method: string) => Promise.resolve(method === 'eth_getBlockReceipts' ? receipts : body),
      } as unknown as EvmApi;
      return readEvmBlock({ network, evm, capabilities: capabilities() }, { ref });
    });
  });
});
