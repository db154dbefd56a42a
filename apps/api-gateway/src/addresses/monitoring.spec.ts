// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { accounts, bitcoin, bitcoinTestnet, bodyOf } from '../spec-support/public-keys.ts';
import { describeMonitoring } from './read-monitoring.ts';

const EVM = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
const SEGWIT = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

interface Shown {
  readonly monitoring: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}
const shownIn = (body: Record<string, unknown>): Shown => {
  const { monitoring, warnings } = body as unknown as Shown;
  return { monitoring, warnings };
};
const warningOf = (reason: string): string => `Payments to this address are not detected: ${reason}.`;

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

/** Every way to be shown one address. */
async function readEverywhere(address: string, kind: 'hd' | 'external'): Promise<Shown[]> {
  const get = async (path: string) => (await world.api.get(path).expect(200)).body;
  const patch = async (path: string, body: object) =>
    (await world.api.patch(path).send(body).expect(200)).body;
  const ofList = async (path: string) =>
    (await get(path)).items.find((item: { address: string }) => item.address === address);
  const exported = await world.api.get('/addresses').set('Accept', 'application/x-ndjson').expect(200);
  const lines = exported.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { address: string });
  const changed = await patch('/addresses', { items: [{ address, label: 'a' }] });
  const records = [
    await get(`/addresses/${address}`),
    await get(`/addresses/${address}/${kind}`),
    await ofList('/addresses'),
    ...(kind === 'hd' ? [await ofList('/addresses/hd')] : []),
    await patch(`/addresses/${address}`, { label: 'b' }),
    changed.items[0].address,
    lines.find((line) => line.address === address)!,
  ];
  return records.map(shownIn);
}

describe('an address of a chain that nobody follows', () => {
  let keyId: string;
  beforeAll(async () => {
    const { body } = await world.api.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
    keyId = body.id;
  });

  it('derived, says so in every answer, before it goes to a payer', async () => {
    const expected = {
      monitoring: { [bitcoin]: 'not_followed' },
      warnings: [warningOf(`${bitcoin} is not followed`)],
    };
    const { body } = await world.api.post(`/public_keys/${keyId}/addresses/next`).expect(201);
    const range = await world.api
      .post(`/public_keys/${keyId}/addresses`)
      .send({ indexes: [body.index] })
      .expect(201);
    const list = await world.api.get(`/public_keys/${keyId}/addresses`).expect(200);
    const shown = [body, range.body.items[0], list.body.items[0]].map(shownIn);
    for (const one of [...shown, ...(await readEverywhere(body.address, 'hd'))])
      expect(one).toEqual(expected);
  });

  it('imported, says so too, alone and in a batch', async () => {
    const expected = {
      monitoring: { [bitcoin]: 'not_followed' },
      warnings: [warningOf(`${bitcoin} is not followed`)],
    };
    const { body } = await world.api
      .post('/addresses/external')
      .send({ value: SEGWIT, chain_family: 'bitcoin' })
      .expect(201);
    const batch = await world.api
      .post('/addresses/external/batch')
      .send({ chain_family: 'bitcoin', addresses: [{ value: SEGWIT }] })
      .expect(200);
    for (const one of [body, batch.body.items[0].address].map(shownIn)) expect(one).toEqual(expected);
    for (const one of await readEverywhere(SEGWIT, 'external')) expect(one).toEqual(expected);
  });

  it('of a family without any chain, names its chains', async () => {
    const { body } = await world.api
      .post('/addresses/external')
      .send({ value: EVM, chain_family: 'evm' })
      .expect(201);
    expect(body.monitoring).toMatchObject({ 'eip155:1': 'not_followed', 'eip155:56': 'not_followed' });
    expect(body.warnings).toEqual([
      expect.stringMatching(/^Payments to this address are not detected: .* more\.$/),
    ]);
  });

  it('follows what becomes of the chain', async () => {
    const read = async () => shownIn((await world.api.get(`/addresses/${SEGWIT}`).expect(200)).body);
    await world.api.post('/blockchains').send({ chain_gid: bitcoin }).expect(201);
    expect(await read()).toEqual({
      monitoring: { [bitcoin]: 'inactive' },
      warnings: [warningOf(`${bitcoin} is inactive`)],
    });
    await world.db.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [bitcoin]);
    expect(await read()).toEqual({ monitoring: { [bitcoin]: 'active' }, warnings: [] });
    await world.db.query('UPDATE blockchains SET is_active = false WHERE gid = $1', [bitcoin]);
    await world.api.patch(`/addresses/${SEGWIT}`).send({ is_monitored: false }).expect(200);
    expect(await read()).toEqual({ monitoring: { [bitcoin]: 'inactive' }, warnings: [] });
  });
});

describe('what is said', () => {
  const row = { chainFamily: 'evm', format: 'evm', display: EVM, isMonitored: true, publicKey: null };
  const chains = [
    { gid: 'eip155:1', family: 'evm', is_active: true },
    { gid: 'eip155:10', family: 'evm', is_active: false },
    { gid: bitcoin, family: 'bitcoin', is_active: true },
  ];

  it('leaves chains out that nobody follows where one of the family is followed', () => {
    expect(describeMonitoring(row, chains, undefined)).toEqual({
      monitoring: { 'eip155:1': 'active', 'eip155:10': 'inactive' },
      warnings: [],
    });
  });

  it('warns of a key whose own chain is not followed, whatever else is', () => {
    const publicKey = { derivationPath: "m/49'/1'/0'", gapLimit: 20, chainGid: bitcoinTestnet };
    const derived = { ...row, chainFamily: 'bitcoin', publicKey };
    expect(describeMonitoring(derived, chains, [bitcoin, bitcoinTestnet])).toEqual({
      monitoring: { [bitcoin]: 'active', [bitcoinTestnet]: 'not_followed' },
      warnings: [warningOf(`${bitcoinTestnet} is not followed`)],
    });
  });

  it('warns of a family that this build does not have', () => {
    expect(describeMonitoring({ ...row, chainFamily: 'other' }, chains, undefined)).toEqual({
      monitoring: {},
      warnings: [warningOf('no chain knows it')],
    });
  });
});
