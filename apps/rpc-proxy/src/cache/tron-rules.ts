import { byBlock, evmRules, readBlock } from './evm-rules.ts';
import { atMost, type CacheRule } from './lifetime.ts';

const aSecond = atMost(1_000);

/** java-tron answers state calls at its latest block whatever block they name: they are never history. */
const state =
  (index: number): CacheRule =>
  (question) => {
    const block = question.params[index];
    return typeof block === 'object' && block !== null ? undefined : aSecond(question);
  };

const byNumber: CacheRule = (question) => byBlock(question, readBlock(question.params[0]));

export const tronRules: Readonly<Record<string, CacheRule>> = {
  eth_chainId: evmRules.eth_chainId!,
  net_version: evmRules.net_version!,
  eth_getBlockByNumber: byNumber,
  eth_getBlockTransactionCountByNumber: byNumber,
  eth_getTransactionByBlockNumberAndIndex: byNumber,
  eth_getBlockByHash: evmRules.eth_getBlockByHash!,
  eth_getBlockReceipts: evmRules.eth_getBlockReceipts!,
  eth_getTransactionByHash: evmRules.eth_getTransactionByHash!,
  eth_getTransactionByBlockHashAndIndex: evmRules.eth_getTransactionByBlockHashAndIndex!,
  eth_getTransactionReceipt: evmRules.eth_getTransactionReceipt!,
  eth_getLogs: evmRules.eth_getLogs!,
  eth_blockNumber: aSecond,
  eth_call: state(1),
  eth_getBalance: state(1),
  eth_getCode: state(1),
  eth_getStorageAt: state(2),
};
