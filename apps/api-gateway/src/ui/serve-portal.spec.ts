// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import express from 'express';
import request from 'supertest';
import { servePortal } from './serve-dashboard.ts';

const page = {
  type: 'text/html; charset=utf-8',
  bytes: Buffer.from('<!doctype html>'),
  gzipped: () => undefined,
};
const [framed, alone] = [randomUUID(), randomUUID()];
const ORIGINS = ['https://shop.example.com', 'http://localhost:3000'];
const asked: string[] = [];

const app = express()
  .use((_req, res, next) => {
    res.setHeader('X-Frame-Options', 'DENY');
    next();
  })
  .use(
    servePortal(page, async (id) => {
      asked.push(id);
      return new Map<string, readonly string[]>([
        [framed, ORIGINS],
        [alone, []],
      ]).get(id);
    }),
  );

it.each([`/ui/portal/${framed}`, `/ui/portal/${framed}/`, `/ui/portal/${framed}/channels/${alone}`])(
  '%s may be framed by the origins of its session, and runs nothing inline',
  async (path) => {
    const { headers, text } = await request(app).get(path).expect(200);
    expect(text).toBe('<!doctype html>');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors https://shop.example.com http://localhost:3000",
    );
    expect(headers['x-frame-options']).toBeUndefined();
  },
);

it.each([
  ['a session without origins', `/ui/portal/${alone}`, 200],
  ['one that there is not', `/ui/portal/${randomUUID()}`, 404],
  ['one whose id is none', '/ui/portal/x', 404],
  ['none', '/ui/portal', 404],
  ['none, with a slash', '/ui/portal/', 404],
  ['one below another path', `/ui/portal/x/${framed}`, 404],
])('is framed by nobody for %s', async (_name, path, status) => {
  const { headers, text } = await request(app).get(path).expect(status);
  expect(text).toBe('<!doctype html>');
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers['x-frame-options']).toBe('DENY');
});

it('asks the database for nothing that is no id', async () => {
  asked.splice(0);
  for (const path of ['/ui/portal/x', "/ui/portal/';--", '/ui/portals', '/ui/PORTAL/x'])
    await request(app).get(path);
  expect(asked).toEqual([]);
});
