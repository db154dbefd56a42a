// SPDX-License-Identifier: Apache-2.0
import { VerifyError, policy } from './bcoin.mjs';

const EVICTED_MAX = 100;

/**
 * Replacement as Bitcoin Core does it by default (BIP125 without the need to signal): bcoin 1.0.2 refuses every
 * transaction that spends what another one in its mempool spends. The old ones leave in the moment in which the new one
 * comes in, so that no reader finds neither.
 */
export function allowReplacement({ mempool }) {
  const insertTX = mempool.insertTX.bind(mempool);
  const trackEntry = mempool.trackEntry.bind(mempool);
  /** @type {readonly any[]} what the transaction that is being inserted would replace; the lock that chain and mempool share lets one in at a time */
  let replaced = [];

  mempool.insertTX = async (tx, id) => {
    const conflicts = findConflicts(mempool, tx);
    if (conflicts.length === 0) return insertTX(tx, id);
    // As if the coins were unspent, or the transaction would be refused before anything else is looked at.
    for (const entry of conflicts) forgetSpends(mempool, entry);
    replaced = conflicts;
    try {
      return await insertTX(tx, id);
    } finally {
      replaced = [];
      for (const entry of conflicts) if (mempool.hasEntry(entry.hash('hex'))) rememberSpends(mempool, entry);
    }
  };

  mempool.trackEntry = (entry, view) => {
    if (replaced.length > 0) {
      for (const old of replaced) rememberSpends(mempool, old);
      assertReplaces(mempool, entry, replaced);
      for (const old of replaced) if (mempool.hasEntry(old.hash('hex'))) mempool.evictEntry(old);
    }
    trackEntry(entry, view);
  };
}

function findConflicts(mempool, tx) {
  const entries = tx.inputs.map(({ prevout }) => mempool.getSpent(prevout.hash, prevout.index));
  return [...new Set(entries)].filter((entry) => entry !== undefined && entry.hash('hex') !== tx.hash('hex'));
}

function forgetSpends(mempool, { tx }) {
  for (const { prevout } of tx.inputs) mempool.spents.delete(prevout.toKey());
}

function rememberSpends(mempool, entry) {
  for (const { prevout } of entry.tx.inputs) mempool.spents.set(prevout.toKey(), entry);
}

/** BIP125, rules 2 to 5. */
function assertReplaces(mempool, entry, conflicts) {
  const evicted = new Map(
    conflicts.flatMap((old) => [old, ...mempool.getDescendants(old)]).map((old) => [old.hash('hex'), old]),
  );
  const refuse = (reason) => {
    throw new VerifyError(entry.tx, 'insufficientfee', reason, 0);
  };
  if (entry.tx.inputs.some(({ prevout }) => evicted.has(prevout.hash)))
    refuse('bad-txns-spends-conflicting-tx');
  if (evicted.size > EVICTED_MAX) refuse('too many potential replacements');
  if (conflicts.some((old) => entry.fee / entry.size <= old.fee / old.size)) refuse('insufficient fee');
  const fee = [...evicted.values()].reduce((sum, old) => sum + old.fee, 0);
  if (entry.fee < fee + policy.getMinFee(entry.size, mempool.options.minRelay)) refuse('insufficient fee');
}
