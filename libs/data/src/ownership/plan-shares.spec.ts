// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { planShares, type Replica, type Situation } from './plan-shares.ts';

const NOW = 1_000;
const replica = (
  owner: string,
  ready: readonly string[] = ['evm'],
  declined: readonly string[] = [],
): Replica => ({
  owner,
  ready: new Set(ready),
  declined: new Set(declined),
});
const situation = (given: Partial<Situation> & { names: readonly string[] }): Situation => ({
  me: 'a',
  shares: new Map(given.names.map((name) => [name, name.split(':')[0]!])),
  owners: new Map(),
  live: [replica('a'), replica('b')],
  freeMs: new Map(),
  unreachable: new Set(),
  ...given,
});
const evm = (count: number): string[] => Array.from({ length: count }, (_, index) => `evm:${index}`);
const owned = (entries: Record<string, string>): Map<string, string> => new Map(Object.entries(entries));

describe('a replica', () => {
  it.each<[string, Partial<Situation> & { names: readonly string[] }, readonly string[], string | undefined]>(
    [
      ['alone takes all', { names: evm(3), live: [replica('a')] }, evm(3), undefined],
      ['among two takes its half', { names: evm(4) }, evm(2), undefined],
      [
        'takes nothing before it has loaded something',
        { names: evm(2), live: [replica('a', [])] },
        [],
        undefined,
      ],
      [
        'takes only what it has loaded',
        { names: ['evm:0', 'tron:0'], live: [replica('a')] },
        ['evm:0'],
        undefined,
      ],
      [
        'lets one go to one that has fewer',
        { names: evm(3), owners: owned({ 'evm:0': 'a', 'evm:1': 'a', 'evm:2': 'a' }) },
        [],
        'evm:2',
      ],
      [
        'keeps what nobody else has loaded',
        {
          names: evm(2),
          owners: owned({ 'evm:0': 'a', 'evm:1': 'a' }),
          live: [replica('a'), replica('b', ['tron'])],
        },
        [],
        undefined,
      ],
      [
        'keeps the odd one',
        { names: evm(3), owners: owned({ 'evm:0': 'a', 'evm:1': 'a', 'evm:2': 'b' }) },
        [],
        undefined,
      ],
      [
        'lets go what it cannot reach, whatever its number',
        {
          names: evm(2),
          owners: owned({ 'evm:0': 'a', 'evm:1': 'b' }),
          unreachable: new Set(['evm:0']),
        },
        [],
        'evm:0',
      ],
      [
        'keeps what nobody can reach, or it would look as if nobody were there',
        {
          names: evm(2),
          owners: owned({ 'evm:0': 'a', 'evm:1': 'b' }),
          unreachable: new Set(['evm:0']),
          live: [replica('a'), replica('b', ['evm'], ['evm:0'])],
        },
        [],
        undefined,
      ],
      [
        'does not take what it declined',
        {
          names: evm(2),
          live: [replica('a', ['evm'], ['evm:0']), replica('b')],
          owners: owned({ 'evm:1': 'b' }),
        },
        [],
        undefined,
      ],
      [
        'takes what all declined',
        { names: evm(1), live: [replica('a', ['evm'], ['evm:0']), replica('b', ['evm'], ['evm:0'])] },
        ['evm:0'],
        undefined,
      ],
      [
        'takes beyond its cap what nobody takes for a while',
        {
          names: evm(3),
          live: [replica('a'), replica('b', ['evm'], ['evm:2'])],
          owners: owned({ 'evm:0': 'a', 'evm:1': 'a' }),
          freeMs: new Map([['evm:2', 3_000]]),
        },
        ['evm:2'],
        undefined,
      ],
      [
        'is not in the caps of others while it is on its way out',
        { names: evm(4), live: [replica('a')], owners: owned({ 'evm:0': 'left' }) },
        ['evm:1', 'evm:2', 'evm:3'],
        undefined,
      ],
    ],
  )('%s', (_, given, take, letGo) => {
    expect(planShares(situation(given))).toMatchObject({ take, letGo });
  });
});

it.each([
  ['has room while it is below its cap', evm(2), {}, true],
  ['has none while others own its part', evm(2), { 'evm:0': 'a', 'evm:1': 'b' }, false],
  ['has none where there are fewer shares than replicas', evm(1), { 'evm:0': 'b' }, false],
])('a replica %s', (_, names, owners, hasRoom) => {
  const live = [replica('a'), replica('b')];
  expect(planShares(situation({ names, live, owners: owned(owners) }))).toMatchObject({ hasRoom });
});

/** Replicas that run the plan once a second, in the order of their names, as they do over one table. */
class Cluster {
  readonly owners = new Map<string, string>();
  readonly shares: ReadonlyMap<string, string>;
  live: string[] = [];
  moves = 0;
  letGoBelowCap = 0;
  #nowMs = 0;
  readonly #letGoAtMs = new Map<string, number>();
  readonly #freeSinceMs = new Map<string, number>();

  constructor(count: number) {
    this.shares = new Map(evm(count).map((name) => [name, 'evm']));
  }

  run(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      this.#nowMs += NOW;
      for (const me of [...this.live].sort()) this.#look(me);
    }
  }

  /** In order: it lets go at once what it has. */
  leave(owner: string): void {
    this.live = this.live.filter((one) => one !== owner);
    for (const [share, by] of this.owners) if (by === owner) this.owners.delete(share);
  }

  /** Its leases last for 8 s, its heartbeat for less. */
  kill(owner: string): void {
    this.live = this.live.filter((one) => one !== owner);
    this.run(8);
    for (const [share, by] of this.owners) if (by === owner) this.owners.delete(share);
  }

  get counts(): number[] {
    return this.live.map((owner) => [...this.owners.values()].filter((by) => by === owner).length).sort();
  }

  #look(me: string): void {
    for (const share of this.shares.keys()) {
      if (this.owners.has(share)) this.#freeSinceMs.delete(share);
      else if (!this.#freeSinceMs.has(share)) this.#freeSinceMs.set(share, this.#nowMs);
    }
    const { take, letGo } = planShares({
      me,
      shares: this.shares,
      owners: this.owners,
      live: this.live.map((owner) => replica(owner)),
      freeMs: new Map([...this.#freeSinceMs].map(([share, sinceMs]) => [share, this.#nowMs - sinceMs])),
      unreachable: new Set(),
    });
    for (const share of take) {
      expect(this.owners.has(share)).toBe(false);
      this.owners.set(share, me);
      this.moves += 1;
    }
    if (letGo === undefined || this.#nowMs - (this.#letGoAtMs.get(me) ?? -Infinity) < 2_000) return;
    const mine = [...this.owners.values()].filter((by) => by === me).length;
    if (mine <= Math.floor(this.shares.size / this.live.length)) this.letGoBelowCap += 1;
    this.#letGoAtMs.set(me, this.#nowMs);
    this.owners.delete(letGo);
  }
}

describe('28 chains', () => {
  it('are owned by one, then by two, then by three replicas in even parts within 30 s of each joining', () => {
    const cluster = new Cluster(28);
    cluster.live = ['a'];
    cluster.run(1);
    expect(cluster.counts).toEqual([28]);
    cluster.live = ['a', 'b'];
    cluster.run(30);
    expect(cluster.counts).toEqual([14, 14]);
    cluster.live = ['a', 'b', 'c'];
    cluster.run(30);
    expect(cluster.counts).toEqual([10, 9, 9].sort());
    // Each of them once at most.
    expect(cluster.moves).toBe(28 + 14 + 9);
  });

  it('of a dead replica are shared by those left as soon as its leases are over', () => {
    const cluster = new Cluster(28);
    cluster.live = ['a', 'b', 'c'];
    cluster.run(2);
    const before = cluster.moves;
    cluster.kill('b');
    cluster.run(1);
    expect([cluster.counts, cluster.moves - before]).toEqual([[14, 14], 9]);
  });

  it.each([
    ['the new one comes before the old one goes', true],
    ['the old one goes before the new one comes', false],
  ])('move twice at most on average in a rolling restart of three: %s', (_, isSurging) => {
    const cluster = new Cluster(28);
    cluster.live = ['a1', 'b1', 'c1'];
    cluster.run(30);
    const before = cluster.moves;
    for (const name of ['a', 'b', 'c']) {
      if (isSurging) cluster.live.push(`${name}2`);
      cluster.run(20);
      cluster.leave(`${name}1`);
      cluster.run(5);
      if (!isSurging) cluster.live.push(`${name}2`);
      cluster.run(30);
    }
    expect(cluster.counts).toEqual([10, 9, 9].sort());
    expect((cluster.moves - before) / 28).toBeLessThanOrEqual(2);
  });
});

const change = fc.oneof(
  fc.record({ type: fc.constant('join' as const), seconds: fc.nat(20) }),
  fc.record({ type: fc.constant('leave' as const), index: fc.nat(9), seconds: fc.nat(20) }),
  fc.record({ type: fc.constant('kill' as const), index: fc.nat(9), seconds: fc.nat(20) }),
);

test('whoever comes and goes: every share has an owner in the end, parts differ by one at most, nobody below its part lets go', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(change, { maxLength: 12 }), (count, changes) => {
      const cluster = new Cluster(count);
      cluster.live = ['r0'];
      for (const [index, one] of changes.entries()) {
        const chosen = one.type === 'join' ? undefined : cluster.live[one.index % cluster.live.length]!;
        if (chosen === undefined) cluster.live.push(`r${index + 1}`);
        else if (cluster.live.length > 1) cluster[one.type as 'leave' | 'kill'](chosen);
        cluster.run(one.seconds);
      }
      cluster.run(2 * count + 10);
      const counts = cluster.live.map(
        (owner) => [...cluster.owners.values()].filter((by) => by === owner).length,
      );
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(count);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      expect(cluster.letGoBelowCap).toBe(0);
      // And it stays so.
      const { moves } = cluster;
      cluster.run(20);
      expect(cluster.moves).toBe(moves);
    }),
  );
});
