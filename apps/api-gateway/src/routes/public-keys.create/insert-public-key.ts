// SPDX-License-Identifier: Apache-2.0
import type { ParsedPublicKey } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { deriveAddresses, findHdFamily } from '../../public-keys/load-derivation.ts';

interface NewPublicKey {
  readonly projectId: string;
  readonly parsed: ParsedPublicKey;
  readonly chainGid: string;
  readonly label: string | null;
  readonly gapLimit: number;
}

/** Returns the key's id; undefined if the project has the key already, in any notation. */
export async function insertPublicKey(
  sql: Sql,
  added: NewPublicKey,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { projectId, parsed, chainGid } = added;
  // The same key can be written as xpub and as zpub, which no unique index notices: its registrations run one at a
  // time.
  await sql.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `public key ${projectId} ${parsed.fingerprint}`,
  ]);
  if (await isKnown(sql, added, signal)) return undefined;
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO public_keys (project_id, label, extended_public_key, fingerprint, derivation_path, purpose, account_index, chain_family, chain_gid, address_format, gap_limit)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING RETURNING id`,
    [
      projectId,
      added.label,
      parsed.extendedPublicKey,
      parsed.fingerprint,
      parsed.derivationPath,
      parsed.purpose,
      parsed.accountIndex,
      (await findHdFamily()).name,
      chainGid,
      parsed.addressFormat,
      added.gapLimit,
    ],
  );
  return rows[0]?.id;
}

interface Lookalike {
  readonly extended_public_key: string;
  readonly address_format: string;
  readonly chain_gid: string;
}

/** Keys are equal if their addresses are: fingerprints are too short to distinguish keys, and prefixes say nothing. */
async function isKnown(
  sql: Sql,
  { projectId, parsed, chainGid }: NewPublicKey,
  signal: AbortSignal,
): Promise<boolean> {
  const { rows } = await sql.query<Lookalike>(
    'SELECT extended_public_key, address_format, chain_gid FROM public_keys WHERE project_id = $1 AND fingerprint = $2 AND address_format = $3',
    [projectId, parsed.fingerprint, parsed.addressFormat],
  );
  if (rows.length === 0) return false;
  const own = await firstAddress(
    {
      extended_public_key: parsed.extendedPublicKey,
      address_format: parsed.addressFormat,
      chain_gid: chainGid,
    },
    signal,
  );
  const others = await Promise.all(rows.map((row) => firstAddress(row, signal)));
  return others.includes(own);
}

async function firstAddress(key: Lookalike, signal: AbortSignal): Promise<string | undefined> {
  const { extended_public_key: extendedPublicKey, address_format: addressFormat, chain_gid } = key;
  const [derived] = await deriveAddresses(
    { extendedPublicKey, addressFormat, chainGid: chain_gid },
    { change: 0, indexes: [0], signal },
  );
  return derived?.address.canonical;
}
