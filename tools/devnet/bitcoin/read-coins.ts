// SPDX-License-Identifier: Apache-2.0
import { Block } from 'bitcoinjs-lib';
import type { BitcoinRpc } from './bitcoin-rpc.ts';
import type { KeyedCoin } from './build-transaction.ts';
import type { ScriptKey } from './script-keys.ts';

const BATCH_BLOCKS = 100;

export interface ConfirmedCoin extends KeyedCoin {
  readonly height: number;
  readonly isCoinbase: boolean;
}

interface TxOut {
  readonly value: number;
}

/** Looks the keys' outputs up in all blocks and asks the node which of them are unspent: not every node has scantxoutset. */
export async function readCoins(rpc: BitcoinRpc, keys: readonly ScriptKey[]): Promise<ConfirmedCoin[]> {
  const outputs = await findOutputs(rpc, keys);
  const unspent: ConfirmedCoin[] = [];
  const answers = await rpc.batch<TxOut | null>(
    'gettxout',
    outputs.map(({ txid, vout }) => [txid, vout, false]),
  );
  for (const [index, answer] of answers.entries()) {
    const output = outputs[index]!;
    if (!answer) continue;
    const value = BigInt(Math.round(answer.value * 1e8));
    if (value !== output.value)
      throw new Error(
        `expected ${output.value} satoshi in ${output.txid}:${output.vout}, got ${value} from the node`,
      );
    unspent.push(output);
  }
  return unspent;
}

async function findOutputs(rpc: BitcoinRpc, keys: readonly ScriptKey[]): Promise<ConfirmedCoin[]> {
  const keyOf = new Map(keys.map((key) => [Buffer.from(key.script).toString('hex'), key]));
  const outputs: ConfirmedCoin[] = [];
  const heightMax = await rpc.call<number>('getblockcount');
  // The output of the genesis block cannot be spent.
  for (let from = 1; from <= heightMax; from += BATCH_BLOCKS) {
    const heights = Array.from(
      { length: Math.min(BATCH_BLOCKS, heightMax - from + 1) },
      (_, index) => from + index,
    );
    const hashes = await rpc.batch<string>(
      'getblockhash',
      heights.map((height) => [height]),
    );
    const blocks = await rpc.batch<string>(
      'getblock',
      hashes.map((hash) => [hash, 0]),
    );
    blocks.forEach((hex, index) => outputs.push(...listOutputs(Block.fromHex(hex), heights[index]!, keyOf)));
  }
  return outputs;
}

function listOutputs(block: Block, height: number, keyOf: ReadonlyMap<string, ScriptKey>): ConfirmedCoin[] {
  return (block.transactions ?? []).flatMap((transaction) =>
    transaction.outs.flatMap(({ script, value }, vout) => {
      const key = keyOf.get(Buffer.from(script).toString('hex'));
      return key
        ? [{ txid: transaction.getId(), vout, value, key, height, isCoinbase: transaction.isCoinbase() }]
        : [];
    }),
  );
}
