// SPDX-License-Identifier: Apache-2.0
import { findDisagreements } from '../compare.ts';
import { describeOracle } from '../describe-oracle.ts';
import type { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { EvmChain } from './evm-chain.ts';
import { playScript } from './play-script.ts';

describeOracle({
  chain: new EvmChain(),
  playScript,
  scripts: 2,
  reorgs: { every: 4, deep: 64, shallow: 8 },
  more: describeDeepReorg,
});

function describeDeepReorg(harness: Harness<EvmChain>, seed: number): void {
  it('survives a reorg of 220 blocks below finality while the ingestor is down', async () => {
    const random = new Random(seed + 9_000);
    const project = await harness.newProject();
    harness.project = project;
    const { actor } = harness.chain;
    const watched = [await harness.watch(actor.accounts[1]!, project)];
    for (let round = 0; round < 12; round += 1) {
      await actor.sendEther(actor.accounts[round % 5]!, actor.accounts[1]!, 1_000n + BigInt(round));
      await actor.mine(20);
    }
    await harness.settle();
    await harness.services.kill('block-ingestor-evm');
    await actor.reorg(220, () => random.next() < 0.5);
    await actor.mine(2);
    await harness.services.restart('block-ingestor-evm');
    await harness.settle();
    expect(await findDisagreements(harness, project, watched)).toEqual([]);
  });
}
