// SPDX-License-Identifier: Apache-2.0
import { LyingRpc, type Call, type Reply } from '../lying-rpc.ts';
import { flip, type Json } from '../lying-server.ts';

export const EVM_LIES = [
  'time-out',
  'rate-limit',
  'drop-connection',
  'truncate-json',
  'lag',
  'other-chain',
  'omit-log',
  'omit-receipt',
  'omit-transaction',
  'empty-result',
  'empty-receipts',
  'change-hash',
  'older-head',
  'server-error',
  'rpc-error',
  'trace-error',
] as const;
type EvmLie = (typeof EVM_LIES)[number];

const OLDER_BLOCKS = 3;

/** Before an EVM node. */
export class LyingEvmNode extends LyingRpc<EvmLie> {
  #frozenHead: Json | undefined;

  protected override async freezeHead(lie: string): Promise<void> {
    const head = Number(await this.call('eth_blockNumber', []));
    const number = lie === 'older-head' ? Math.max(0, head - OLDER_BLOCKS) : head;
    this.#frozenHead = (await this.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as Json;
  }

  protected override bendReply(lie: EvmLie, { method, params }: Call, reply: Reply): Reply {
    const { result } = reply;
    const isLatest = method === 'eth_getBlockByNumber' && params?.[0] === 'latest';
    switch (lie) {
      case 'rpc-error':
        return { id: reply.id, error: { code: -32000, message: 'header not found' } };
      case 'trace-error':
        return method.startsWith('trace_') || method.startsWith('debug_')
          ? { id: reply.id, error: { code: -32000, message: 'execution timeout' } }
          : reply;
      case 'empty-result':
        return /Block|Receipt|trace/.test(method) ? { ...reply, result: null } : reply;
      case 'empty-receipts':
        return method === 'eth_getBlockReceipts' ? { ...reply, result: [] } : reply;
      case 'other-chain':
        if (method === 'eth_chainId') return { ...reply, result: '0x1' };
        return isBlock(result)
          ? {
              ...reply,
              result: {
                ...result,
                hash: flip(String(result['hash'])),
                parentHash: flip(String(result['parentHash'])),
              },
            }
          : reply;
      case 'lag':
      case 'older-head':
        if (isLatest) return { ...reply, result: this.#frozenHead };
        if (method === 'eth_blockNumber') return { ...reply, result: this.#frozenHead?.['number'] };
        if (isBlock(result) && Number(result['number']) > Number(this.#frozenHead?.['number']))
          return { ...reply, result: null };
        return reply;
      case 'change-hash':
        return isBlock(result)
          ? { ...reply, result: { ...result, hash: flip(String(result['hash'])) } }
          : reply;
      case 'omit-transaction':
        return isBlock(result)
          ? { ...reply, result: { ...result, transactions: (result['transactions'] as unknown[]).slice(1) } }
          : reply;
      case 'omit-receipt':
        return Array.isArray(result) && method === 'eth_getBlockReceipts'
          ? { ...reply, result: result.slice(0, -1) }
          : reply;
      case 'omit-log':
        return bendLogs(reply, method);
      default:
        return reply;
    }
  }
}

/** Before an EVM node whose blocks cannot be traced, which most of those for hire are. */
export class UntracedNode extends LyingRpc<'untraced'> {
  override lie = 'untraced' as const;

  protected override freezeHead(): Promise<void> {
    return Promise.resolve();
  }

  protected override bendReply(_: 'untraced', { method }: Call, reply: Reply): Reply {
    if (!method.startsWith('trace_') && !method.startsWith('debug_')) return reply;
    return {
      id: reply.id,
      error: { code: -32601, message: `the method ${method} does not exist/is not available` },
    };
  }
}

function bendLogs(reply: Reply, method: string): Reply {
  const result = reply.result;
  if (Array.isArray(result) && method === 'eth_getBlockReceipts')
    return {
      ...reply,
      result: result.map((receipt: Json) => ({ ...receipt, logs: (receipt['logs'] as unknown[]).slice(1) })),
    };
  if (Array.isArray(result) && method === 'eth_getLogs') return { ...reply, result: result.slice(1) };
  if (method === 'eth_getTransactionReceipt' && result !== null)
    return {
      ...reply,
      result: { ...(result as Json), logs: ((result as Json)['logs'] as unknown[]).slice(1) },
    };
  return reply;
}

const isBlock = (result: unknown): result is Json =>
  typeof result === 'object' && result !== null && 'transactionsRoot' in result;
