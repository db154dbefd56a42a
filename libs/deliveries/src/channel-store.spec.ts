import type { Sql } from '@chainwatch/db';
import { createChannelStore } from './channel-store.ts';

const row = (id: string) => ({
  id,
  project_id: 'project',
  kind: 'webhook',
  status: 'active',
  is_archived: false,
  consecutive_failures: 0,
  config: { url: 'https://customer.example/' },
  credentials_sealed: null,
  secrets: [],
});

/** Answers both statements of the store; `read` lists the channels whose rows were fetched. */
function fakeDatabase(versions: Map<string, string>): { db: Sql; read: string[][] } {
  const read: string[][] = [];
  const query = async (statement: unknown, values?: readonly (readonly string[])[]) => {
    if (typeof statement === 'object')
      return { rows: [...versions].map(([id, version]) => ({ id, version })) };
    read.push([...values![0]!]);
    return { rows: values![0]!.map(row) };
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

  it('leaves no channel out where it can keep fewer than a project has', async () => {
    const versions = new Map(['a', 'b', 'c', 'd'].map((id) => [id, '1']));
    const store = createChannelStore(fakeDatabase(versions).db, open, { max: 2 });
    for (const changed of ['c', 'a', 'd', undefined]) {
      expect(idsOf(await store.listByProjects(['project']))).toEqual(['a', 'b', 'c', 'd']);
      if (changed !== undefined) versions.set(changed, `${versions.get(changed)}+`);
    }
  });
});
