// SPDX-License-Identifier: Apache-2.0
import { announceAddress } from '../../addresses/announce-address.ts';
import { importedSchema, importSchema } from '../../bulk/import-schemas.ts';
import { defineRoute } from '../../define-route.ts';

export const importAddresses = defineRoute({
  method: 'POST',
  path: '/addresses/external/batch',
  permission: 'api:address:write',
  summary: 'Import up to 10,000 addresses and monitor them from now on; entries fail and succeed one by one',
  isRepeatable: true,
  largeBody: {
    schema: importSchema,
    limitBytes: 8 * 1_024 * 1_024,
    example: {
      chain_family: 'evm',
      addresses: [
        { value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', label: 'Treasury', groups: ['own'] },
        { value: '0x00000000219ab540356cBB839Cbe05303d7705Fa', metadata: { customer_id: '1042' } },
      ],
    },
  },
  responses: { 200: importedSchema },
  problems: [422],
  handle: async ({ bytes, principal, requestId, signal }, deps) => {
    const answer = await deps.bulk.importAddresses({
      bytes: bytes!,
      author: { principal, requestId },
      signal,
      onChanged: ({ count, ...first }) => announceAddress(deps, first, count),
    });
    return { status: 200, body: answer };
  },
});
