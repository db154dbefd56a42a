// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { signPayload } from '@chainwatch/webhook-signature';
import { SignatureError } from '../errors.ts';
import { unwrap, verifySignature } from './unwrap.ts';

interface Vectors {
  sign: {
    name: string;
    secrets: [string, string?];
    timestamp: number;
    body_base64: string;
    header: string;
  }[];
  verify: {
    name: string;
    header: string | null;
    secrets: string[];
    now: number;
    tolerance_seconds?: number;
    body_base64: string;
    expected: { ok: true } | { ok: false; reason: string };
  }[];
}
const path = join(repoDir, 'libs/webhook-signature/vectors/v1.json');
const vectors = JSON.parse(readFileSync(path, 'utf8')) as Vectors;
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, 'base64'));

const body = '{"event_id":"6f1d1f4e-0000-5000-8000-000000000001","type":"transaction.detected"}';
const [current, previous] = ['svc_whsec_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123', 'svc_whsec_old'];
const now = 1_700_000_000;
const signature = signPayload({ secrets: [current, previous], timestamp: now, body });
const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'taken',
    (error: unknown) => (error instanceof SignatureError ? error.reason : error),
  );

describe('the vectors', () => {
  it.each(vectors.sign)('are what it takes: $name', async ({ secrets, timestamp, body_base64, header }) => {
    for (const secret of secrets)
      await verifySignature({
        header,
        body: bytesOf(body_base64),
        secrets: [secret!],
        now: timestamp,
        toleranceSeconds: 300,
      });
  });

  it.each(vectors.verify)('decide: $name', async (vector) => {
    const { header, secrets, now: at, tolerance_seconds: tolerance = 300, body_base64, expected } = vector;
    const verdict = reasonOf(
      verifySignature({
        header: header ?? '',
        body: bytesOf(body_base64),
        secrets,
        now: at,
        toleranceSeconds: tolerance,
      }),
    );
    expect(await verdict).toBe(expected.ok ? 'taken' : expected.reason);
  });
});

describe('unwrap', () => {
  it.each<[string, Parameters<typeof unwrap>[1]]>([
    ['the Fetch API', new Headers({ 'X-Webhook-Signature': signature })],
    ['Node', { 'x-webhook-signature': signature }],
    ['a gateway that keeps capitals', { 'X-Webhook-Signature': signature }],
    ['one that keeps lists', { 'x-webhook-signature': signature.split(',') }],
  ])('takes headers as %s gives them, and either secret of a rotation', async (_name, headers) => {
    for (const secrets of [current, previous, [current, previous], ['another', previous]]) {
      const event = await unwrap(body, headers, secrets, { now });
      expect(event.type).toBe('transaction.detected');
    }
    expect(await reasonOf(unwrap(body, headers, 'another', { now }))).toBe('signature_mismatch');
    expect(await reasonOf(unwrap(body, headers, current, { now: now + 301 }))).toBe(
      'timestamp_outside_tolerance',
    );
    expect(await reasonOf(unwrap(body, headers, current, { now: now - 301 }))).toBe(
      'timestamp_outside_tolerance',
    );
  });

  it.each([
    [{ chainsequence: '18231' }, { sequence: 18_231 }],
    [{ ishistorical: true }, { sequence: null, is_historical: true }],
  ])('reads an event that comes as CloudEvents, with %j, as any other', async (more, expected) => {
    const text = JSON.stringify({
      ...{ specversion: '1.0', id: 'e', source: '/projects/p', type: 'transaction.confirmed', subject: 'x' },
      ...{ time: 't', datacontenttype: 'application/json', apiversion: 'v1', projectid: 'p' },
      ...{ istestmessage: false, ...more, data: { transaction: {} } },
    });
    const header = signPayload({ secrets: [current], timestamp: now, body: text });
    expect(await unwrap(text, { 'x-webhook-signature': header }, current, { now })).toEqual({
      ...{ event_id: 'e', type: 'transaction.confirmed', api_version: 'v1', created_at: 't' },
      ...{ is_test_message: false, project_id: 'p', data: { transaction: {} }, ...expected },
    });
  });

  it('takes bytes of a larger buffer', async () => {
    const bytes = Buffer.from(`${body} more`).subarray(0, body.length);
    await unwrap(bytes, { 'x-webhook-signature': signature }, current, { now });
  });

  it('says so when the body was parsed first, when nothing was signed, and when it is no JSON', async () => {
    const headers = { 'x-webhook-signature': signature };
    expect(await reasonOf(unwrap({} as unknown as string, headers, current, { now }))).toBe('body_not_raw');
    expect(await reasonOf(unwrap(body, {}, current, { now }))).toBe('missing_header');
    const header = signPayload({ secrets: [current], timestamp: now, body: '{' });
    expect(await reasonOf(unwrap('{', { 'x-webhook-signature': header }, current, { now }))).toBe(
      'malformed_event',
    );
  });

  it.each([[undefined], [''], [[]], [[current, '']], [[current, undefined as unknown as string]]])(
    'refuses to run with %p as secret: anybody could sign',
    async (secrets) => {
      await expect(unwrap(body, {}, secrets, { now })).rejects.toThrow(TypeError);
    },
  );

  it('refuses to compare with what is no time', async () => {
    await expect(unwrap(body, {}, current, { now: Number.NaN })).rejects.toThrow(TypeError);
    await expect(unwrap(body, {}, current, { now, toleranceSeconds: Number.NaN })).rejects.toThrow(TypeError);
  });
});
