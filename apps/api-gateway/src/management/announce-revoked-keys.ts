// SPDX-License-Identifier: Apache-2.0
import type { ApiDeps } from '../api-deps.ts';

interface EndedKey {
  readonly id: string;
  readonly keyHash: Uint8Array;
  /** When a key ends that stays valid for a while; absent: it ends now. */
  readonly endsAt?: Date;
}

/**
 * Call it after the commit. This replica ends the keys at once, the others when the bus tells them, or by themselves
 * within 10 s.
 */
export function announceRevokedKeys(
  { keys, bus, logger }: Pick<ApiDeps, 'keys' | 'bus' | 'logger'>,
  ended: readonly EndedKey[],
): void {
  for (const { id, keyHash, endsAt } of ended) {
    const hash = Buffer.from(keyHash).toString('hex');
    keys.revoke(hash, endsAt?.getTime() ?? 0);
    const payload = {
      schema: 1 as const,
      key_id: id,
      key_hash: hash,
      ends_at: endsAt?.toISOString(),
    };
    bus
      .publish('key.revoked', { tokens: [], payload, messageId: [id, payload.ends_at ?? 'now'].join('/') })
      .catch((err: unknown) => {
        logger.warn({ err, key_id: id }, 'failed to announce revoked key');
      });
  }
}
