import { createHash } from 'node:crypto';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';
import { routeTable } from '../route-table.ts';

describe('the documents of the API', () => {
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

  it('/docs needs no key and shows every operation', async () => {
    const { text, headers } = await world.send('get', '/docs').expect(200);
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(text.match(/<details class="operation" id="(?!schema-)/g)).toHaveLength(
      routeTable.length + Object.keys(EVENT_SCHEMAS).length,
    );
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it('/docs loads nothing, and its style is what the policy allows', async () => {
    const { text, headers } = await world.send('get', '/docs').expect(200);
    expect(text).not.toMatch(/<(script|link|img|iframe)|\ssrc=|\sstyle=|\son\w+=/i);
    const [, style] = /<style>([^<]*)<\/style>/.exec(text)!;
    const hash = createHash('sha256').update(style!).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });
});
