// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import express from 'express';
import request from 'supertest';
import { serveSite } from './serve-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'site-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(into: string, path: string, text: string): void {
  mkdirSync(dirname(join(into, path)), { recursive: true });
  writeFileSync(join(into, path), text);
  if (!path.endsWith('.py')) writeFileSync(join(into, `${path}.gz`), gzipSync(text));
}
const page = (title: string): string => `<!doctype html><title>${title}</title>`;
for (const [path, text] of [
  ['index.html', page('home')],
  ['guides/webhooks.html', page('webhooks')],
  ['adr/index.html', page('decisions')],
  ['problems/internal-error.html', page('internal error')],
  ['404.html', page('not here')],
  ['assets/app.1a2b.js', `console.log(${'"chainwatch";'.repeat(100)});`],
  ['assets/chunks/@localSearch.1a2b.js', 'export default {}'],
  ['files/receiver.py', 'import hmac'],
] as const)
  write(folder, path, text);

const at = (path: string, from: string | null = folder) =>
  request(express().use(serveSite(from ?? undefined))).get(path);

it.each([
  ['/docs/', 'home'],
  ['/docs/guides/webhooks', 'webhooks'],
  ['/docs/guides/webhooks.html', 'webhooks'],
  ['/docs/adr/', 'decisions'],
])('answers %s with the page, whose policy allows nothing inline and nobody else', async (path, title) => {
  const { text, headers } = await at(path).expect(200);
  expect(text).toBe(page(title));
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toMatch(/unsafe|nonce|\*|https?:/);
  expect(headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
  });
});

it('answers an asset for ever, whole to whoever does not unpack', async () => {
  const { headers, text } = await at('/docs/assets/app.1a2b.js').expect(200);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const plain = await at('/docs/assets/app.1a2b.js').set('Accept-Encoding', 'identity').expect(200);
  expect([plain.text, plain.headers['content-encoding']]).toEqual([text, undefined]);
  await at('/docs/assets/chunks/@localSearch.1a2b.js').expect(200);
  const file = await at('/docs/files/receiver.py').expect(200);
  expect([file.headers['content-encoding'], file.headers['cache-control']]).toEqual([undefined, 'no-cache']);
});

it('answers a page that a browser has already with 304', async () => {
  const { headers } = await at('/docs/').expect(200);
  await at('/docs/').set('If-None-Match', headers.etag!).expect(304);
});

it.each([
  ['/docs', '/docs/'],
  ['/docs/adr', '/docs/adr/'],
  ['/problems/internal-error', '/docs/problems/internal-error'],
])('leads from %s to %s', async (path, target) => {
  expect((await at(path).expect(302)).headers.location).toBe(target);
});

it('shows a browser a page for what is not there, and a program none', async () => {
  const { text, headers } = await at('/docs/gone').set('Accept', 'text/html').expect(404);
  expect(text).toBe(page('not here'));
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect((await at('/docs/gone').set('Accept', 'application/json').expect(404)).text).not.toContain(
    'not here',
  );
});

it.each([
  '/docs/index.html.gz',
  '/docs/guides',
  '/docs/assets/gone.1a2b.js',
  '/docs/../package.json',
  '/docs/%2e%2e/package.json',
  '/docs/guides/%2e%2e/index.html',
  '/docs/guides//webhooks',
  '/docsx',
  '/DOCS/',
  '/problems/gone',
  '/problems/internal-error/',
])('has no %s', async (path) => {
  await at(path).expect(404);
});

it('is nowhere where it was not built, and there once it is', async () => {
  const later = join(folder, 'later');
  const app = express().use(serveSite(later));
  for (const path of ['/docs', '/docs/', '/problems/internal-error']) {
    await at(path, null).expect(404);
    await request(app).get(path).expect(404);
  }
  write(later, 'index.html', page('late'));
  await request(app).get('/docs/').expect(200);
});

it('has the files of the folder that its link leads to now', async () => {
  const place = mkdtempSync(join(tmpdir(), 'site-link-'));
  const link = join(place, 'docs');
  for (const name of ['old', 'new']) {
    write(join(place, name), 'index.html', page(name));
    write(join(place, name), `assets/app.${name}.js`, name);
  }
  symlinkSync(join(place, 'old'), link);
  const app = express().use(serveSite(link));
  await request(app).get('/docs/assets/app.old.js').expect(200);
  rmSync(link);
  symlinkSync(join(place, 'new'), link);
  await request(app).get('/docs/assets/app.new.js').expect(200);
  await request(app).get('/docs/assets/app.old.js').expect(404);
  rmSync(place, { recursive: true });
});
