import type { Sql } from '@chainwatch/db';
import { choosePartitions, joinMembers } from './membership.ts';

test('every partition has one member, shares are fair, and only those of a member that left move', () => {
  const members = ['a-1', 'a-2', 'a-3', 'a-4'];
  const sharesOf = (all: readonly string[]) =>
    new Map(
      all.flatMap((member) =>
        [...choosePartitions(member, all)].map((partition) => [partition, member] as const),
      ),
    );
  const before = sharesOf(members);
  expect(before.size).toBe(256);
  expect(members.reduce((sum, member) => sum + choosePartitions(member, members).size, 0)).toBe(256);
  for (const member of members) expect(choosePartitions(member, members).size).toBeGreaterThan(35);
  const after = sharesOf(members.slice(1));
  for (const [partition, member] of before) if (member !== 'a-1') expect(after.get(partition)).toBe(member);
});

test('a member that does not see itself yet counts itself', () => {
  expect(choosePartitions('new', []).size).toBe(256);
});

test('a member starts alone while the database restarts, and shares when it is back', async () => {
  let isUp = false;
  const query = async (text: string) => {
    if (!isUp) throw new Error('the database system is shutting down');
    return { rows: text.startsWith('SELECT') ? [{ instance_id: 'a-1' }, { instance_id: 'a-2' }] : [] };
  };
  const warnings: string[] = [];
  const logger = {
    info: () => undefined,
    warn: (_: object, message: string) => void warnings.push(message),
    error: () => undefined,
  };
  let onChange = (): void => undefined;
  const changed = new Promise<void>((resolve) => (onChange = resolve));
  const membership = await joinMembers({
    db: { query } as unknown as Sql,
    instanceId: 'a-1',
    heartbeatMs: 5,
    staleMs: 1_000,
    logger,
    onChange: () => onChange(),
  });
  expect(membership.partitions).toBeUndefined();
  expect(warnings[0]).toBe('the other notifiers could not be looked for');
  isUp = true;
  await changed;
  expect(membership.partitions).toEqual([...choosePartitions('a-1', ['a-1', 'a-2'])]);
  await membership.stop();
});
