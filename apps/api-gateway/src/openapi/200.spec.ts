// SPDX-License-Identifier: Apache-2.0
import { buildAsyncApi } from '../asyncapi/build-asyncapi.ts';
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

  it('its first server is where the client asked', async () => {
    const { body } = await world.send('get', '/openapi.json').set('Host', 'api.example.com:8443').expect(200);
    expect(body.servers).toEqual([
      { url: 'http://api.example.com:8443/v1', description: 'This service.' },
      {
        url: '{origin}/v1',
        description: expect.any(String),
        variables: { origin: { default: 'http://api.example.com:8443', description: expect.any(String) } },
      },
    ]);
  });

  it('its first server is the public address where there is one', async () => {
    const named = await startSpecWorld({
      sharing: world,
      settings: { publicUrl: 'https://svc.example.com' },
    });
    const { body } = await named.send('get', '/openapi.json').expect(200);
    expect(body.servers[0].url).toBe('https://svc.example.com/v1');
    await named.stop();
  });

  it('/asyncapi.json needs no key, and is what subscribers get', async () => {
    const { body, headers } = await world.send('get', '/asyncapi.json').expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual(buildAsyncApi('subscribers'));
  });
});
