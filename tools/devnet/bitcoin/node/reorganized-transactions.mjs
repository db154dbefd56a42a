// SPDX-License-Identifier: Apache-2.0
import { consensus } from './bcoin.mjs';

/**
 * What Bitcoin Core does with the transactions of disconnected blocks, where bcoin 1.0.2 differs: they return to an
 * empty mempool too, what can no longer be spent takes its spenders along, and the spender of a coinbase that is still
 * mature stays.
 */
export function returnTransactions({ chain, mempool }) {
  mempool._removeBlock = async (entry, txs) => {
    const [coinbase, ...others] = txs;
    for (const tx of others) if (!(await takeBack(mempool, tx))) evictSpenders(mempool, tx);
    evictSpenders(mempool, coinbase);
    mempool.rejects.reset();
    mempool.tip = entry.prevBlock;
  };

  const handleReorg = mempool._handleReorg.bind(mempool);
  mempool._handleReorg = async () => {
    const spenders = [...mempool.map.values()].filter((entry) => entry.coinbase);
    for (const entry of spenders) entry.coinbase = !(await hasMatureCoins(chain, mempool, entry.tx));
    await handleReorg();
    for (const entry of spenders) entry.coinbase = true;
  };
}

/** False for what the mempool would not take from a stranger either. */
async function takeBack(mempool, tx) {
  const hash = tx.hash('hex');
  if (mempool.hasEntry(hash)) return true;
  const missing = await mempool.insertTX(tx, -1).catch(() => [tx]);
  if (missing) mempool.removeOrphan(hash);
  return !missing;
}

function evictSpenders(mempool, tx) {
  const hash = tx.hash('hex');
  for (let index = 0; index < tx.outputs.length; index += 1) {
    const spender = mempool.getSpent(hash, index);
    if (spender) mempool.evictEntry(spender);
  }
}

async function hasMatureCoins(chain, mempool, tx) {
  for (const { prevout } of tx.inputs) {
    if (mempool.hasEntry(prevout.hash)) continue;
    const coin = await chain.getCoin(prevout.hash, prevout.index);
    if (!coin || (coin.coinbase && chain.height + 1 - coin.height < consensus.COINBASE_MATURITY))
      return false;
  }
  return true;
}
