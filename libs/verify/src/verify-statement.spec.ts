// SPDX-License-Identifier: Apache-2.0
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { toHex } from './bytes.ts';
import { verifyStatement } from './verify-statement.ts';

const of = { address: 'a', chain_gid: 'eip155:1', asset_gid: 'eip155:1/slip44:60' };
const secret = new Uint8Array(32).fill(7);
const keys = { keys: [{ kid: 'k', x: btoa(String.fromCharCode(...ed25519.getPublicKey(secret))) }] };

/** A generated statement: two movements, one of them not counted, and what they leave. */
const lines: readonly object[] = [
  { type: 'statement', version: 1 },
  { type: 'address', address: 'a' },
  { type: 'gap', kind: 'unexplained' },
  { type: 'movement', ...of, amount_raw: '50', is_counted: true },
  { type: 'movement', ...of, amount_raw: '-7', is_counted: false },
  {
    ...{ type: 'balance', ...of, opening: { amount_raw: '100' }, closing: { amount_raw: '148' } },
    ...{ explained: { transfer: '50' }, explained_raw: '50', unexplained_raw: '-2' },
  },
  { type: 'end', addresses: 1, balances: 1, movements: 2, adjustments: 0, gaps: 1 },
];

function sign(written: readonly object[]): {
  text: string;
  signature: { kid: string; sha256: string; value: string };
} {
  const body = written.map((line) => `${JSON.stringify(line)}\n`).join('');
  const digest = sha256(new TextEncoder().encode(body));
  const value = btoa(String.fromCharCode(...ed25519.sign(digest, secret)));
  const signature = { kid: 'k', algorithm: 'Ed25519', sha256: toHex(digest), value };
  return { text: `${body}${JSON.stringify({ type: 'signature', ...signature })}\n`, signature };
}

async function* inPieces(text: string, length: number): AsyncGenerator<Uint8Array, void> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += length) yield bytes.slice(start, start + length);
}

it('verifies an ndjson statement with its own signature, in pieces of any length', async () => {
  const { text, signature } = sign(lines);
  const expected = {
    ...{ isValid: true, kid: 'k', sha256: signature.sha256, faults: [] },
    lines: { balances: 1, movements: 2, gaps: 1, unexplained: 1, unknown: 0 },
  };
  expect(await verifyStatement(text, { keys })).toEqual(expected);
  for (const length of [1, 2, 7, 64, 10_000])
    expect(await verifyStatement(inPieces(text, length), { keys })).toEqual(expected);
});

it('verifies any other document with the signature beside it', async () => {
  const text = 'type,amount\r\nmovement,5\r\n';
  const digest = sha256(new TextEncoder().encode(text));
  const value = btoa(String.fromCharCode(...ed25519.sign(digest, secret)));
  const signature = { kid: 'k', sha256: toHex(digest), value };
  expect(await verifyStatement(text, { keys, signature })).toMatchObject({ isValid: true });
  expect(await verifyStatement(text.replace('5', '6'), { keys, signature })).toMatchObject({
    isValid: false,
  });
  expect(await verifyStatement(text, { keys })).toMatchObject({ isValid: false });
});

it('refuses a document of which any one byte is another', async () => {
  const { text } = sign(lines);
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: text.length - 2 }),
      fc.integer({ min: 32, max: 126 }),
      async (place, code) => {
        const digit = String.fromCharCode(code);
        fc.pre(text[place] !== digit);
        const changed = text.slice(0, place) + digit + text.slice(place + 1);
        expect(await verifyStatement(changed, { keys })).toMatchObject({ isValid: false });
      },
    ),
    { numRuns: 500 },
  );
});

it('refuses another spelling of the same signature', async () => {
  const { text, signature } = sign(lines);
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const { value } = signature;
  const at = value.replace(/=+$/, '').length - 1;
  // Of the last character, four bits stand for nothing.
  const other = value.slice(0, at) + digits[digits.indexOf(value[at]!) ^ 1]! + value.slice(at + 1);
  expect(atob(other)).toBe(atob(value));
  expect(await verifyStatement(text.replace(value, other), { keys })).toMatchObject({ isValid: false });
});

it('refuses the same digest in capital letters', async () => {
  const { text, signature } = sign(lines);
  const { sha256: stated } = signature;
  const changed = text.replace(stated, stated.toUpperCase());
  expect(changed).not.toBe(text);
  expect(await verifyStatement(changed, { keys })).toMatchObject({
    isValid: false,
    faults: [expect.stringContaining('signature.sha256')],
  });
});

it.each([
  ['kid', { kid: 'other' }, 'signature.kid'],
  ['algorithm', { algorithm: 'none' }, 'signature.algorithm'],
  ['sha256', { sha256: '00' }, 'signature.sha256'],
  ['value', { value: btoa('x'.repeat(64)) }, 'signature.value'],
  ['value that is no base64', { value: '*' }, 'signature.value'],
])('says that the %s is not the signature of the document', async (_, change, fault) => {
  const { text, signature } = sign(lines);
  const result = await verifyStatement(text, { keys, signature: { ...signature, ...change } });
  expect(result).toMatchObject({ isValid: false, faults: [expect.stringContaining(fault)] });
});

it.each([
  [
    'says more',
    (line: object) => ({ type: 'balance', amount_raw: '9', ...line }),
    'signature: expected a last line',
  ],
  ['lacks its digest', ({ sha256: _, ...line }: { sha256?: string }) => line, 'signature.sha256'],
  ['has a number for its digest', (line: object) => ({ ...line, sha256: 5 }), 'signature.sha256'],
])('tells a last line that %s', async (_, change, fault) => {
  const { text, signature } = sign(lines);
  const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
  const last = JSON.stringify({ ...change({ ...signature }), type: 'signature' });
  const { isValid, faults } = await verifyStatement(`${body}${last}\n`, { keys });
  expect(isValid).toBe(false);
  expect(faults.some((each) => each.startsWith(fault))).toBe(true);
});

it.each([
  ['an unexplained part that is missing', 5, { unexplained_raw: null }, 'line 6: expected'],
  ['an amount that is none', 3, { amount_raw: '' }, 'line 4: expected'],
  ['counts of adjustments', 6, { adjustments: 9 }, 'line 7: adjustments'],
  ['counts of addresses', 6, { addresses: 4 }, 'line 7: addresses'],
  ['a second balance', 2, { ...lines[5] }, 'line 6: a second balance'],
  ['a balance whose parts do not add up', 5, { unexplained_raw: '-3' }, 'line 6: unexplained_raw'],
  ['a hidden unexplained part', 5, { explained_raw: '48', unexplained_raw: '0' }, 'line 6: explained_raw'],
  ['a movement that is not counted', 4, { is_counted: true }, 'line 6: explained_raw'],
  ['a missing movement', 3, { type: 'address' }, 'line 6: explained_raw'],
  ['no reading and an unexplained part', 5, { opening: null }, 'line 6: unexplained_raw'],
  ['counts of other lines', 6, { gaps: 0 }, 'line 7: gaps'],
])('tells %s, although the signature holds', async (_, place, change, fault) => {
  const { text } = sign(lines.map((line, at) => (at === place ? { ...line, ...change } : line)));
  const { isValid, faults } = await verifyStatement(text, { keys });
  expect(isValid).toBe(false);
  expect(faults.some((each) => each.startsWith(fault))).toBe(true);
  expect(faults.filter((each) => each.startsWith('signature'))).toEqual([]);
});

it('tells movements without a balance, and an end that is missing', async () => {
  const { text } = sign(lines.slice(0, 5));
  expect((await verifyStatement(text, { keys })).faults).toEqual([
    'expected a line of the type end behind all others, got none',
    `a eip155:1 ${of.asset_gid}: expected a balance for its movements, got none`,
  ]);
});

it('says that a line is none instead of throwing', async () => {
  for (const text of [
    '{',
    '{"type":"balance"}\n',
    '{"type":"movement","amount_raw":"x","is_counted":true}\n{}\n',
  ])
    expect(await verifyStatement(text, { keys })).toMatchObject({ isValid: false });
});

it.each(['kid', 'algorithm', 'sha256', 'value', 'type'])(
  'finds a signature invalid whose %s turns into no text',
  async (name) => {
    const { text } = sign(lines);
    const [last = '', ...rest] = text.trimEnd().split('\n').reverse();
    const poisoned = JSON.stringify({ ...JSON.parse(last), [name]: { toString: false } });
    const { isValid } = await verifyStatement([...rest.reverse(), poisoned].join('\n'), { keys });
    expect(isValid).toBe(false);
  },
);

it.each(['type', 'address', 'asset_gid', 'amount_raw', 'is_counted', 'explained', 'opening', 'movements'])(
  'finds lines invalid whose %s turns into no text',
  async (name) => {
    const { text } = sign(lines.map((line) => ({ ...line, [name]: { toString: false } })));
    expect((await verifyStatement(text, { keys })).isValid).toBe(false);
  },
);
