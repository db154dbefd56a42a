// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { listNetworks } from '@chainwatch/chain-registry';
import express from 'express';
import request from 'supertest';
import { serveLogos } from './serve-logos.ts';

const folder = fileURLToPath(new URL('../../logos', import.meta.url));

it.each([folder, undefined])('has an image of every network, files in %s', async (from) => {
  const app = express().use(serveLogos(from));
  for (const { name } of listNetworks()) {
    const { body, headers } = await request(app).get(`/logos/${name}.svg`).expect(200);
    expect([name, headers['content-type']]).toEqual([name, expect.stringMatching(/^image\/svg\+xml/)]);
    expect(headers['content-security-policy']).toBe("default-src 'none'");
    expect(String(body)).toMatch(/^<svg [^]*<\/svg>\s*$/);
  }
});

it('a test network has the one of its main network', async () => {
  const app = express().use(serveLogos(folder));
  const [main, test] = await Promise.all(
    ['bsc', 'bsc-testnet'].map(async (name) => String((await request(app).get(`/logos/${name}.svg`)).body)),
  );
  expect(test).toBe(main);
});

it.each(['nobody.svg', 'eth.svg', 'README.md', '..%2fpackage.json', 'ethereum.png', 'ETHEREUM.svg'])(
  'has no %s',
  async (file) => {
    await request(express().use(serveLogos(folder)))
      .get(`/logos/${file}`)
      .expect(404);
  },
);
