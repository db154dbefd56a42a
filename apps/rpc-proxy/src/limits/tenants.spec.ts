// SPDX-License-Identifier: Apache-2.0
import { ClientConnection } from './client-connections.ts';
import { Tenants } from './tenants.ts';

const tenants = (): Tenants =>
  new Tenants({ heldBytes: 1_600, heldBytesPerKey: 400, heldBytesPerConnection: 300, socketsPerKey: 2 });
const connectionOf = (accounts: Tenants): ClientConnection =>
  new ClientConnection({} as never, accounts.limits.heldBytesPerConnection, accounts.strangers);

it('each has its bound: connection, key, workspace, process', () => {
  const accounts = tenants();
  const quotas = [0, 1, 2, 3].map((index) =>
    accounts.quotaOf({ keyId: `a${Math.floor(index / 2)}`, workspaceId: 'A' }, connectionOf(accounts)),
  );
  expect(quotas[0]!.take(300)).toBeUndefined();
  expect(quotas[0]!.take(1)).toBe('connection');
  expect(quotas[1]!.take(101)).toBe('key');
  expect([quotas[1]!.take(100), quotas[2]!.take(300), quotas[3]!.take(100)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  // Half of the process is held by two keys: a third one gets nothing.
  const third = accounts.quotaOf({ keyId: 'a2', workspaceId: 'A' }, connectionOf(accounts));
  expect(third.take(1)).toBe('workspace');
  // Who is new finds as much as is free for each: B a half of the rest.
  const other = [0, 1].map((index) =>
    accounts.quotaOf({ keyId: `b${index}`, workspaceId: 'B' }, connectionOf(accounts)),
  );
  expect([other[0]!.take(300), other[1]!.take(100), other[1]!.take(1)]).toEqual([
    undefined,
    undefined,
    'process',
  ]);
  expect(accounts.process.held).toBe(1_200);
  for (const [quota, bytes] of [
    [quotas[0]!, 300],
    [quotas[1]!, 100],
    [quotas[2]!, 300],
    [quotas[3]!, 100],
    [other[0]!, 300],
    [other[1]!, 100],
  ] as const)
    quota.release(bytes);
  expect([
    accounts.process.held,
    other[0]!.key.held,
    other[0]!.connection.held,
    quotas[0]!.key.workspace.held,
  ]).toEqual([0, 0, 0, 0]);
});

it('strangers share a sixteenth', () => {
  const accounts = tenants();
  expect(connectionOf(accounts).quota.take(101)).toBe('key');
  expect(connectionOf(accounts).quota.take(50)).toBeUndefined();
  expect(connectionOf(accounts).quota.take(51)).toBe('key');
});

it('a connection counts for one key at a time, until it closes', () => {
  const accounts = tenants();
  const [one, two, three] = [connectionOf(accounts), connectionOf(accounts), connectionOf(accounts)];
  const [a, b] = ['a', 'b'].map(
    (keyId) => accounts.quotaOf({ keyId, workspaceId: 'A' }, connectionOf(accounts)).key,
  );
  expect([one.claim(a!), one.claim(a!), two.claim(a!), three.claim(a!)]).toEqual([true, true, true, false]);
  expect([two.claim(b!), three.claim(a!), a!.sockets, b!.sockets]).toEqual([true, true, 2, 1]);
  for (const connection of [one, two, three]) connection.tellClosed();
  one.tellClosed();
  expect([a!.sockets, b!.sockets, one.claim(a!), a!.sockets]).toEqual([0, 0, true, 0]);
});

it('accounts are one for a key, over all its connections and after it was idle', () => {
  const accounts = tenants();
  const connection = connectionOf(accounts);
  const quota = accounts.quotaOf({ keyId: 'a', workspaceId: 'A' }, connection);
  expect(accounts.quotaOf({ keyId: 'a', workspaceId: 'A' }, connection)).toBe(quota);
  quota.take(10);
  for (let index = 0; index < 10_000; index += 1)
    accounts.quotaOf({ keyId: `k${index}`, workspaceId: `W${index}` }, connectionOf(accounts));
  expect(accounts.quotaOf({ keyId: 'a', workspaceId: 'A' }, connection)).toBe(quota);
  expect([accounts.findKey('k0'), accounts.findKey('k9999')?.held]).toEqual([undefined, 0]);
});
