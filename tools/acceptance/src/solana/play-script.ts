// SPDX-License-Identifier: Apache-2.0
import { Keypair, type PublicKey } from '@solana/web3.js';
import { associatedAccount } from '../../../devnet/solana/index.ts';
import type { Harness } from '../harness.ts';
import type { Random } from '../random.ts';
import type { ScriptOptions, Watched } from '../test-chain.ts';
import type { SolanaActor } from './solana-actor.ts';
import type { SolanaChain } from './solana-chain.ts';

const VERSIONS = ['legacy', 0, 1] as const;

/**
 * Plays a random history on the node, of transactions of each version: native and token transfers of both token programs, withheld fees, mints, burns,
 * wrapped SOL, closed accounts, failures, transfers to oneself and between watched addresses, skipped slots, registrations
 * at random moments (owners and token accounts), forks whose transactions come back elsewhere or never.
 */
export async function playScript(
  harness: Harness<SolanaChain>,
  random: Random,
  options: ScriptOptions,
): Promise<Watched[]> {
  const { actor } = harness.chain;
  const owners = [
    ...actor.wallets.slice(1, 5).map(({ publicKey }) => publicKey),
    ...Array.from({ length: 3 }, () => Keypair.generate().publicKey),
  ];
  const accounts = actor.mints.map(({ mint, program }) =>
    associatedAccount(random.pick(owners), mint, program),
  );
  const everyone = [...owners, ...actor.wallets.map(({ publicKey }) => publicKey)];
  const unwatched = [...owners, ...accounts];
  const watched: Watched[] = [];
  const register = async (): Promise<void> => {
    const [address] = unwatched.splice(random.int(0, unwatched.length - 1), 1);
    if (address !== undefined) watched.push(await harness.watch(address.toBase58()));
  };
  await register();
  for (let step = 0; step < options.steps; step += 1) {
    for (let count = random.int(1, 4); count > 0; count -= 1) await act(actor, random, everyone);
    const dice = random.next();
    if (dice < 0.15) await register();
    if (random.next() < 0.2) await actor.skip(random.int(1, 5));
    if (dice < 0.55) await actor.produce(random.int(1, 3));
    else if (dice < 0.63) await actor.produce(random.int(4, 40));
    else if (dice < 0.78) {
      await actor.fork(random.int(1, options.reorgDepthMax), () => random.next() < 0.6);
      await actor.produce();
    }
    await options.disturb?.(step);
  }
  while (unwatched.length > 0 && random.next() < 0.5) await register();
  await actor.produce(2);
  return watched;
}

async function act(actor: SolanaActor, random: Random, everyone: readonly PublicKey[]): Promise<void> {
  const from = random.pick(actor.wallets);
  const to = random.next() < 0.1 ? from.publicKey : random.pick(everyone);
  const mint = random.pick(actor.mints);
  const amount = BigInt(random.int(1, 1_000));
  const lamports = 1_000_000n + BigInt(random.int(1, 1_000_000));
  actor.useVersion(random.pick(VERSIONS));
  switch (random.int(0, 9)) {
    case 0:
    case 1:
      return actor.pay(from, { to: [to], lamports });
    case 2:
      return actor.pay(from, {
        to: [...new Set([to, random.pick(everyone), random.pick(everyone)])],
        lamports,
      });
    case 3:
      return actor.pay(from, { to: [to], lamports: 900_000_000_000n }); // fails: nobody has as much
    case 4:
      return actor.mint(mint, to, amount);
    case 5:
    case 6:
      return actor.transfer(mint, { from, to, amount });
    case 7:
      return actor.burn(mint, from, random.next() < 0.2 ? 10n ** 15n : amount); // fails when it is too much
    case 8:
      return actor.wrap(from, lamports);
    default:
      return actor.unwrap(from);
  }
}
