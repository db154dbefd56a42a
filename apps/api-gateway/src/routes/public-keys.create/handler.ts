// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { conflict } from '@chainwatch/problem';
import { defineRoute } from '../../server/define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { parsePublicKey } from '../../public-keys/load-derivation.ts';
import { readPublicKeys } from '../../public-keys/read-public-keys.ts';
import { labelSchema } from '../../records/address-input.ts';
import { publicKeySchema } from '../../records/public-key.ts';
import { chooseChain } from './choose-chain.ts';
import { insertPublicKey } from './insert-public-key.ts';

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
