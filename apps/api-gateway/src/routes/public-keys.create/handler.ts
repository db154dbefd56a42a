// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { conflict } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { parsePublicKey, deriveAddresses, findHdFamily } from '../../public-keys/load-derivation.ts';
import { readPublicKeys } from '../../public-keys/read-public-keys.ts';
import { labelSchema } from '../../records/address-input.ts';
import { publicKeySchema } from '../../records/public-key.ts';
import type { ApiDeps } from '../../api-deps.ts';
import type { ParsedPublicKey } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

const bodySchema = z.strictObject({
  /** Longer than any key; the family decides what is valid. */
  extended_public_key: z
    .string()
    .min(1)
    .max(256)
    .meta({
      description:
        'Of an account (depth 3): xpub, ypub, zpub, those of test networks, or one of the extended keys that a coin has of its own, such as Ltub, Mtub and dgub.',
      examples: [
        'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
      ],
    }),
  derivation_path: z
    .string()
    .min(1)
    .max(256)
    .meta({
      description: 'From the wallet to the account; it decides address format and network.',
      examples: ["m/84'/0'/0'"],
    }),
  label: labelSchema.nullish().meta({ description: 'Optional name.', examples: ['Deposits'] }),
  chain_gid: chainGidSchema.optional().meta({
    description: 'Which of the test networks, where the path stands for all of them.',
    examples: ['bip122:000000000019d6689c085ae165831e93'],
  }),
  gap_limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(20)
    .meta({ description: 'Unused addresses in a row after which a wallet stops to look.', examples: [20] }),
});

export const createPublicKey = defineRoute({
  method: 'POST',
  path: '/public_keys',
  permission: 'api:public_key:write',
  summary: 'Add the extended public key of an account',
  body: bodySchema,
  example: {
    extended_public_key:
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
    derivation_path: "m/84'/0'/0'",
    label: 'Deposits',
  },
  responses: { 201: publicKeySchema },
  problems: [409, 422],
  handle: async ({ body, principal, signal }, deps) => {
    const networkGid = body.chain_gid && normalizeChainGid(body.chain_gid);
    const parsed = await parsePublicKey({
      extendedPublicKey: body.extended_public_key,
      derivationPath: body.derivation_path,
      networkGid,
    });
    const chainGid = networkGid ?? (await chooseChain(deps, parsed.networkGids));
    const added = {
      projectId: principal.projectId,
      parsed,
      chainGid,
      label: body.label ?? null,
      gapLimit: body.gap_limit,
    };
    const id = await deps.db.transaction((sql) => insertPublicKey(sql, added, signal));
    if (id === undefined) throw conflict('The public key exists already in this project.');
    const [record] = await readPublicKeys(deps.db, [await findPublicKey(deps, principal, id)]);
    return { status: 201, body: record, location: `/public_keys/${id}` };
  },
});

/** Chooses among the networks that a path may mean: the only monitored one, otherwise the first. */
async function chooseChain(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  networkGids: readonly string[],
): Promise<string> {
  const active = await prisma.blockchain.findMany({
    where: { gid: { in: [...networkGids] }, isActive: true },
    select: { gid: true },
  });
  return active.length === 1 ? active[0]!.gid : networkGids[0]!;
}

interface NewPublicKey {
  readonly projectId: string;
  readonly parsed: ParsedPublicKey;
  readonly chainGid: string;
  readonly label: string | null;
  readonly gapLimit: number;
}

/** Returns the key's id; undefined if the project has the key already, in any notation. */
async function insertPublicKey(
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
