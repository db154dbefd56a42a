/** A replica that lives, as it says itself. */
export interface Replica {
  readonly owner: string;
  /** Groups (families) for which it has loaded what it needs. */
  readonly ready: ReadonlySet<string>;
  /** Shares that it does not take for now: it could not reach their node. */
  readonly declined: ReadonlySet<string>;
}

export interface Situation {
  readonly me: string;
  /** Every share there is, and its group. */
  readonly shares: ReadonlyMap<string, string>;
  /** Who owns them, by leases that last. */
  readonly owners: ReadonlyMap<string, string>;
  /** Replicas whose heartbeat is good and who are not leaving, this one among them. */
  readonly live: readonly Replica[];
  /** For how long a share was seen without an owner. */
  readonly freeMs: ReadonlyMap<string, number>;
  /** Shares of mine whose node I cannot reach. */
  readonly unreachable: ReadonlySet<string>;
}

export interface SharePlan {
  /** In the order in which they are to be asked for. */
  readonly take: readonly string[];
  /** One at most: the caller waits 2 s before the next. */
  readonly letGo: string | undefined;
}

/** A share that nobody below its cap takes is taken by the least loaded one after that, by the next one after twice that. */
const OVERDUE_MS = 3_000;

/**
 * What a replica takes and lets go. Caps differ by one at most and sum up to the number of shares: the first of those who
 * own most have ceil(shares / live), the others floor. Every replica computes the same caps from the same rows; while they
 * see different ones the lease decides, and a share moves once more at worst.
 */
export function planShares(situation: Situation): SharePlan {
  const { me, shares } = situation;
  // Who has loaded nothing yet can take nothing: what a dead one leaves behind does not wait for it.
  const live = situation.live.filter(({ ready }) => ready.size > 0);
  const self = live.find(({ owner }) => owner === me);
  if (self === undefined) return { take: [], letGo: undefined };
  const counts = countShares(situation, live);
  const caps = planCaps(shares.size, counts);
  const room = (replica: Replica): number => caps.get(replica.owner)! - counts.get(replica.owner)!;
  const free = [...shares.keys()].filter((share) => !situation.owners.has(share)).sort();
  const wanted = free.filter((share) => findTakers(situation, live, share).includes(self));
  const take = rotate(wanted, [...caps.keys()].indexOf(me)).slice(0, Math.max(room(self), 0));
  const overdue = wanted.filter(
    (share) =>
      !take.includes(share) &&
      (situation.freeMs.get(share) ?? 0) >=
        OVERDUE_MS * (1 + rankByLoad(findTakers(situation, live, share), counts).indexOf(me)),
  );
  return {
    take: [...take, ...overdue],
    letGo: findUnreachable(situation, live) ?? findSurplus(situation, live, room),
  };
}

function countShares({ owners, shares }: Situation, live: readonly Replica[]): Map<string, number> {
  const counts = new Map(live.map(({ owner }) => [owner, 0]));
  for (const [share, owner] of owners) {
    const count = counts.get(owner);
    if (count !== undefined && shares.has(share)) counts.set(owner, count + 1);
  }
  return counts;
}

/** By owner, those who own most first: who has more keeps more, so that nothing moves that need not. */
function planCaps(shareCount: number, counts: ReadonlyMap<string, number>): Map<string, number> {
  const ranked = [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  const floor = Math.floor(shareCount / ranked.length);
  const larger = shareCount % ranked.length;
  return new Map(ranked.map(([owner], rank) => [owner, rank < larger ? floor + 1 : floor]));
}

/** Those who may take a share; where all of them declined it, any: a share without an owner tells nobody why it stands. */
function findTakers({ shares }: Situation, live: readonly Replica[], share: string): readonly Replica[] {
  const ready = live.filter((replica) => replica.ready.has(shares.get(share)!));
  const willing = ready.filter((replica) => !replica.declined.has(share));
  return willing.length > 0 ? willing : ready;
}

function rankByLoad(takers: readonly Replica[], counts: ReadonlyMap<string, number>): string[] {
  const loads = takers.map(({ owner }) => ({ owner, count: counts.get(owner)! }));
  return loads.sort((a, b) => a.count - b.count || (a.owner < b.owner ? -1 : 1)).map(({ owner }) => owner);
}

/** Replicas that ask at the same moment begin at different shares. */
function rotate(shares: readonly string[], rank: number): readonly string[] {
  const at = shares.length === 0 ? 0 : (rank * 7) % shares.length;
  return [...shares.slice(at), ...shares.slice(0, at)];
}

function ownShares({ me, owners, shares }: Situation): string[] {
  return [...owners].flatMap(([share, owner]) => (owner === me && shares.has(share) ? [share] : [])).sort();
}

const mayTake = (replica: Replica, group: string, share: string): boolean =>
  replica.ready.has(group) && !replica.declined.has(share);

/** Where somebody else may have better luck with the node. */
function findUnreachable(situation: Situation, live: readonly Replica[]): string | undefined {
  const { me, shares, unreachable } = situation;
  return ownShares(situation).find(
    (share) =>
      unreachable.has(share) &&
      live.some((replica) => replica.owner !== me && mayTake(replica, shares.get(share)!, share)),
  );
}

/** Above the cap, and somebody below its own is there who has loaded what the share needs. */
function findSurplus(
  situation: Situation,
  live: readonly Replica[],
  room: (replica: Replica) => number,
): string | undefined {
  const { me, shares } = situation;
  if (room(live.find(({ owner }) => owner === me)!) >= 0) return undefined;
  const takers = live.filter((replica) => replica.owner !== me && room(replica) > 0);
  return ownShares(situation).findLast((share) =>
    takers.some((replica) => mayTake(replica, shares.get(share)!, share)),
  );
}
