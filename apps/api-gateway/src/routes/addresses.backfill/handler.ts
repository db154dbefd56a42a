// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { unprocessableEntity } from '@chainwatch/common/problem';
import {
  askForHistories,
  findHistoryStarts,
  historySchema,
  readActiveChains,
} from '../../addresses/ask-for-history.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { findNetworkGids } from '../../addresses/parse-address.ts';
import { readAddressById } from '../../addresses/read-addresses.ts';
import { addressParams } from '../../records/address-input.ts';
import { addressSchema } from '../../records/address.ts';
import { defineRoute } from '../../define-route.ts';

export const backfillAddress = defineRoute({
  method: 'POST',
  path: '/addresses/:address/actions/backfill',
  permission: 'api:address:write',
  summary: 'Read what an address did before it was monitored',
  params: addressParams,
  body: z.strictObject({ history: historySchema }),
  example: { history: { 'eip155:1': 21_000_000 } },
  responses: { 202: addressSchema },
  problems: [422],
  handle: async ({ params, body, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    const { id, projectId, chainFamily, address, display, isMonitored } = row;
    if (!isMonitored)
      throw unprocessableEntity(
        `The address ${display} is not monitored, so that its past would have no end.`,
      );
    const networkGids = await findNetworkGids(chainFamily, address);
    const active = await readActiveChains(deps.db, chainFamily);
    const starts = findHistoryStarts(active, { chainFamily, networkGids }, body);
    await deps.db.transaction((sql) => askForHistories(sql, chainFamily, [{ id, projectId, starts }]));
    return { status: 202, body: await readAddressById(deps, principal, id) };
  },
});
