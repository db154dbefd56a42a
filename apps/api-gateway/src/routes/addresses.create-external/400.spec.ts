import { startSpecWorld } from '../../spec-world.ts';
import type { SpecWorld } from '../../spec-world.ts';

const value = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

describe('POST /addresses/external with what is no address', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each([
    ['value', { value: '0x12', chain_family: 'evm' }],
    ['value', { value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046', chain_family: 'evm' }],
    ['value', { value: '', chain_family: 'evm' }],
    ['value', { value: 1, chain_family: 'evm' }],
    ['value', { chain_family: 'evm' }],
    ['chain_family', { value }],
    ['chain_family', { value, chain_family: 'cosmos' }],
    ['chain_family', { value, chain_family: 'evm', chainFamily: 'tron' }],
    ['label', { value, chain_family: 'evm', label: 'x'.repeat(256) }],
    ['metadata', { value, chain_family: 'evm', metadata: 'x' }],
    ['address', { value, chain_family: 'evm', address: value }],
  ])('names the field %s of %j', async (field, body) => {
    const { body: problem } = await world.api.post('/addresses/external').send(body).expect(400);
    expect(problem.fields.map(({ name }: { name: string }) => name)).toContain(field);
  });

  it.each(['bitcoin', 'solana', 'tron'])('is 422 for the family %s, which this build lacks', async (family) => {
    const { body } = await world.api.post('/addresses/external').send({ value: 'x', chain_family: family }).expect(422);
    expect(body.detail).toContain('not part of this build');
  });
});
