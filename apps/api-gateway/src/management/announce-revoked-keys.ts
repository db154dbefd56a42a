import type { ApiDeps } from '../api-deps.ts';

interface RevokedKey {
  readonly id: string;
  readonly keyHash: Uint8Array;
}

/** After the commit: this replica forgets the keys at once, the others when the bus tells them, or by themselves within 10 s. */
export function announceRevokedKeys({ keys, bus, logger }: Pick<ApiDeps, 'keys' | 'bus' | 'logger'>, revoked: readonly RevokedKey[]): void {
  for (const { id, keyHash } of revoked) {
    const hash = Buffer.from(keyHash).toString('hex');
    keys.revoke(hash);
    bus.publish('key.revoked', [], { schema: 1, key_id: id, key_hash: hash }, { messageId: id }).catch((err: unknown) => {
      logger.warn({ err, key_id: id }, 'could not announce a revoked key');
    });
  }
}
