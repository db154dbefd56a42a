// SPDX-License-Identifier: Apache-2.0
/** A live replica, as it describes itself. */
export interface Replica {
  readonly owner: string;
  /** Groups (families) for which it has loaded what it needs. */
  readonly ready: ReadonlySet<string>;
  /** Shares that it does not take for now, because it could not reach their node. */
  readonly declined: ReadonlySet<string>;
}

export interface Situation {
  readonly me: string;
  /** Every share there is, and its group. */
  readonly shares: ReadonlyMap<string, string>;
  /** The owner of each share that has a valid lease. */
  readonly owners: ReadonlyMap<string, string>;
  /** Replicas whose heartbeat is good and who are not leaving, this one among them. */
  readonly live: readonly Replica[];
  /** How long each share has been seen without an owner. */
  readonly freeMs: ReadonlyMap<string, number>;
  /** Shares of this replica whose node it cannot reach. */
  readonly unreachable: ReadonlySet<string>;
}

export interface SharePlan {
  /** In the order in which they are to be asked for. */
  readonly take: readonly string[];
  /** One at most: the caller waits 2 s before the next. */
  readonly letGo: string | undefined;
  /** It is below its cap: what others let go may be for it. */
  readonly hasRoom: boolean;
}

/**
 * If no replica below its cap takes a share, the least loaded one takes it after this time, the next one after
 * twice this time.
 */
const OVERDUE_MS = 3_000;

/**
 * Plans what a replica takes and lets go. Caps differ by at most one and sum up to the number of shares: replicas
 * that own most get ceil(shares / live), the others floor. Every replica computes the same caps from the same rows.
 * While replicas see different rows the lease decides, and at worst a share moves once more.
 */
export function planShares(situation: Situation): SharePlan {
  const { me, shares } = situation;
  // A replica that has loaded nothing yet can take nothing: shares of a dead replica do not wait for it.
  const live = situation.live.filter(({ ready }) => ready.size > 0);
  const self = live.find(({ owner }) => owner === me);
  if (self === undefined) return { take: [], letGo: undefined, hasRoom: true };
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
    hasRoom: room(self) > 0,
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

/** Caps by owner. Those who own most come first and get the larger caps, so that no share moves without need. */
function planCaps(shareCount: number, counts: ReadonlyMap<string, number>): Map<string, number> {
  const ranked = [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  const floor = Math.floor(shareCount / ranked.length);
  const larger = shareCount % ranked.length;
  return new Map(ranked.map(([owner], rank) => [owner, rank < larger ? floor + 1 : floor]));
}

/**
 * The replicas that may take a share. If all declined it, any may: without an owner nobody would report why it
 * stands still.
 */
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

/** A share of ours whose node another replica may be able to reach. */
function findUnreachable(situation: Situation, live: readonly Replica[]): string | undefined {
  const { me, shares, unreachable } = situation;
  return ownShares(situation).find(
    (share) =>
      unreachable.has(share) &&
      live.some((replica) => replica.owner !== me && mayTake(replica, shares.get(share)!, share)),
  );
}

/** A share to let go when we are above our cap and a replica below its own could take it. */
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
