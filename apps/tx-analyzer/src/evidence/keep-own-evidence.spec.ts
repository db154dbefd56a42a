// SPDX-License-Identifier: Apache-2.0
import type { PostgresHandle } from '@chainwatch/testing';
import { SpecWorld } from '../spec-world/spec-world.ts';
import { keepOwnEvidence } from './keep-own-evidence.ts';

describe('keepOwnEvidence', () => {
  let postgres: PostgresHandle;
  let world: SpecWorld;
  beforeAll(async () => {
    postgres = await SpecWorld.postgres();
    world = await SpecWorld.start(postgres);
  });
  afterAll(async () => {
    await world.stop();
    await postgres.stop();
  });

  it('compares with the blocks that are followed, whatever was followed before a reset', async () => {
    const old = world.chain.make(undefined, {}, 'old');
    await world.feedBlocks(old);
    await world.feedReorg([old]);
    const first = world.chain.make({ number: 100, hash: 'below' });
    await world.feedBlocks(first);
    const proved = world.chain.make(undefined);
    const read = (number: number) =>
      keepOwnEvidence(world.db, world.gid, { ...proved, provedBy: { number, hash: 'unknown' } });
    expect((await read(100)).verification).toBeUndefined();
    expect((await read(first.number)).verification).toBe('settling');
  });
});
