/**
 * What the server holds every session of ours to, so that a client that vanished without a word (a host without power,
 * a cut cable, a stopped process) blocks nobody for more than 10 s (architecture.md, invariant 2). Given as a start-up
 * option: `-c name=value`.
 */
const SESSION_SETTINGS = [
  // Nothing waits for the outside inside of a transaction: who is silent for so long in one is gone.
  ['idle_in_transaction_session_timeout', '5s'],
  // A peer that takes no packet: 4 s until the first question, another two, 8 s in all.
  ['tcp_keepalives_idle', '4s'],
  ['tcp_keepalives_interval', '2s'],
  ['tcp_keepalives_count', '2'],
  ['tcp_user_timeout', '8s'],
] as const;

/** The same question in the other direction. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 4_000 } as const;

/** For the start-up packet, with `more` behind. */
export function describeSession(more: readonly (readonly [name: string, value: string])[] = []): string {
  return [...SESSION_SETTINGS, ...more].map(([name, value]) => `-c ${name}=${value}`).join(' ');
}
