// SPDX-License-Identifier: Apache-2.0
import { LyingRpc, type Call, type Reply } from '../lying-rpc.ts';
import { flip, type Json } from '../lying-server.ts';

export const SOLANA_LIES = [
  'omit-transaction',
  'skip-slot',
  'alter-balance',
  'lag',
  'change-hash',
  'truncate-json',
  'alter-signature',
  'other-chain',
  'rate-limit',
  'server-error',
  'rpc-error',
  'empty-result',
  'time-out',
  'drop-connection',
] as const;
type SolanaLie = (typeof SOLANA_LIES)[number];

const SIGNATURE_BYTES = 64;

/** Before a Solana node. */
export class LyingSolanaNode extends LyingRpc<SolanaLie> {
  #frozenSlot = 0;

  protected override async freezeHead(): Promise<void> {
    this.#frozenSlot = Number(await this.call('getSlot', [{ commitment: 'confirmed' }]));
  }

  protected override bendReply(lie: SolanaLie, { method, params = [] }: Call, reply: Reply): Reply {
    const { id, result } = reply;
    const slot = Number(params[0]);
    switch (lie) {
      case 'rpc-error':
        return { id, error: { code: -32005, message: 'Node is behind by 1000 slots' } };
      case 'empty-result':
        return method === 'getBlock' ? { ...reply, result: null } : reply;
      case 'other-chain':
        if (method === 'getGenesisHash')
          return { ...reply, result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' };
        return isBlock(result)
          ? {
              ...reply,
              result: {
                ...result,
                blockhash: flip(String(result['blockhash'])),
                previousBlockhash: flip(String(result['previousBlockhash'])),
              },
            }
          : reply;
      case 'lag':
        if (method === 'getSlot') return { ...reply, result: Math.min(Number(result), this.#frozenSlot) };
        if (method === 'getBlocks' && Array.isArray(result))
          return { ...reply, result: result.filter((one) => Number(one) <= this.#frozenSlot) };
        return method === 'getBlock' && slot > this.#frozenSlot
          ? { id, error: { code: -32004, message: `Block not available for slot ${slot}` } }
          : reply;
      case 'skip-slot':
        if (method === 'getBlocks' && Array.isArray(result))
          return { ...reply, result: result.filter((one) => Number(one) % 2 === 0) };
        return method === 'getBlock' && slot % 2 !== 0
          ? {
              id,
              error: {
                code: -32007,
                message: `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
              },
            }
          : reply;
      default:
        return isBlock(result) ? { ...reply, result: bendBlock(lie, result) } : reply;
    }
  }
}

function bendBlock(lie: SolanaLie, block: Json): Json {
  const transactions = block['transactions'] as Json[] | undefined;
  if (lie === 'change-hash') return { ...block, blockhash: flip(String(block['blockhash'])) };
  if (transactions === undefined || transactions.length === 0) return block;
  const [first, ...others] = transactions as [Json, ...Json[]];
  if (lie === 'omit-transaction') return { ...block, transactions: others };
  if (lie === 'alter-balance') {
    const meta = first['meta'] as { postBalances: number[] };
    return {
      ...block,
      transactions: [
        {
          ...first,
          meta: {
            ...meta,
            postBalances: meta.postBalances.map((amount, index) => (index === 1 ? amount + 7 : amount)),
          },
        },
        ...others,
      ],
    };
  }
  const body = first['transaction'];
  if (lie !== 'alter-signature' || !Array.isArray(body)) return block;
  const bytes = Buffer.from(String(body[0]), 'base64');
  // The second byte of the first signature, which version 1 has at its end.
  const at = bytes[0] === 0x81 ? bytes.length - bytes[1]! * SIGNATURE_BYTES + 1 : 2;
  bytes.writeUInt8(bytes[at]! ^ 1, at);
  return {
    ...block,
    transactions: [{ ...first, transaction: [bytes.toString('base64'), 'base64'] }, ...others],
  };
}

const isBlock = (result: unknown): result is Json =>
  typeof result === 'object' && result !== null && 'previousBlockhash' in result;
