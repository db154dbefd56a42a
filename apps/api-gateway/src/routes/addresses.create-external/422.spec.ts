// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST /addresses/external: burn addresses', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each([
    ['evm', `0x${'0'.repeat(40)}`],
    ['evm', '0x000000000000000000000000000000000000dEaD'],
    ['tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
    ['solana', '1nc1nerator11111111111111111111111111111111'],
    ['bitcoin', '1BitcoinEaterAddressDontSendf59kuE'],
  ])('%s %s is refused, unless it is meant', async (chain_family, value) => {
    const { body } = await world.api.post('/addresses/external').send({ value, chain_family }).expect(422);
    expect(body.detail).toContain('allow_burn');
    await world.api.post('/addresses/external').send({ value, chain_family, allow_burn: true }).expect(201);
  });
});
