// SPDX-License-Identifier: Apache-2.0
import { CoinEntry, RPCError, layout } from './bcoin.mjs';

const INVALID_ADDRESS_OR_KEY = -5;
const SATOSHI_PER_COIN = 100_000_000;

/** Bitcoin Core's `scantxoutset "start" ["raw(script hex)", …]` over the coins in the chain's database; of its descriptors `raw` alone. */
export function answerScanTxOutSet({ rpc, chain }) {
  rpc.add('scantxoutset', async ([action, scanObjects]) => {
    if (action === 'abort') return false;
    if (action === 'status') return null;
    const wanted = new Map(scanObjects.map((object) => [parseDescriptor(object), object]));
    const unlock = await chain.locker.lock();
    try {
      return await scan(chain, wanted);
    } finally {
      unlock();
    }
  });
}

function parseDescriptor(object) {
  const descriptor = typeof object === 'string' ? object : object?.desc;
  const match = /^raw\(([0-9a-fA-F]*)\)(#[a-z0-9]{8})?$/.exec(descriptor);
  if (!match)
    throw new RPCError(INVALID_ADDRESS_OR_KEY, `'${descriptor}' is not a valid descriptor function`);
  return match[1].toLowerCase();
}

async function scan(chain, wanted) {
  const entries = await chain.db.db.range({ gte: layout.c.min(), lte: layout.c.max() });
  const coins = entries.map(({ key, value }) => ({
    outpoint: layout.c.parse(key),
    coin: CoinEntry.fromRaw(value),
  }));
  const found = coins
    .map((entry) => ({ ...entry, script: entry.coin.output.script.toRaw().toString('hex') }))
    .filter(({ script }) => wanted.has(script));
  return {
    success: true,
    txouts: coins.length,
    height: chain.height,
    bestblock: chain.tip.rhash(),
    unspents: found.map(({ outpoint: [hash, vout], coin, script }) => ({
      txid: Buffer.from(hash, 'hex').reverse().toString('hex'),
      vout,
      scriptPubKey: script,
      desc: wanted.get(script),
      amount: coin.output.value / SATOSHI_PER_COIN,
      coinbase: coin.coinbase,
      height: coin.height,
    })),
    total_amount: found.reduce((sum, { coin }) => sum + coin.output.value, 0) / SATOSHI_PER_COIN,
  };
}
