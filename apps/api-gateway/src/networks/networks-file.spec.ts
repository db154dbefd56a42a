// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@chainwatch/platform/config';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { applyNetworksFile, readNetworksFile } from './apply-networks-file.ts';
import { refreshNetworks } from './follow-networks.ts';

const VESTA = {
  gid: 'eip155:31338',
  family: 'evm',
  name: 'vesta',
  short_name: 'vst',
  display_name: 'Vesta',
  native: { gid: 'eip155:31338/slip44:1', symbol: 'VST', name: 'Vesta', decimals: 18 },
  token_namespace: 'erc20',
  confirmation: { type: 'depth', depth: 3 },
  block_time_ms: 1_000,
};
const JUNO = {
  ...VESTA,
  gid: 'eip155:31339',
  name: 'juno',
  native: { ...VESTA.native, gid: 'eip155:31339/slip44:1' },
};

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'networks-'));
  path = join(folder, 'networks.yaml');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (content: unknown): string => {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

function catchConfigError(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ reason }) => reason);
    throw error;
  }
  throw new Error('expected a ConfigError');
}

async function catchFault(work: () => Promise<unknown>): Promise<string> {
  const error: unknown = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}

it('is YAML or JSON, a list or one under `networks`', () => {
  const yaml = `
networks:
  - gid: eip155:31338
    family: evm
    name: vesta
    short_name: vst
    display_name: Vesta
    native: {gid: "eip155:31338/slip44:1", symbol: VST, name: Vesta, decimals: 18}
    token_namespace: erc20
    confirmation: {type: depth, depth: 3}
    block_time_ms: 1000
`;
  const read = [yaml, [VESTA], { networks: [VESTA] }].map(
    (content) => readNetworksFile(write(content))[0]!.network,
  );
  expect(read[0]).toMatchObject({
    gid: 'eip155:31338',
    namespace: 'eip155',
    shortName: 'vst',
    isTestnet: false,
  });
  expect(read[1]).toEqual(read[0]);
  expect(read[2]).toEqual(read[0]);
});

it('names ten faults in ten sentences', () => {
  const faults = catchConfigError(() =>
    readNetworksFile(
      write([
        { ...VESTA, block_time_ms: 'fast' },
        { ...VESTA, family: 'cardano' },
        { ...VESTA, native: { ...VESTA.native, decimals: -1, gid: 'eip155:1/slip44:60' } },
        { ...VESTA, color: 'red', confirmation: { type: 'tag', depth: 3 } },
        { ...VESTA, traits: { stack: 'nonsense', strict_from: -1 } },
        { ...VESTA, gid: 'bip122:000000000019d6689c085ae165831e93' },
        { ...VESTA, name: 'ethereum' },
        7,
      ]),
    ),
  );
  expect(faults).toEqual([
    'network 1 (eip155:31338): block_time_ms: expected number, received string',
    'network 2 (eip155:31338): family: expected one of evm, bitcoin, solana, tron',
    'network 3 (eip155:31338): native.decimals: too small: expected number to be >=0',
    'network 4 (eip155:31338): confirmation.tag: expected a tag with type tag, and none with type depth',
    'network 4 (eip155:31338): color: is not a member of a network',
    expect.stringMatching(/^network 5 \(eip155:31338\): traits\.stack: .*expected one of/),
    expect.stringMatching(/^network 5 \(eip155:31338\): traits\.strict_from: /),
    expect.stringMatching(/^network 6 \(bip122:000000000019d6689c085ae165831e93\): gid: /),
    'network 7 (eip155:31338): name: ethereum is a name of eip155:1',
    'network 8: expected a network with its members',
  ]);
});

it.each([
  ['a: [', 'expected YAML or JSON'],
  ['7', 'expected a list of networks'],
  ['', 'expected a list of networks'],
])('%j: %s', (content, reason) => {
  expect(catchConfigError(() => readNetworksFile(write(content)))[0]).toContain(reason);
});

it('a file that is not there is one sentence', () => {
  expect(catchConfigError(() => readNetworksFile(join(folder, 'nowhere.yaml')))).toEqual([
    expect.stringMatching(/^cannot be read: ENOENT/),
  ]);
});

describe('the database', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(async () => {
    await world.db.query('DELETE FROM networks');
    await refreshNetworks(world.db);
    await world.stop();
  });

  const apply = async (content: unknown): Promise<void> => {
    await applyNetworksFile(world.db, content === undefined ? undefined : write(content));
    await refreshNetworks(world.db);
  };

  it('has what the file has, and no more; another replica with the same file changes nothing', async () => {
    await apply([VESTA, JUNO]);
    expect((await world.api.get('/networks/eip155:31338').expect(200)).body).toMatchObject({
      source: 'file',
      is_used: false,
      name: 'vesta',
    });
    await Promise.all([apply([VESTA, JUNO]), apply([VESTA, JUNO])]);
    await apply([VESTA]);
    await world.api.get('/networks/eip155:31339').expect(404);
    await world.api
      .put('/networks/eip155:31338')
      .send({ ...VESTA, name: 'other' })
      .expect(409);
    await world.api.delete('/networks/eip155:31338').expect(409);
  });

  it('a network that was used keeps its fixed members, and stays', async () => {
    await apply([VESTA]);
    await world.api.post('/blockchains').send({ chain_gid: VESTA.gid }).expect(201);
    await apply([{ ...VESTA, name: 'pallas', block_time_ms: 500 }]);
    expect((await world.api.get(`/blockchains/${VESTA.gid}`).expect(200)).body.name).toBe('pallas');
    expect(await catchFault(() => apply([{ ...VESTA, native: { ...VESTA.native, decimals: 6 } }]))).toContain(
      'NETWORKS_FILE: eip155:31338 was used, so native.decimals cannot change',
    );
    for (const dropped of [[], undefined])
      expect(await catchFault(() => apply(dropped))).toContain(
        'NETWORKS_FILE: eip155:31338 was used and is no longer in the file: put it back',
      );
    expect((await world.api.get('/networks/eip155:31338').expect(200)).body.name).toBe('pallas');
  });

  it('two networks that were used may change names', async () => {
    const vesta = { ...VESTA, name: 'pallas' };
    await apply([vesta, JUNO]);
    await world.api.post('/blockchains').send({ chain_gid: JUNO.gid }).expect(201);
    await apply([
      { ...VESTA, name: 'juno' },
      { ...JUNO, name: 'pallas' },
    ]);
    const nameOf = async (gid: string) => (await world.api.get(`/blockchains/${gid}`).expect(200)).body.name;
    expect([await nameOf(VESTA.gid), await nameOf(JUNO.gid)]).toEqual(['juno', 'pallas']);
    await apply([vesta, JUNO]);
    await world.db.query('DELETE FROM blockchains WHERE gid = $1', [JUNO.gid]);
    await apply([vesta]);
  });

  it('gives a name back only where nobody else has it', async () => {
    const { body } = await world.api.get('/networks/eip155:10').expect(200);
    const { source: _s, is_used: _u, image_url: _i, is_local: _l, gid: _g, ...release } = body;
    const vesta = { ...VESTA, name: 'pallas' };
    await world.api
      .put('/networks/eip155:10')
      .send({ ...release, name: 'op-main', aliases: [] })
      .expect(201);
    const { gid: _gid, ...juno } = { ...JUNO, name: release.name };
    await world.api.put(`/networks/${JUNO.gid}`).send(juno).expect(201);
    const { body: refused } = await world.api.delete('/networks/eip155:10').expect(409);
    expect(refused.detail).toContain(`${release.name}, which is a name of ${JUNO.gid} now`);
    await world.api.delete(`/networks/${JUNO.gid}`).expect(204);
    await world.api.delete('/networks/eip155:10').expect(204);
    // In a file the order of documents says nothing.
    const renamed = { ...release, gid: 'eip155:10', name: 'op-main', aliases: [] };
    const taker = { ...JUNO, name: release.name };
    await apply([vesta, taker, renamed]);
    expect(await catchFault(() => apply([vesta, taker]))).toMatch(/is a name of eip155:10|is one of/);
    await apply([vesta]);
  });

  it('a document that this release cannot read protects what was used', async () => {
    const vesta = { ...VESTA, name: 'pallas' };
    await world.db.query(
      `UPDATE networks SET source = 'api', document = '{"family": "evm"}' WHERE gid = $1`,
      [VESTA.gid],
    );
    const { gid: _gid, ...document } = vesta;
    const { body } = await world.api.put(`/networks/${VESTA.gid}`).send(document).expect(409);
    expect(body.detail).toContain('This release cannot read the document');
    await world.db.query(`UPDATE networks SET source = 'file', document = $2 WHERE gid = $1`, [
      VESTA.gid,
      JSON.stringify(vesta),
    ]);
    await world.db.query(
      `INSERT INTO networks (gid, source, document) VALUES ($1, 'api', '{"family": "evm"}')`,
      [JUNO.gid],
    );
    await world.api.delete(`/networks/${JUNO.gid}`).expect(204);
    await world.api.delete(`/networks/${JUNO.gid}`).expect(404);
  });

  it('takes a network without a native coin, and never gives it one once it was used', async () => {
    const { native: _, ...coinless } = JUNO;
    const vesta = { ...VESTA, name: 'pallas' };
    await apply([vesta, coinless]);
    await world.api.post('/blockchains').send({ chain_gid: JUNO.gid }).expect(201);
    expect((await world.api.get(`/networks/${JUNO.gid}`).expect(200)).body).not.toHaveProperty('native');
    expect(await catchFault(() => apply([vesta, JUNO]))).toContain('native.gid cannot change');
    expect(
      catchConfigError(() =>
        readNetworksFile(write([{ ...coinless, wrapped_native: `0x${'a1'.repeat(20)}` }])),
      ),
    ).toEqual(['network 1 (eip155:31339): wrapped_native: expected a native coin that it wraps']);
    await world.db.query('DELETE FROM blockchains WHERE gid = $1', [JUNO.gid]);
    await apply([vesta]);
  });

  it('one of the release that was used with other decimals cannot become itself again', async () => {
    const { body } = await world.api.get('/networks/eip155:10').expect(200);
    const { source: _source, is_used: _isUsed, image_url: _image, is_local: _local, ...release } = body;
    const other = { ...release, native: { ...release.native, decimals: 6 } };
    const vesta = { ...VESTA, name: 'pallas' };
    await apply([vesta, other]);
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:10' }).expect(201);
    expect(await catchFault(() => apply([vesta]))).toContain(
      'eip155:10 was used and is no longer in the file',
    );
    expect(await catchFault(() => apply([vesta, release]))).toContain('native.decimals cannot change');
    await world.db.query(`UPDATE networks SET source = 'api' WHERE gid = 'eip155:10'`);
    await world.api.delete('/networks/eip155:10').expect(409);
    await world.db.query(`DELETE FROM blockchains WHERE gid = 'eip155:10'`);
    await world.api.delete('/networks/eip155:10').expect(204);
  });

  it('a name that the API gave is not given again', async () => {
    const { gid: _gid, ...juno } = JUNO;
    await world.api.put(`/networks/${JUNO.gid}`).send(juno).expect(201);
    const twin = { ...VESTA, name: 'pallas', aliases: ['juno'] };
    expect(await catchFault(() => apply([twin]))).toContain('juno is a name of eip155:31339');
    await world.api.delete(`/networks/${JUNO.gid}`).expect(204);
  });

  it('one of the release that was overridden is itself again', async () => {
    const { body } = await world.api.get('/networks/eip155:1').expect(200);
    const { source: _source, is_used: _isUsed, image_url: _image, is_local: _local, ...ethereum } = body;
    await apply([
      { ...VESTA, name: 'pallas' },
      { ...ethereum, display_name: 'Mainnet' },
    ]);
    expect((await world.api.get('/networks/eip155:1').expect(200)).body).toMatchObject({
      display_name: 'Mainnet',
      source: 'file',
    });
    await apply([{ ...VESTA, name: 'pallas' }]);
    expect((await world.api.get('/networks/eip155:1').expect(200)).body).toEqual(body);
  });
});
