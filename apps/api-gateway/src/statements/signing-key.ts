// SPDX-License-Identifier: Apache-2.0
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Sql } from '@chainwatch/data/db';

/** Signs statements of this installation. The private key stays inside. */
export interface StatementSigner {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly publicKey: Buffer;
  /** @returns the Ed25519 signature of these bytes */
  sign(bytes: Uint8Array): Buffer;
}

/** A public key as a JWK (RFC 8037). */
export interface PublishedKey {
  readonly kid: string;
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly first_used_at: string;
}

const SEED_BYTES = 32;
/** What stands before the seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const EXPECTED = `expected ${SEED_BYTES} bytes as base64 in STATEMENT_KEY, as \`openssl rand -base64 32\` makes them`;

/** @param text 32 random bytes as base64 @throws TypeError, which does not tell the key */
export function createStatementSigner(text: string): StatementSigner {
  const seed = Buffer.from(text, 'base64');
  if (seed.length !== SEED_BYTES || seed.toString('base64') !== text.trim()) throw new TypeError(EXPECTED);
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    ...{ format: 'der', type: 'pkcs8' },
  });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    kid: thumbprintOf(x),
    publicKey: Buffer.from(x, 'base64url'),
    // Ed25519 has a digest of its own.
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

/** RFC 7638: its members in order, without white space. */
function thumbprintOf(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}

/** A key that is published stays published: statements are older than it is in use. */
export async function publishKey(sql: Sql, { kid, publicKey }: StatementSigner): Promise<void> {
  await sql.query('INSERT INTO statement_keys (kid, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    kid,
    publicKey,
  ]);
}

export async function listPublishedKeys(sql: Sql): Promise<PublishedKey[]> {
  const { rows } = await sql.query<{ kid: string; public_key: Buffer; first_used_at: Date }>(
    'SELECT kid, public_key, first_used_at FROM statement_keys ORDER BY first_used_at, kid',
  );
  return rows.map((row) => ({
    ...{ kid: row.kid, kty: 'OKP', crv: 'Ed25519', x: row.public_key.toString('base64url') },
    first_used_at: row.first_used_at.toISOString(),
  }));
}
