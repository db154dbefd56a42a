// SPDX-License-Identifier: Apache-2.0
import type { Harness } from '../harness.ts';
import type { Random } from '../random.ts';
import type { ScriptOptions, Watched } from '../test-chain.ts';
import { toBase58 } from './expect-transactions.ts';
import type { TronActor } from './tron-actor.ts';
import type { TronChain } from './tron-chain.ts';

const TOKEN_UNITS = 10n ** 18n;
/** Too little for any call: it burns it and does nothing. */
const STARVING_FEE_LIMIT = 50_000n;

/**
 * Plays a random history on the node: TRX, TRC-10, TRC-20 with its fees and rebases, internal transfers, some undone,
 * failed and starved calls, stakes, registrations at random moments, reorgs whose transactions come back elsewhere or
 * never.
 */
export async function playScript(
  harness: Harness<TronChain>,
  random: Random,
  options: ScriptOptions,
): Promise<Watched[]> {
  const { actor } = harness.chain;
  const watchable = [
    ...actor.accounts.slice(1, 5).map(({ hexAddress }) => hexAddress),
    ...Array.from({ length: 3 }, () => randomAddress(random)),
  ];
  const watched: Watched[] = [];
  const unwatched = [...watchable];
  const everyone = [...watchable, ...actor.accounts.map(({ hexAddress }) => hexAddress)];
  const register = async (): Promise<void> => {
    const address = unwatched.splice(random.int(0, unwatched.length - 1), 1)[0];
    if (address !== undefined) watched.push(await harness.watch(toBase58(address)));
  };
  await register();
  for (let step = 0; step < options.steps; step += 1) {
    await act(actor, random, everyone);
    const dice = random.next();
    if (dice < 0.12) await register();
    if (dice < 0.55) await actor.mine(random.int(1, 3));
    else if (dice < 0.63) await actor.mine(random.int(4, 12));
    else if (dice < 0.75) {
      const depth = Math.min(random.int(1, options.reorgDepthMax), actor.head() - harness.startBlock);
      if (depth > 0) await actor.reorg(depth, () => random.next() < 0.6);
      await actor.mine();
    }
    await options.disturb?.(step);
  }
  while (unwatched.length > 0 && random.next() < 0.5) await register();
  await actor.mine(2);
  return watched;
}

async function act(actor: TronActor, random: Random, everyone: readonly string[]): Promise<void> {
  for (let count = random.int(1, 4); count > 0; count -= 1) {
    const from = random.pick(actor.accounts);
    const to = random.pick(everyone);
    const amount = BigInt(random.int(1, 1_000_000));
    const options = { sun: amount };
    switch (random.int(0, 11)) {
      // To oneself the chain refuses: nothing stands in a block then.
      case 0:
      case 1:
        await actor.sendTrx(from, { to, sun: amount });
        break;
      case 2:
        await actor.sendToken(from, to, BigInt(random.int(1, 1_000)));
        break;
      case 3:
        await actor.call(from, { contract: 'TestToken', name: 'mint', args: [to, amount] });
        break;
      case 4:
        await actor.call(from, { contract: 'TestToken', name: 'transfer', args: [to, amount] });
        break; // fails when the balance is short
      case 5:
        await actor.call(from, { contract: 'Forwarder', name: 'forward', args: [to], options });
        break;
      case 6:
        await actor.call(from, { contract: 'Forwarder', name: 'forwardAndRevert', args: [to], options });
        break;
      case 7:
        await actor.call(from, {
          contract: 'TestToken',
          name: 'mint',
          args: [to, amount],
          options: { feeLimit: STARVING_FEE_LIMIT },
        });
        break;
      case 8:
        await actor.call(from, { contract: 'FeeToken', name: 'mint', args: [to, TOKEN_UNITS] });
        await actor.call(from, { contract: 'FeeToken', name: 'transfer', args: [to, 1_000n] });
        break;
      case 9:
        await actor.call(from, { contract: 'RebasingToken', name: 'mint', args: [to, TOKEN_UNITS] });
        break;
      case 10:
        await actor.freeze(from, 1_000_000n);
        break;
      default:
        await actor.call(actor.accounts[0]!, {
          contract: 'RebasingToken',
          name: 'rebase',
          args: [BigInt(random.int(50, 200))],
        });
    }
  }
}

function randomAddress(random: Random): string {
  return `41${Array.from({ length: 20 }, () => random.int(0, 255).toString(16).padStart(2, '0')).join('')}`;
}
