// SPDX-License-Identifier: Apache-2.0
/** What replicas know together of one subject: the highest number of each name, and the last word of others. */
export interface Mark {
  /** Undefined: the value replaces the one before, whatever that was. */
  readonly number: number | undefined;
  readonly value: string;
  /** Milliseconds since it was set. */
  readonly ageMs: number;
}

export interface MarksRequest {
  readonly key: string;
  readonly ttlSeconds: number;
  /** By name. A number below the one that is stored changes nothing; the same one makes it young again. */
  readonly raise?: Readonly<Record<string, Pick<Mark, 'number' | 'value'>>>;
}

/**
 * Raises marks and returns all of them, in one step. A field is `number value set-at`; ages are by the server's clock,
 * which all replicas share.
 * KEYS[1] the subject; ARGV ttl in ms, then name, number (empty: none), value for each.
 */
export const MARKS_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ttl = tonumber(ARGV[1])
for i = 2, #ARGV, 3 do
  local stored = redis.call('HGET', KEYS[1], ARGV[i])
  local number, at = -1, 0
  if stored then
    local told = string.match(stored, '^(%S*) ')
    number = tonumber(told) or -1
    at = tonumber(string.match(stored, ' (%d+)$')) or 0
  end
  if ARGV[i + 1] == '' or now - at >= ttl or tonumber(ARGV[i + 1]) >= number then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1] .. ' ' .. ARGV[i + 2] .. ' ' .. string.format('%.0f', now))
  end
end
if #ARGV > 1 then redis.call('PEXPIRE', KEYS[1], ttl) end
local all = redis.call('HGETALL', KEYS[1])
all[#all + 1] = string.format('%.0f', now)
return all
`;

/** The arguments of the script behind its key. */
export function argumentsOf({ ttlSeconds, raise = {} }: MarksRequest): (string | number)[] {
  const fields = Object.entries(raise).flatMap(([name, { number, value }]) => [name, number ?? '', value]);
  return [ttlSeconds * 1_000, ...fields];
}

/** @param answer of the script */
export function readMarks(answer: readonly string[], ttlMs: number): ReadonlyMap<string, Mark> {
  const now = Number(answer.at(-1));
  const marks = new Map<string, Mark>();
  for (let at = 0; at + 1 < answer.length - 1; at += 2) {
    const [number = '', value = '', setAt] = answer[at + 1]!.split(' ');
    const ageMs = Math.max(0, now - Number(setAt));
    if (!(ageMs < ttlMs)) continue;
    marks.set(answer[at]!, { number: number === '' ? undefined : Number(number), value, ageMs });
  }
  return marks;
}
