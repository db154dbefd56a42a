// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { serveDashboard } from './serve-dashboard.ts';

const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>chainwatch</title>');
writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(folder, 'assets', 'app-1a2b.js'), `console.log(${'"chainwatch";'.repeat(100)});`);
afterAll(() => rmSync(folder, { recursive: true }));

const findFrameOrigins = async () => undefined;
const at = (path: string, from: string | null = folder) =>
  request(express().use(serveDashboard(from ?? undefined, { findFrameOrigins }))).get(path);

it.each(['/ui', '/ui/', '/ui/addresses', '/ui/transactions/6f1d1f4e', '/ui/a.b/c'])(
  'answers %s with the page, whose policy allows nothing inline and nobody else',
  async (path) => {
    const { text, headers } = await at(path).expect(200);
    expect(text).toContain('<title>chainwatch</title>');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|nonce|\*|https?:/);
    expect(headers['cache-control']).toBe('no-cache');
  },
);

it('may call the origins that it is told, and no other one', async () => {
  const called = ['https://rpc.example.com/v1?x', undefined, 'http://127.0.0.1:9891/'];
  const { headers } = await request(express().use(serveDashboard(folder, { called, findFrameOrigins })))
    .get('/ui/')
    .expect(200);
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self' https://rpc.example.com http://127.0.0.1:9891",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

it('names the host of the issuer where there is one, packed too', async () => {
  const issuer = 'https://accounts.example.com/realms/staff';
  const named = () =>
    request(express().use(serveDashboard(folder, { issuer, findFrameOrigins }))).get('/ui/addresses');
  const tag = '<meta name="chainwatch-issuer" content="accounts.example.com"><title>';
  expect((await named().expect(200)).text).toContain(tag);
  expect((await named().set('Accept-Encoding', 'identity').expect(200)).text).toContain(tag);
  expect((await at('/ui/').expect(200)).text).not.toContain('chainwatch-issuer');
});

it('answers a file with its type, for ever where its name has a hash, and smaller to whoever can read that', async () => {
  const { headers, text } = await at('/ui/assets/app-1a2b.js').expect(200);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  });
  const plain = await at('/ui/assets/app-1a2b.js').set('Accept-Encoding', 'identity').expect(200);
  expect([plain.text, plain.headers['content-encoding']]).toEqual([text, undefined]);
  expect((await at('/ui/icon.svg').expect(200)).headers['cache-control']).toBe('no-cache');
});

it.each([
  '/ui/assets/gone-1a2b.js',
  '/ui/assets/../../package.json',
  '/ui/assets/%2e%2e/index.html',
  '/uix',
  '/UI/',
])('has no %s', async (path) => {
  await at(path).expect(404);
});

it('leads a browser from / to it, and no program', async () => {
  const { headers } = await at('/').set('Accept', 'text/html,application/xhtml+xml,*/*;q=0.8').expect(302);
  expect(headers.location).toBe('/ui/');
  await at('/').expect(404);
  await at('/').set('Accept', 'application/json').expect(404);
});

it('is nowhere where it was not built', async () => {
  for (const from of [null, join(folder, 'gone')])
    for (const path of ['/ui', '/']) await at(path, from).set('Accept', 'text/html').expect(404);
});
