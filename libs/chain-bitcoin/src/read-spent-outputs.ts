// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, isServerFault } from '@chainwatch/chain-core';
import type { Block, BlockRef, Outpoint, Transaction, UtxoOutput } from '@chainwatch/chain-core';
import { z } from 'zod';
import { isInvalidParams, isMissingBlock, isUnsupported } from './classify-node-error.ts';
import { amountSchema, parseAmount } from './parse-amount.ts';
import { parseHex } from './parse-hex.ts';
import { readBlock } from './read-block.ts';
import { readTransactions } from './read-mempool.ts';
import type { Session } from './session.ts';

const inputSchema = z.object({
  txid: z.string().optional(),
  vout: z.int().optional(),
  prevout: z.object({ value: amountSchema, scriptPubKey: z.object({ hex: z.string() }) }).optional(),
});
const blockSchema = z.object({ tx: z.array(z.object({ vin: z.array(inputSchema) })) });

/**
 * The outputs that a proved block's transactions spend, by `<txid>:<vout>`: first those created in the block
 * itself, then those that the node shows (`getblock` 3), then those of the transactions that created them,
 * where the node has a transaction index.
 * @throws BlockNotFoundError
 */
export async function readSpentOutputs(
  session: Session,
  ref: BlockRef,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, UtxoOutput> | undefined> {
  // Whether a block with something unknown is taken was decided when it was read.
  const block = await readBlock(session, { ref, signal, options: { takeUnknown: true } });
  const spent = new Map<string, UtxoOutput>();
  const missing = takeOwnOutputs(block, spent);
  for (const read of [readPrevouts, readCreators]) {
    if (missing.size === 0) break;
    const found = await read(session, { ref, missing: [...missing.values()], signal });
    for (const [key, output] of found) if (missing.delete(key)) spent.set(key, output);
  }
  return missing.size === 0 ? spent : undefined;
}

/** Fills in the outputs that the block itself created; returns the other outpoints. */
function takeOwnOutputs({ transactions }: Block, spent: Map<string, UtxoOutput>): Map<string, Outpoint> {
  const created = new Map(transactions.map(({ hash, utxo }) => [hash, utxo?.outputs ?? []]));
  const missing = new Map<string, Outpoint>();
  for (const outpoint of transactions.flatMap(({ utxo }) => utxo?.inputs ?? [])) {
    const output = created.get(outpoint.txid)?.[outpoint.vout];
    if (output === undefined) missing.set(keyOf(outpoint), outpoint);
    else spent.set(keyOf(outpoint), output);
  }
  return missing;
}

interface Search {
  readonly ref: BlockRef;
  readonly missing: readonly Outpoint[];
  readonly signal: AbortSignal | undefined;
}

async function readPrevouts(
  { rpc, capabilities, traits: { coinsMax } }: Session,
  { ref, signal }: Search,
): Promise<Map<string, UtxoOutput>> {
  const found = new Map<string, UtxoOutput>();
  if (!capabilities.hasPrevouts) return found;
  try {
    const block = blockSchema.safeParse(
      await rpc.call('getblock', [ref.hash, 3], { signal, hasAmounts: true }),
    );
    for (const { txid, vout, prevout } of block.data?.tx.flatMap(({ vin }) => vin) ?? []) {
      if (txid === undefined || vout === undefined || prevout === undefined) continue;
      found.set(keyOf({ txid, vout }), {
        matchKey: parseHex('getblock', prevout.scriptPubKey.hex).toString('hex'),
        amountRaw: parseAmount({ what: 'getblock', coins: prevout.value, coinsMax }),
      });
    }
    // Core before 23 treats verbosity 3 as 2 and shows no spent outputs.
    if (found.size === 0) capabilities.hasPrevouts = false;
  } catch (error) {
    if (isMissingBlock(error))
      throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`, {
        cause: error,
      });
    if (isServerFault(error)) throw error;
    // Any other error concerns this block only, for example pruned undo data.
    if (isUnsupported(error) || isInvalidParams(error)) capabilities.hasPrevouts = false;
  }
  return found;
}

async function readCreators(session: Session, { missing, signal }: Search): Promise<Map<string, UtxoOutput>> {
  const creators = await findCreators(session, [...new Set(missing.map(({ txid }) => txid))], signal);
  const found = new Map<string, UtxoOutput>();
  for (const outpoint of missing) {
    const output = creators.get(outpoint.txid)?.utxo?.outputs[outpoint.vout];
    if (output !== undefined) found.set(keyOf(outpoint), output);
  }
  return found;
}

/** Asks for one first: without a transaction index the node knows none of them. */
async function findCreators(
  session: Session,
  txids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, Transaction>> {
  try {
    const [first] = await readTransactions(session, txids.slice(0, 1), signal);
    if (first === undefined) return new Map();
    const rest = await readTransactions(session, txids.slice(1), signal);
    return new Map(
      [first, ...rest].flatMap((transaction) =>
        transaction === undefined ? [] : [[transaction.hash, transaction] as const],
      ),
    );
  } catch (error) {
    if (isUnsupported(error)) return new Map();
    throw error;
  }
}

function keyOf({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`;
}
