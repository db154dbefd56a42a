// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Transaction } from 'bitcoinjs-lib';
import type { BitcoinNode } from './bitcoin-node.ts';
import { buildTransaction, type KeyedCoin, type TransactionOutput } from './build-transaction.ts';
import { createScriptKey } from './script-keys.ts';

const COINBASE_MATURITY = 100;
/** Blocks whose subsidy may be spent from the start on. */
const FUNDED_BLOCKS = 10;
const FEE_PER_TRANSACTION = 10_000n;

interface CoinScan {
  readonly height: number;
  readonly unspents: readonly {
    readonly txid: string;
    readonly vout: number;
    readonly amount: number;
    readonly coinbase: boolean;
    readonly height: number;
  }[];
}

/** The wallet of the local chain: its key is no secret. */
export const walletKey = createScriptKey('p2wpkh', createHash('sha256').update('chainwatch devnet').digest());

/** Mines what a young chain lacks until the wallet has coins to spend. */
export async function fundWallet(node: BitcoinNode): Promise<void> {
  const missing = COINBASE_MATURITY + FUNDED_BLOCKS - (await node.readHeight());
  if (missing > 0) await node.mine(missing, { script: walletKey.script });
}

/** Sends from the wallet to the mempool. The node needs scantxoutset. @throws Error when the wallet has too little */
export async function payFromWallet(
  node: BitcoinNode,
  outputs: readonly TransactionOutput[],
): Promise<Transaction> {
  const wanted = outputs.reduce((sum, { value }) => sum + value, FEE_PER_TRANSACTION);
  const coins: KeyedCoin[] = [];
  let sum = 0n;
  for (const coin of await listSpendable(node)) {
    if (sum >= wanted) break;
    coins.push(coin);
    sum += coin.value;
  }
  if (sum < wanted)
    throw new Error(`expected ${wanted} satoshi in the wallet of the local chain, got ${sum}`);
  const transaction = buildTransaction({
    coins,
    outputs: [...outputs, { script: walletKey.script, value: sum - wanted }],
  });
  await node.send(transaction);
  return transaction;
}

/** The largest first; change of the mempool included, so that one payment need not wait for the block of another. */
async function listSpendable(node: BitcoinNode): Promise<KeyedCoin[]> {
  const script = Buffer.from(walletKey.script);
  const [{ height, unspents }, mempool] = await Promise.all([
    node.call<CoinScan>('scantxoutset', ['start', [`raw(${script.toString('hex')})`]]),
    node.readMempool(),
  ]);
  const confirmed = unspents
    .filter((coin) => !coin.coinbase || height - coin.height + 1 >= COINBASE_MATURITY)
    .map(({ txid, vout, amount }) => ({
      txid,
      vout,
      value: BigInt(Math.round(amount * 1e8)),
      key: walletKey,
    }));
  const pending = mempool.flatMap((transaction) =>
    transaction.outs.flatMap((output, vout) =>
      script.equals(output.script)
        ? [{ txid: transaction.getId(), vout, value: output.value, key: walletKey }]
        : [],
    ),
  );
  const spent = new Set(
    mempool.flatMap(({ ins }) =>
      ins.map(({ hash, index }) => `${Buffer.from(hash).reverse().toString('hex')}:${index}`),
    ),
  );
  const unique = new Map([...confirmed, ...pending].map((coin) => [`${coin.txid}:${coin.vout}`, coin]));
  return [...unique]
    .filter(([outpoint]) => !spent.has(outpoint))
    .map(([, coin]) => coin)
    .sort((one, other) => Number(other.value - one.value));
}
