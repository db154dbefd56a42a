// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { getAddress } from 'viem';
import type { Harness } from '../harness.ts';
import type { Random } from '../random.ts';
import type { ScriptOptions, Watched } from '../test-chain.ts';
import type { EvmChain } from './evm-chain.ts';

const TOKEN_UNITS = 10n ** 18n;

/**
 * Plays a random history on the node: native, token, fee-on-transfer, rebasing and internal transfers, failures,
 * transfers to oneself and between watched addresses, registrations at random moments, reorgs whose transactions come
 * back elsewhere or never.
 */
export async function playScript(
  harness: Harness<EvmChain>,
  random: Random,
  options: ScriptOptions,
): Promise<Watched[]> {
  const { actor } = harness.chain;
  // Half of the node's accounts are candidates for watching, plus fresh addresses without a key.
  const watchable: Hex[] = [
    ...actor.accounts.slice(1, 5),
    ...Array.from({ length: 3 }, () => randomAddress(random)),
  ];
  const watched: Watched[] = [];
  const unwatched = [...watchable];
  const everyone = [...watchable, ...actor.accounts];
  const register = async (): Promise<void> => {
    const address = unwatched.splice(random.int(0, unwatched.length - 1), 1)[0];
    if (address !== undefined) watched.push(await harness.watch(address));
  };
  // With one alone a short history may tell of nothing.
  for (let count = 0; count < 3; count += 1) await register();
  for (let step = 0; step < options.steps; step += 1) {
    await act(harness.chain, random, everyone);
    const dice = random.next();
    if (dice < 0.12) await register();
    if (dice < 0.55) await actor.mine(random.int(1, 3));
    else if (dice < 0.63) await actor.mine(random.int(4, 12));
    else if (dice < 0.75) {
      const depth = Math.min(random.int(1, options.reorgDepthMax), (await actor.head()) - harness.startBlock);
      if (depth > 0) await actor.reorg(depth, () => random.next() < 0.6);
      await actor.mine();
    }
    await options.disturb?.(step);
  }
  while (unwatched.length > 0 && random.next() < 0.5) await register();
  await actor.mine(2);
  return watched;
}

async function act({ actor, isTraced }: EvmChain, random: Random, everyone: readonly Hex[]): Promise<void> {
  for (let count = random.int(1, 4); count > 0; count -= 1) {
    const from = random.pick(actor.accounts);
    const to = random.next() < 0.1 ? from : random.pick(everyone);
    const amount = BigInt(random.int(1, 1_000_000)) * 10n ** BigInt(random.int(0, 12));
    switch (random.int(0, 9)) {
      case 0:
      case 1:
        await actor.sendEther(from, to, amount);
        break;
      case 2:
        await actor.call(from, { contract: 'TestToken', name: 'mint', args: [to, amount] });
        break;
      case 3:
        await actor.call(from, { contract: 'TestToken', name: 'transfer', args: [to, amount] });
        break; // fails when the balance is short
      // A payment out of a contract shows in traces only.
      case 4:
        await (isTraced
          ? actor.call(from, { contract: 'Forwarder', name: 'forward', args: [to], wei: amount })
          : actor.sendEther(from, to, amount));
        break;
      case 5:
        await actor.call(from, { contract: 'RebasingToken', name: 'mint', args: [to, TOKEN_UNITS] });
        break;
      case 6:
        await actor.call(from, { contract: 'RebasingToken', name: 'transfer', args: [to, 1000n] });
        break;
      case 7:
        await actor.call(from, { contract: 'FeeToken', name: 'mint', args: [to, TOKEN_UNITS] });
        break;
      case 8:
        await actor.call(from, { contract: 'FeeToken', name: 'transfer', args: [to, 1000n] });
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

function randomAddress(random: Random): Hex {
  const bytes = Array.from({ length: 20 }, () => random.int(0, 255).toString(16).padStart(2, '0')).join('');
  return getAddress(`0x${bytes}`);
}
