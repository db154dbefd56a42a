import { CallQueue } from './call-queue.ts';
import { Tenants } from './tenants.ts';

interface Call {
  readonly name: string;
  readonly quota: { readonly key: ReturnType<typeof keyOf> };
}

const tenants = new Tenants({
  heldBytes: 1_000,
  heldBytesPerKey: 500,
  heldBytesPerConnection: 500,
  socketsPerKey: 10,
});
const connection = { quota: { key: tenants.strangers } };
const keyOf = (workspaceId: string, keyId: string) =>
  tenants.quotaOf({ keyId: `${workspaceId} ${keyId}`, workspaceId }, connection as never).key;

let sent: Call[];
let queue: CallQueue<Call>;
const open = (max: number, maxPerKey: number): void => {
  sent = [];
  queue = new CallQueue({ max, maxPerKey, send: (call) => sent.push(call) });
};
const enter = (workspaceId: string, keyId: string, count = 1): Call[] =>
  Array.from({ length: count }, (_, index) => {
    const call = { name: `${workspaceId}${keyId}${index}`, quota: { key: keyOf(workspaceId, keyId) } };
    queue.enter(call);
    return call;
  });
const names = (from = 0): string =>
  sent
    .slice(from)
    .map(({ name }) => name)
    .join(' ');

it('leaves as much of a node to the others as one workspace has, and three quarters to the other keys', () => {
  open(16, 4);
  enter('A', 'a', 10);
  expect(sent).toHaveLength(4);
  enter('A', 'b', 10);
  enter('A', 'c', 10);
  expect(sent).toHaveLength(8);
  const before = sent.length;
  enter('B', 'a', 10);
  expect(names(before)).toBe('Ba0 Ba1 Ba2 Ba3');
  enter('C', 'a');
  expect(names(before + 4)).toBe('Ca0');
});

it('takes turns over workspaces, and within them over keys, each in its order', () => {
  open(2, 2);
  // One call each is in flight, and later ones wait.
  const first = [...enter('A', 'a'), ...enter('B', 'a')];
  enter('A', 'a', 4);
  enter('A', 'b', 2);
  enter('B', 'a', 2);
  expect(sent).toEqual(first);
  for (let at = 0; at < sent.length; at += 1) queue.leave(sent[at]!);
  expect(names(2)).toBe('Aa0 Ba0 Ab0 Ba1 Aa1 Ab1 Aa2 Aa3');
});

it('forgets what is withdrawn, and a place is given once', () => {
  open(4, 1);
  const [going, second, third] = enter('A', 'a', 3);
  queue.leave(second!);
  queue.leave(second!);
  expect(names()).toBe('Aa0');
  queue.leave(going!);
  queue.leave(going!);
  expect(sent).toEqual([going, third]);
  queue.leave(third!);
  enter('A', 'a');
  expect(sent).toHaveLength(3);
});

it('never has more under way than it may, and lets nothing lie, whatever comes and goes', () => {
  open(7, 3);
  let seed = 1;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const inside: Call[] = [];
  const finished = new Set<Call>();
  for (let round = 0; round < 5_000; round += 1) {
    if (next(2) === 0) inside.push(...enter('ABCD'[next(4)]!, 'ab'[next(2)]!));
    else if (inside.length > 0) {
      const [call] = inside.splice(next(inside.length), 1);
      queue.leave(call!);
      finished.add(call!);
    }
    const going = sent.filter((call) => !finished.has(call));
    expect(going.length).toBeLessThanOrEqual(7);
    for (const workspace of 'ABCD')
      expect(going.filter(({ name }) => name.startsWith(workspace)).length).toBeLessThanOrEqual(4);
  }
  while (inside.length > 0) queue.leave(inside.shift()!);
  expect(enter('A', 'a', 3).every((call) => sent.includes(call))).toBe(true);
});
