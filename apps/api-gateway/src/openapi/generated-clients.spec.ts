// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { generateClients, type Program } from './spec-clients/generate-clients.ts';

/** A public one, mainnet's deposit contract. */
const FIRST = '0x00000000219ab540356cBB839Cbe05303d7705Fa';

describe('clients that others generate from /openapi.json', () => {
  let folder: string;
  let world: SpecWorld;
  let programs: readonly Program[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'));
    world = await startSpecWorld();
    const { body } = await world.send('get', '/openapi.json').expect(200);
    programs = await generateClients(body as object, folder);
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['hey-api', 'swagger-fetch', 'swagger-axios'])(
    '%s calls the service: makes a key, imports, filters, turns pages and reads a problem',
    async (name) => {
      await world.db.query('DELETE FROM addresses');
      const program = programs.find((one) => one.name === name)!;
      const { port } = world.server.address() as AddressInfo;
      const outcome = await program.run({
        managementKey: world.project.keys.management,
        projectId: world.project.projectId,
      });
      expect(outcome).toEqual({
        baseUrl: `http://127.0.0.1:${port}/v1`,
        created: name === 'hey-api' ? expect.stringMatching(/^\d{4}-/) : null,
        found: [FIRST],
        second: { page: 2, total: 2, items: 1 },
        status: 400,
        fields: ['limit'],
      });
    },
  );

  it('leave the aliases out', async () => {
    const files = (await readdir(folder, { recursive: true })).filter((path) =>
      /(sdk\.gen|api)\.ts$/.test(path),
    );
    expect(files).toHaveLength(3);
    for (const path of files)
      expect([
        path,
        (await readFile(join(folder, path), 'utf8')).match(/\w+ByShortPath = |\w+ByShortPath: \(/g),
      ]).toEqual([path, null]);
  });
});
