import { sendJson, startSpecNode, type Seen, type SpecNode } from './spec-node.ts';

/** A stand-in for a node that takes transactions and tells them to nobody, and stands at its own head. */
export interface ChainNode {
  readonly node: SpecNode;
  /** Transactions that only this node knows. */
  readonly pool: string[];
  head: number;
}

type Result = (params: readonly unknown[]) => unknown;

/** @param tip the number in each answer of its family */
export async function startChainNode(chainId = 1, head = 100): Promise<ChainNode> {
  const node = await startSpecNode(undefined, { chainId });
  const self: ChainNode = { node, pool: [], head };
  const quantity = (number: number): string => `0x${number.toString(16)}`;
  const block = (number: number) => ({ number: quantity(number), hash: `0x${'b'.repeat(64)}` });
  const wallet = (number: number) => ({
    blockID: `${'0'.repeat(56)}${(number === 0 ? chainId : number).toString(16).padStart(8, '0')}`,
    block_header: { raw_data: number === 0 ? {} : { number } },
  });
  const take: Result = ([raw]) => {
    self.pool.push(String(raw));
    return String(raw);
  };
  const known = (hash: unknown): boolean => self.pool.includes(String(hash));
  const slotOf = (config: unknown): number => {
    const commitment = (config as { commitment?: string } | undefined)?.commitment ?? 'finalized';
    return self.head - (commitment === 'finalized' ? 32 : 0);
  };
  const results: Record<string, Result> = {
    eth_blockNumber: () => quantity(self.head),
    eth_getBlockByNumber: ([tag]) => {
      const number = { latest: self.head, safe: self.head - 5, finalized: self.head - 10 }[String(tag)];
      if (number !== undefined) return block(number);
      return Number(tag) > self.head ? null : block(Number(tag));
    },
    eth_getLogs: () => [{ blockNumber: '0x1' }, { blockNumber: quantity(self.head) }],
    eth_feeHistory: () => ({ oldestBlock: quantity(self.head - 1), gasUsedRatio: [0.1, 0.2] }),
    eth_getBalance: () => quantity(self.head),
    eth_sendRawTransaction: take,
    eth_getTransactionByHash: ([hash]) => (known(hash) ? { hash, blockNumber: null } : null),
    eth_getTransactionReceipt: () => null,
    eth_getTransactionCount: ([, tag]) => quantity(tag === 'pending' ? self.pool.length : 0),
    getblockcount: () => self.head,
    getblockchaininfo: () => ({ chain: 'main', blocks: self.head }),
    getblockhash: ([height]) => (Number(height) > self.head ? undefined : 'h'.repeat(64)),
    sendrawtransaction: take,
    getmempoolentry: ([id]) => (known(id) ? { vsize: 1 } : undefined),
    getrawmempool: () => self.pool,
    getSlot: ([config]) => slotOf(config),
    getBlockHeight: ([config]) => slotOf(config) - 7,
    getAccountInfo: ([, config]) => ({ context: { apiVersion: '2', slot: slotOf(config) }, value: null }),
    simulateTransaction: ([, config]) => ({ context: { slot: slotOf(config) }, value: {} }),
    sendTransaction: take,
    getSignatureStatuses: ([signatures]) => ({
      context: { slot: self.head },
      value: (signatures as string[]).map((each) => (known(each) ? { slot: self.head } : null)),
    }),
  };
  Object.assign(node.health, {
    eth_getBlockByNumber: ([tag]: readonly unknown[]) => block(self.head - (tag === 'latest' ? 0 : 10)),
    getblockcount: () => self.head,
    getSlot: ([config]: readonly unknown[]) => slotOf(config),
    getblock: ([number]: readonly unknown[]) => wallet(number === 0 ? 0 : self.head),
  });
  node.answer = (seen, res) => {
    if (seen.url.startsWith('/wallet')) return sendJson(res, { body: JSON.stringify(answerPath(seen)) });
    const { id, method, params } = JSON.parse(seen.body) as {
      id: unknown;
      method: string;
      params: unknown[];
    };
    const result = results[method]?.(params);
    const outcome = result === undefined ? { error: { code: -5, message: 'unknown' } } : { result };
    sendJson(res, { body: JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) });
  };
  const answerPath = ({ url, body }: Seen): unknown => {
    const given = JSON.parse(body || '{}') as { raw?: string; value?: string };
    if (url.endsWith('/broadcasthex')) return { result: true, txid: take([given.raw]) };
    if (url.endsWith('/gettransactionbyid')) return known(given.value) ? { txID: given.value } : {};
    if (url.startsWith('/walletsolidity')) return wallet(self.head - 20);
    return wallet(self.head);
  };
  return self;
}
