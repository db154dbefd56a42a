// SPDX-License-Identifier: Apache-2.0
import type { EvmBlock, EvmReceipt } from './evm-types.ts';
import type { SpecBlock } from './spec-node.ts';

/** Three transactions of a block as the Ethereum-compatible interface tells them: TRX, a token, and one that failed. */
export function toEvmParts({ block, infos }: SpecBlock): {
  readonly block: EvmBlock;
  readonly receipts: readonly EvmReceipt[];
} {
  const { number, parentHash, txTrieRoot, timestamp, witness_address: witness } = block.block_header.raw_data;
  const place = (index: number) => ({ blockHash: `0x${block.blockID}`, transactionIndex: `0x${index}` });
  const logs = infos[1]!.log!.map(({ address, topics, data }) => ({
    address: `0x${address}`,
    topics: topics!.map((topic) => `0x${topic}`),
    data: `0x${data}`,
    logIndex: '0x0',
  }));
  const hashes = block.transactions!.map(({ txID }) => `0x${txID}`);
  const from = `0x${'0a'.repeat(20)}`;
  return {
    block: {
      number: `0x${number!.toString(16)}`,
      hash: `0x${block.blockID}`,
      parentHash: `0x${parentHash}`,
      transactionsRoot: `0x${txTrieRoot}`,
      stateRoot: '0x',
      miner: `0x${witness!.slice(2)}`,
      timestamp: `0x${(timestamp! / 1_000).toString(16)}`,
      gasUsed: '0xaf',
      transactions: hashes.map((hash, index) => ({
        ...place(index),
        hash,
        type: '0x0',
        from,
        to: index === 2 ? '0x' : `0x${'0b'.repeat(20)}`,
        value: ['0xff', '0x0', '0x3'][index]!,
        gas: index === 0 ? '0xaf' : '0x0',
      })),
    },
    receipts: hashes.map((transactionHash, index) => ({
      ...place(index),
      transactionHash,
      status: ['0x1', '0x1', '0x0'][index]!,
      gasUsed: index === 0 ? '0xaf' : '0x0',
      cumulativeGasUsed: '0xaf',
      contractAddress: null,
      logs: index === 1 ? logs : [],
    })),
  };
}
