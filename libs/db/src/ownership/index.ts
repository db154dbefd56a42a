/**
 * One owner is one row (ADR 15): who works on a share of the work, a chain's balances today. See README.md.
 * Used by the balance service.
 *
 * @example
 * const ownership = new Ownership({ db, kind: 'balances', share: gid, owner: randomUUID(), logger, work: async (share, signal) => {
 *   while (!signal.aborted) await share.transaction(async (sql) => { … });
 * } });
 */
export { Ownership, type OwnershipState } from './ownership.ts';
export { type OwnedShare } from './owned-share.ts';
export { ShareLostError } from './share-lost-error.ts';
