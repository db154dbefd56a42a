// SPDX-License-Identifier: Apache-2.0
import { sendJson, startSpecNode, type Seen, type SpecNode } from './spec-node.ts';

/** A stand-in for a node that takes transactions and tells them to nobody, and stands at its own head. */
export interface ChainNode {
  readonly node: SpecNode;
  /** Transactions that only this node knows. */
  readonly pool: string[];
  head: number;
}

type Result = (params: readonly unknown[]) => unknown;
type Results = Readonly<Record<string, Result>>;

export async function startChainNode(chainId = 1, head = 100): Promise<ChainNode> {
  const node = await startSpecNode(undefined, { chainId });
  const self: ChainNode = { node, pool: [], head };
  Object.assign(node.health, {
    eth_getBlockByNumber: ([tag]: readonly unknown[]) => blockAt(self.head - (tag === 'latest' ? 0 : 10)),
    getblockcount: () => self.head,
    getSlot: ([config]: readonly unknown[]) => slotOf(self, config),
    getblock: ([number]: readonly unknown[]) => walletBlock(number === 0 ? 0 : self.head, chainId),
  });
  const results: Results = { ...ethereumResults(self), ...bitcoinResults(self), ...solanaResults(self) };
  node.answer = (seen, res) => {
    if (seen.url.startsWith('/wallet'))
      return sendJson(res, { body: JSON.stringify(answerPath(self, seen, chainId)) });
    const { id, method, params } = JSON.parse(seen.body) as {
      id: unknown;
      method: string;
      params: unknown[];
    };
    const result = results[method]?.(params);
    const outcome = result === undefined ? { error: { code: -5, message: 'unknown' } } : { result };
    sendJson(res, { body: JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) });
  };
  return self;
}

const quantity = (number: number): string => `0x${number.toString(16)}`;
const blockAt = (number: number) => ({ number: quantity(number), hash: `0x${'b'.repeat(64)}` });
const isKnown = ({ pool }: ChainNode, hash: unknown): boolean => pool.includes(String(hash));

function walletBlock(number: number, chainId: number): object {
  return {
    blockID: `${'0'.repeat(56)}${(number === 0 ? chainId : number).toString(16).padStart(8, '0')}`,
    block_header: { raw_data: number === 0 ? {} : { number } },
  };
}

function take({ pool }: ChainNode, raw: unknown): string {
  pool.push(String(raw));
  return String(raw);
}

function slotOf({ head }: ChainNode, config: unknown): number {
  const commitment = (config as { commitment?: string } | undefined)?.commitment ?? 'finalized';
  return head - (commitment === 'finalized' ? 32 : 0);
}

function ethereumResults(self: ChainNode): Results {
  return {
    eth_blockNumber: () => quantity(self.head),
    eth_getBlockByNumber: ([tag]) => {
      const number = { latest: self.head, safe: self.head - 5, finalized: self.head - 10 }[String(tag)];
      if (number !== undefined) return blockAt(number);
      return Number(tag) > self.head ? null : blockAt(Number(tag));
    },
    eth_getLogs: () => [{ blockNumber: '0x1' }, { blockNumber: quantity(self.head) }],
    eth_feeHistory: () => ({ oldestBlock: quantity(self.head - 1), gasUsedRatio: [0.1, 0.2] }),
    eth_getBalance: () => quantity(self.head),
    eth_sendRawTransaction: ([raw]) => take(self, raw),
    eth_getTransactionByHash: ([hash]) => (isKnown(self, hash) ? { hash, blockNumber: null } : null),
    eth_getTransactionReceipt: () => null,
    eth_getTransactionCount: ([, tag]) => quantity(tag === 'pending' ? self.pool.length : 0),
  };
}

function bitcoinResults(self: ChainNode): Results {
  return {
    getblockcount: () => self.head,
    getblockchaininfo: () => ({ chain: 'main', blocks: self.head }),
    sendrawtransaction: ([raw]) => take(self, raw),
    getmempoolentry: ([id]) => (isKnown(self, id) ? { vsize: 1 } : undefined),
  };
}

function solanaResults(self: ChainNode): Results {
  const context = (config: unknown) => ({ context: { apiVersion: '2', slot: slotOf(self, config) } });
  return {
    getSlot: ([config]) => slotOf(self, config),
    getBlockHeight: ([config]) => slotOf(self, config) - 7,
    getAccountInfo: ([, config]) => ({ ...context(config), value: null }),
    simulateTransaction: ([, config]) => ({ ...context(config), value: {} }),
    sendTransaction: ([raw]) => take(self, raw),
    getSignatureStatuses: ([signatures]) => ({
      context: { slot: self.head },
      value: (signatures as string[]).map((each) => (isKnown(self, each) ? { slot: self.head } : null)),
    }),
  };
}

/** TRON's HTTP interface. */
function answerPath(self: ChainNode, { url, body }: Seen, chainId: number): object {
  const given = JSON.parse(body || '{}') as { raw?: string; value?: string };
  if (url.endsWith('/broadcasthex')) return { result: true, txid: take(self, given.raw) };
  if (url.endsWith('/gettransactionbyid')) return isKnown(self, given.value) ? { txID: given.value } : {};
  return walletBlock(self.head - (url.startsWith('/walletsolidity') ? 20 : 0), chainId);
}
