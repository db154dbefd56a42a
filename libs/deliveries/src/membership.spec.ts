import { choosePartitions } from './membership.ts';

test('every partition has one member, shares are fair, and only those of a member that left move', () => {
  const members = ['a-1', 'a-2', 'a-3', 'a-4'];
  const sharesOf = (all: readonly string[]) => new Map(all.flatMap((member) => [...choosePartitions(member, all)].map((partition) => [partition, member] as const)));
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
