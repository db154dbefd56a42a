import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

describe('the document of the API', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('/openapi.json needs no key', async () => {
    const { body, headers } = await world.send('get', '/openapi.json').expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toMatchObject({ openapi: '3.1.1', info: { version: '1.0.0' } });
  });
});
