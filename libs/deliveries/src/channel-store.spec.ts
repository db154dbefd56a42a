// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { createChannelStore } from './channel-store.ts';

const row = (id: string, failures: number) => ({
  id,
  project_id: 'project',
  kind: 'webhook',
  status: 'active',
  is_archived: false,
  consecutive_failures: failures,
  config: { url: 'https://customer.example/' },
  credentials_sealed: null,
  secrets: [{ id: 'secret', sealed: `sealed ${id}`, expires_at: null }],
});

/** Answers both statements of the store; `read` lists the channels whose rows were fetched, each with as many failures. */
function fakeDatabase(versions: Map<string, string>): { db: Sql; read: string[][] } {
  const read: string[][] = [];
  const query = async ({ name, values }: { name: string; values: readonly (readonly string[])[] }) => {
    if (name !== 'read_channels') return { rows: [...versions].map(([id, version]) => ({ id, version })) };
    read.push([...values[0]!]);
    return { rows: values[0]!.map((id) => row(id, read.length)) };
  };
  return { db: { query } as unknown as Sql, read };
}

describe('createChannelStore', () => {
  const open = (sealed: string): string => sealed;
  const idsOf = (channels: readonly { id: string }[]): string[] => channels.map(({ id }) => id);

  it('fetches a row again only when its version changed', async () => {
    const versions = new Map([
      ['a', '1'],
      ['b', '1'],
    ]);
    const { db, read } = fakeDatabase(versions);
    const store = createChannelStore(db, open);
    expect(idsOf(await store.listByProjects(['project']))).toEqual(['a', 'b']);
    versions.set('b', '2');
    expect(idsOf(await store.listByProjects(['project']))).toEqual(['a', 'b']);
    expect(read).toEqual([['a', 'b'], ['b']]);
  });

  it('opens secrets again only when more than the state of the breaker changed', async () => {
    const versions = new Map([['a', '1']]);
    const opened: string[] = [];
    const { db } = fakeDatabase(versions);
    const store = createChannelStore(db, (sealed) => {
      opened.push(sealed);
      return sealed;
    });
    for (const failures of [1, 2, 3]) {
      versions.set('a', String(failures));
      expect(await store.listByIds(['a'])).toMatchObject([{ id: 'a', consecutiveFailures: failures }]);
    }
    expect(opened).toEqual(['sealed a']);
  });

  it('leaves no channel out where it can keep fewer than a project has', async () => {
    const versions = new Map(['a', 'b', 'c', 'd'].map((id) => [id, '1']));
    const store = createChannelStore(fakeDatabase(versions).db, open, { max: 2 });
    for (const changed of ['c', 'a', 'd', undefined]) {
      expect(idsOf(await store.listByProjects(['project']))).toEqual(['a', 'b', 'c', 'd']);
      if (changed !== undefined) versions.set(changed, `${versions.get(changed)}+`);
    }
  });
});
