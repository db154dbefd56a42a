// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from '@chainwatch/common/api-key';
import { createKeyStore } from './create-key-store.ts';

const made = (): string => generateApiKey({ label: 'svc', type: 'rpc', randomBytes });
const rowOf = (key: string) => ({
  id: key.slice(-6),
  type: 'rpc',
  workspace_id: 'w',
  project_id: null,
  permissions: [],
  key_hash: Buffer.from(hashApiKey(key)),
  expires_at: null,
});

let valid: Set<string>;
let asked: number;
let nowMs: number;
let answer: () => void;
let isHeld: boolean;
const open = () =>
  createKeyStore({
    now: () => nowMs,
    db: {
      query: (async (_text: string, [hash]: [Buffer]) => {
        asked += 1;
        const rows = [...valid].map(rowOf).filter(({ key_hash: own }) => own.equals(hash));
        if (isHeld) await new Promise<void>((resolve) => (answer = resolve));
        return { rows };
      }) as never,
    },
  });
beforeEach(() => {
  [valid, asked, nowMs, isHeld] = [new Set(), 0, 1_000_000, false];
});

it('asks once for a key that is unknown, and again two seconds later', async () => {
  const [store, key] = [open(), made()];
  for (let round = 0; round < 3; round += 1) expect(await store.findPrincipal(key)).toBeUndefined();
  expect(asked).toBe(1);
  valid.add(key);
  nowMs += 2_000;
  expect(await store.findPrincipal(key)).toMatchObject({ workspaceId: 'w' });
  expect(asked).toBe(2);
});

it('asks once for all who bring the same key at once', async () => {
  const [store, key] = [open(), made()];
  valid.add(key);
  isHeld = true;
  const found = Array.from({ length: 5 }, () => store.findPrincipal(key));
  answer();
  expect(new Set((await Promise.all(found)).map((principal) => principal?.keyId))).toEqual(
    new Set([key.slice(-6)]),
  );
  expect(asked).toBe(1);
});

it('knows a key that was valid for longer than it answers for it, until it is not', async () => {
  const [store, key] = [open(), made()];
  valid.add(key);
  expect(store.hasSeen(key)).toBe(false);
  await store.findPrincipal(key);
  nowMs += 11_000;
  expect([store.findCached(key), store.hasSeen(key)]).toEqual([undefined, true]);
  valid.delete(key);
  expect([await store.findPrincipal(key), store.hasSeen(key)]).toEqual([undefined, false]);
});

it('remembers a bounded number of unknown keys, and of known ones', async () => {
  const store = open();
  const first = made();
  valid.add(first);
  await store.findPrincipal(first);
  const oldest = made();
  await store.findPrincipal(oldest);
  // Keys are cheap to make up where nobody checks their form.
  for (let index = 0; index < 10_000; index += 1) await store.findPrincipal(`unknown-${index}`);
  const before = asked;
  await store.findPrincipal(oldest);
  expect([asked - before, store.hasSeen(first)]).toEqual([1, true]);
});
