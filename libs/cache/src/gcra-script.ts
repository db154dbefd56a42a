import { EPSILON_MS } from './consume-token.ts';

/**
 * The decision of decideToken, made in one step on the server, so that all replicas share one count. Returns the `tat`
 * before the request (empty if there was none) and whether the request was allowed; the caller computes the answer from
 * these.
 * KEYS[1] the key; ARGV limit, window in ms, now in ms (empty: the server's clock, which all replicas share), cost, and
 * 1 if the cost is taken whatever is left.
 */
export const GCRA_SCRIPT = `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local now
if ARGV[3] == '' then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
else
  now = tonumber(ARGV[3])
end
local stored = redis.call('GET', KEYS[1])
local start = now
if stored and tonumber(stored) > now then start = tonumber(stored) end
local following = start + window / limit * tonumber(ARGV[4])
if ARGV[5] == '1' or following - now <= window + ${EPSILON_MS} then
  redis.call('SET', KEYS[1], string.format('%.6f', following), 'PX', math.max(1, math.ceil(following - now)))
end
return { stored or '', string.format('%.6f', now) }
`;
