// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const PATH = '/addresses/external/batch';
const value = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const many = (count: number): object[] => Array.from({ length: count }, () => ({ value }));

describe('POST /addresses/external/batch refuses as a whole', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(async () => {
    const { rows } = await world.db.query(
      'SELECT (SELECT count(*) FROM addresses) + (SELECT count(*) FROM audit_logs) AS left',
    );
    expect(rows[0].left).toBe(0);
    await world.stop();
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'body'],
    ['an array', [{ value }], 'body'],
    ['no family', { addresses: many(1) }, 'chain_family'],
    ['an unknown family', { chain_family: 'cosmos', addresses: many(1) }, 'chain_family'],
    ['no entries', { chain_family: 'evm', addresses: [] }, 'addresses'],
    ['10,001 entries', { chain_family: 'evm', addresses: many(10_001) }, 'addresses'],
    ['an entry that is a text', { chain_family: 'evm', addresses: [value] }, 'addresses[0]'],
    ['an entry without a value', { chain_family: 'evm', addresses: [...many(2), {}] }, 'addresses[2].value'],
    [
      'an unknown member',
      { chain_family: 'evm', addresses: [{ value, from_block: 1 }] },
      'addresses[0].from_block',
    ],
    [
      'a label that is too long',
      { chain_family: 'evm', addresses: [{ value, label: 'x'.repeat(256) }] },
      'addresses[0].label',
    ],
    [
      'metadata that is too large',
      { chain_family: 'evm', addresses: [{ value, metadata: { a: 'x'.repeat(17_000) } }] },
      'addresses[0].metadata',
    ],
    [
      'groups that are too many',
      { chain_family: 'evm', addresses: [{ value, groups: many(21).map((_, n) => `${n}`) }] },
      'addresses[0].groups',
    ],
    ['a null character beside the list', { chain_family: 'e\u0000vm', addresses: many(1) }, 'chain_family'],
  ])('%s', async (_name, body, name) => {
    const { body: problem } = await world.api
      .post(PATH)
      .send(body as object)
      .expect(400);
    expect(problem.fields[0].name).toBe(name);
  });

  it.each<[string, string]>([
    ['what is not JSON', '{"chain_family":'],
    [
      'a number beside the list that loses digits',
      `{"chain_family":12345678901234567890,"addresses":[{"value":"${value}"}]}`,
    ],
    [
      'a list nested without end',
      `{"chain_family":"evm","addresses":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    ['nesting without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('%s', async (_name, text) => {
    await world.api.post(PATH).set('Content-Type', 'application/json').send(text).expect(400);
  });

  it('another media type, and more than 8 MiB', async () => {
    await world.api.post(PATH).set('Content-Type', 'text/plain').send('x').expect(415);
    const large = { chain_family: 'evm', addresses: [{ value, label: 'x'.repeat(8 * 1_024 * 1_024) }] };
    await world.api.post(PATH).send(large).expect(413);
    // Under the limit of this route, and over that of all others.
    const body = { chain_family: 'evm', addresses: [{ value, label: 'x'.repeat(8_000_000) }] };
    await world.api.post(PATH).send(body).expect(400);
    await world.api
      .post('/addresses/external')
      .send({ value, chain_family: 'evm', label: 'x'.repeat(300_000) })
      .expect(413);
    await world.api.get(PATH).expect(405);
  });
});
