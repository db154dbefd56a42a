// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { selectUpgrades } from '@chainwatch/chain-core';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { notFound } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { blockchainSchema } from '../../records/blockchain.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { toUpgradeRecord, upgradeRecordSchema } from '../../records/upgrade.ts';

const detailsSchema = blockchainSchema
  .extend({
    upgrades: z.array(upgradeRecordSchema).meta({
      description:
        'Upgrades of the last 90 days, oldest first, and the next one; if none has a date, those announced without one. Then those with a height alone, until 90 days of blocks after it.',
    }),
    upgrades_reviewed: z.iso
      .date()
      .nullable()
      .meta({
        description:
          'The day on which the calendar of upgrades was last compared with its sources. Null for a chain without one.',
        examples: ['2026-11-27'],
      }),
  })
  .meta({ id: 'BlockchainDetails' });

export const getBlockchain = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid',
  permission: 'api:blockchain:read',
  summary: 'One blockchain, and its upgrades',
  params: chainParams,
  responses: { 200: detailsSchema },
  handle: async ({ params, origin }, { chains, settings }) => {
    const gid = normalizeChainGid(params.chain_gid);
    const record = await chains.find(gid);
    if (!record) throw notFound(`There is no blockchain ${gid} in this service.`);
    const {
      head_number: head,
      block_time_ms: measured,
      configured_block_time_ms: configured,
    } = record.sync ?? {};
    const pace = { headNumber: head ?? undefined, blockTimeMs: measured ?? configured ?? undefined };
    const upgrades = selectUpgrades(settings.upgrades.list(gid), Date.now(), pace).map(toUpgradeRecord);
    return {
      status: 200,
      body: {
        ...withLogo(record, baseOf(origin, { settings })),
        upgrades,
        upgrades_reviewed: settings.upgrades.findReviewed(gid) ?? null,
      },
    };
  },
});
