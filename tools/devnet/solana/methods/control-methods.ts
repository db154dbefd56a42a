// SPDX-License-Identifier: Apache-2.0
import type { ComingFeatures } from '../ledger.ts';
import { keyOf, numberOf, type Method } from './method.ts';

/** What no real node has: the test's hand on the chain. */
export const controlMethods: Readonly<Record<string, Method>> = {
  devnet_produce: ({ ledger }, [blocks = 1]) => {
    for (let left = numberOf(blocks, 'blocks'); left > 0; left -= 1) ledger.produce();
    return { slot: ledger.head.slot, blockhash: ledger.head.blockhash };
  },
  devnet_skip: ({ ledger }, [slots = 1]) => {
    ledger.skip(numberOf(slots, 'slots'));
    return true;
  },
  /** Answers the transactions that were dropped, base64. */
  devnet_fork: ({ ledger }, [depth = 1]) =>
    ledger.fork(numberOf(depth, 'depth')).map((bytes) => Buffer.from(bytes).toString('base64')),
  devnet_setAccount: ({ ledger }, [key, owner, data, lamports]) => {
    ledger.setAccount(keyOf(key), {
      owner: keyOf(owner),
      data: Buffer.from(String(data), 'base64'),
      lamports: BigInt(numberOf(lamports, 'lamports')),
    });
    return true;
  },
  devnet_setFeatures: ({ ledger }, [features]) => {
    ledger.features = { ...ledger.features, ...(features as Partial<ComingFeatures>) };
    return true;
  },
  devnet_setInterval: ({ setIntervalMs }, [intervalMs = 0]) => {
    setIntervalMs(numberOf(intervalMs, 'interval'));
    return true;
  },
};
