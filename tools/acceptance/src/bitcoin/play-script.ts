// SPDX-License-Identifier: Apache-2.0
import type { Harness } from '../harness.ts';
import type { Random } from '../random.ts';
import type { ScriptOptions, Watched } from '../test-chain.ts';
import type { BitcoinChain } from './bitcoin-chain.ts';
import { registerHdAccount, type HdAccount } from './hd-account.ts';

/** Longer than the analyzer takes to look into the mempool again. */
const MEMPOOL_PAUSE_MS = 500;

/**
 * Plays a random history on the node: payments of every script type with several inputs and outputs, chains of
 * unconfirmed parents, replacements, blocks with some of the mempool or with what contradicts it, subsidies, watched
 * addresses that come at random moments, imported and derived, reorgs whose transactions come back elsewhere, later or
 * never.
 */
export async function playScript(
  harness: Harness<BitcoinChain>,
  random: Random,
  options: ScriptOptions,
): Promise<Watched[]> {
  const { actor, miner } = harness.chain;
  const { keys, strangers } = actor.book;
  const account = await registerHdAccount(harness.project, harness.chain.gid, random);
  const unwatched = [...keys.filter((_key, index) => index % 2 === 0), ...strangers.slice(0, 2)].map(
    ({ address }) => address,
  );
  const watched: Watched[] = [];
  const register = async (): Promise<void> => {
    const address =
      random.next() < 0.4 ? undefined : unwatched.splice(random.int(0, unwatched.length - 1), 1)[0];
    watched.push(address === undefined ? await deriveNext(harness, account) : await harness.watch(address));
  };
  await register();
  for (let step = 0; step < options.steps; step += 1) {
    await act(harness, random);
    const dice = random.next();
    if (dice < 0.15) await register();
    if (dice < 0.6) await miner.mine(random, random.int(1, 3));
    else if (dice < 0.78) {
      const { number } = await harness.chain.readHead();
      const depth = Math.min(random.int(1, options.reorgDepthMax), number - harness.startBlock);
      if (depth > 0) await miner.reorg(random, depth);
    } else if (dice < 0.9) await new Promise((resolve) => setTimeout(resolve, MEMPOOL_PAUSE_MS));
    await options.disturb?.(step);
  }
  while (unwatched.length > 0 && random.next() < 0.5) await register();
  return watched;
}

async function act({ chain: { actor } }: Harness<BitcoinChain>, random: Random): Promise<void> {
  for (let count = random.int(1, 4); count > 0; count -= 1) {
    if (random.next() < 0.25) await actor.replace(random);
    else await actor.pay(random);
  }
}

/** A derived address that counts from now on, and whose key may own coins. */
async function deriveNext(harness: Harness<BitcoinChain>, account: HdAccount): Promise<Watched> {
  const { address, fromBlock, key } = await account.deriveNext(harness.chain.gid);
  harness.chain.actor.book.add(key);
  return { address, fromBlock: fromBlock ?? harness.startBlock };
}
