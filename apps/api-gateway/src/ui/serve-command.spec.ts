// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { serveCommand } from './serve-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'command-'));
const file = join(folder, 'chainwatch.tgz');
writeFileSync(file, Buffer.from([0x1f, 0x8b, 0, 255]));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (path: string, from?: string) => request(express().use(serveCommand(from))).get(path);

it('answers with the package, as a file to keep', async () => {
  const { body, headers } = await at('/cli/chainwatch.tgz', file).responseType('blob').expect(200);
  expect([...(body as Buffer)]).toEqual([0x1f, 0x8b, 0, 255]);
  expect(headers).toMatchObject({
    'content-type': 'application/gzip',
    'content-disposition': 'attachment; filename="chainwatch.tgz"',
    'cache-control': 'no-cache',
  });
});

it.each(['/cli', '/cli/', '/cli/chainwatch.mjs', '/CLI/chainwatch.tgz', '/cli/../package.json'])(
  'has no %s',
  async (path) => {
    await at(path, file).expect(404);
  },
);

it('is nowhere where it was not built', async () => {
  for (const from of [undefined, join(folder, 'gone')]) await at('/cli/chainwatch.tgz', from).expect(404);
});
