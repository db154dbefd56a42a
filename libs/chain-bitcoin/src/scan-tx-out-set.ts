// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainClientError, unwrap, type CoinScan, type Outpoint } from '@chainwatch/chain-core';
import { z } from 'zod';
import { isScanRunning, isUnsupported } from './classify-node-error.ts';
import { amountSchema, parseAmount } from './parse-amount.ts';
import { matchKeyOf } from './script-address.ts';
import type { Session } from './session.ts';

/** The node reads the whole UTXO set, which takes minutes on a hard disk. */
const SCAN_TIMEOUT_MS = 2 * 60 * 60 * 1000;
const OTHER_SCAN_WAIT_MS = 30 * 60 * 1000;
const RETRY_MS = 1_000;

const scanSchema = z.object({
  success: z.boolean(),
  height: z.int().min(0),
  bestblock: z.string().regex(/^[0-9a-f]{64}$/),
  unspents: z.array(
    z.object({
      txid: z.string().regex(/^[0-9a-f]{64}$/),
      vout: z.int().min(0),
      scriptPubKey: z.string(),
      amount: amountSchema,
      height: z.int().min(0),
      /** Shown by Core from 25 on. */
      coinbase: z.boolean().optional(),
    }),
  ),
});

type Scan = z.infer<typeof scanSchema>;

/** Coins of `addresses` by `scantxoutset`; undefined where the node does not have it. A node runs one scan at a time. */
export async function scanTxOutSet(
  session: Session,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<CoinScan | undefined> {
  const { capabilities } = session;
  if (!capabilities.hasScan) return undefined;
  try {
    const addressOf = new Map(addresses.map((address) => [matchKeyOf(address), address]));
    // By script, which is the same whatever address format the node's network has.
    const scan = parseScan(
      await start(
        session,
        [...addressOf.keys()].map((script) => `raw(${script})`),
        signal,
      ),
    );
    if (scan !== undefined) return await toCoins(session, { addressOf, scan, signal });
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
  capabilities.hasScan = false;
  return undefined;
}

async function start(
  session: Session,
  descriptors: readonly string[],
  signal?: AbortSignal,
): Promise<unknown> {
  const endMs = Date.now() + OTHER_SCAN_WAIT_MS;
  for (;;) {
    try {
      return await runScan(session, descriptors, signal);
    } catch (error) {
      if (!isScanRunning(error) || Date.now() > endMs) throw error;
    }
    try {
      await sleep(RETRY_MS, undefined, { signal });
    } catch (error) {
      throw new ChainClientError('scantxoutset: aborted while another scan was under way', { cause: error });
    }
  }
}

/** A node goes on scanning when the caller has left, so the scan is aborted explicitly. */
async function runScan(
  { rpc }: Session,
  descriptors: readonly string[],
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    return await rpc.call('scantxoutset', ['start', descriptors], {
      signal,
      timeoutMs: SCAN_TIMEOUT_MS,
      hasAmounts: true,
    });
  } catch (error) {
    if (signal?.aborted === true) await rpc.call('scantxoutset', ['abort']).catch(() => undefined);
    throw error;
  }
}

/** Undefined for a node too old to say which block the scan is of. @throws ChainClientError when the scan was aborted */
function parseScan(result: unknown): Scan | undefined {
  const scan = scanSchema.safeParse(result);
  if (scan.data?.success === false)
    throw new ChainClientError(
      'scantxoutset: expected the whole UTXO set, got a part: somebody stopped the scan',
    );
  if (scan.success) return scan.data;
  if (typeof result === 'object' && result !== null && 'unspents' in result && !('bestblock' in result))
    return undefined;
  throw new ChainClientError(
    `scantxoutset: expected unspent outputs, got ${z.prettifyError(scan.error).slice(0, 200)}`,
  );
}

async function toCoins(
  session: Session,
  {
    addressOf,
    scan,
    signal,
  }: { readonly addressOf: ReadonlyMap<string, string>; readonly scan: Scan; readonly signal?: AbortSignal },
): Promise<CoinScan> {
  const untold = scan.unspents.filter(({ coinbase }) => coinbase === undefined);
  const coinbases = await findCoinbaseOutpoints(session, untold, signal);
  const coins = scan.unspents.map(({ txid, vout, scriptPubKey, amount, height, coinbase }) => {
    const address = addressOf.get(scriptPubKey);
    if (address === undefined)
      throw new ChainClientError(
        `scantxoutset: expected coins of ${addressOf.size} scripts, got another script`,
      );
    const isCoinbase = coinbase ?? coinbases.get(`${txid}:${vout}`) ?? false;
    return {
      txid,
      vout,
      address,
      amountRaw: parseAmount({ what: 'scantxoutset', coins: amount, coinsMax: session.traits.coinsMax }),
      isCoinbase,
      blockNumber: height,
    };
  });
  return { at: { number: scan.height, hash: scan.bestblock }, coins };
}

const outputSchema = z.object({ coinbase: z.boolean() });

/**
 * Which of some coins a coinbase created, by `<txid>:<vout>`, from the node's UTXO set. A coin that was spent
 * meanwhile has no entry.
 */
export async function findCoinbaseOutpoints(
  session: Session,
  outpoints: readonly Outpoint[],
  signal?: AbortSignal,
): Promise<Map<string, boolean>> {
  const calls = outpoints.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] }));
  const answers = await session.rpc.callMany(calls, signal);
  const told = new Map<string, boolean>();
  for (const [index, answer] of answers.entries()) {
    const outpoint = outpoints[index];
    const output = outputSchema.safeParse(unwrap(answer));
    if (outpoint !== undefined && output.success)
      told.set(`${outpoint.txid}:${outpoint.vout}`, output.data.coinbase);
  }
  return told;
}
