// SPDX-License-Identifier: Apache-2.0
/**
 * KEYS[1] a sorted set of replicas by the time at which each is taken for dead; ARGV the replica, time to live in ms. Returns how
 * many there are.
 */
export const REPLICA_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`;

/** So many lower counts in a row are believed: after its restart, Redis has not heard of every replica yet. */
const LOWER_MAX = 4;

/** How many replicas share the limits, for when Redis is away. More are believed at once, fewer when they stay fewer. */
export class ReplicaCount {
  #count: number;
  #lower: number[] = [];

  /** @param count until Redis was asked */
  constructor(count: number) {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  learn(count: number): void {
    if (count < this.#count) this.#lower.push(count);
    else this.#lower = [];
    if (count > this.#count) this.#count = count;
    if (this.#lower.length <= LOWER_MAX) return;
    this.#count = Math.max(...this.#lower);
    this.#lower = [];
  }

  /** What this replica may grant of a limit alone: all replicas together grant no more than the limit. */
  shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#count));
  }
}
