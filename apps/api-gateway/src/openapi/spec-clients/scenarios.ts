// SPDX-License-Identifier: Apache-2.0
/** What every program does, and answers with: its types are those of the generated client. */
const STEPS = `
export interface Settings { readonly managementKey: string; readonly projectId: string }
export interface Outcome {
  readonly baseUrl: string;
  readonly created: string | null;
  readonly found: readonly string[];
  readonly second: { readonly page: number; readonly total: number; readonly items: number };
  readonly status: number | undefined;
  readonly fields: readonly string[] | undefined;
}
const EVM = ['0x00000000219ab540356cBB839Cbe05303d7705Fa', '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'] as const;
const PERMISSIONS: ('api:address:read' | 'api:address:write')[] = ['api:address:read', 'api:address:write'];
`;

/** A program over the client of @hey-api/openapi-ts. */
export const HEY_API_PROGRAM = `import { createExternalAddress, createKey, listAddresses } from './client/index.js';
import type { Address } from './client/index.js';
import { client } from './client/client.gen.js';
${STEPS}
export async function run({ managementKey, projectId }: Settings): Promise<Outcome> {
  client.setConfig({ auth: managementKey });
  const key = await createKey({
    body: { type: 'api', name: 'hey-api', project_id: projectId, permissions: PERMISSIONS },
    throwOnError: true,
  });
  client.setConfig({ auth: key.data.key });
  for (const [index, value] of EVM.entries())
    await createExternalAddress({
      body: { value, chain_family: 'evm', metadata: { shop: String(7 + index) } },
      throwOnError: true,
    });
  const found = await listAddresses({
    query: { chain_families: ['evm', 'tron'], metadata: { shop: '7' } },
    throwOnError: true,
  });
  const second = await listAddresses({ query: { limit: 1, page: 2 }, throwOnError: true });
  const refused = await listAddresses({ query: { limit: 500 } });
  return {
    baseUrl: client.getConfig().baseUrl!,
    created: importedAt(found.data.items[0]!),
    found: found.data.items.map(({ address }) => address),
    second: { page: second.data.meta.page, total: second.data.meta.total, items: second.data.items.length },
    status: refused.error?.status,
    fields: refused.error?.fields?.map(({ name }) => name),
  };
}

/** Narrowed by the discriminator. */
function importedAt(address: Address): string | null {
  return address.kind === 'external' ? address.imported_at : address.public_key_id;
}
`;

/** A program over the client of swagger-typescript-api, on axios: its lists are \`name[]\`, its objects \`name[key]\`. */
export const SWAGGER_AXIOS_PROGRAM = `import { isAxiosError } from 'axios';
import { Api } from './api.js';
import type { Problem } from './api.js';
${STEPS}
export async function run({ managementKey, projectId }: Settings): Promise<Outcome> {
  const management = new Api({ headers: { 'X-Api-Key': managementKey } });
  const key = await management.management.createKey({
    type: 'api', name: 'swagger-axios', project_id: projectId, permissions: PERMISSIONS,
  });
  const { addresses, instance } = new Api({ headers: { 'X-Api-Key': key.data.key } });
  for (const [index, value] of EVM.entries())
    await addresses.createExternalAddress({ value, chain_family: 'evm', metadata: { shop: String(7 + index) } });
  const found = await addresses.listAddresses({ chain_families: ['evm', 'tron'], metadata: { shop: '7' } });
  const second = await addresses.listAddresses({ limit: 1, page: 2 });
  const problem = await addresses.listAddresses({ limit: 500 }).then(
    () => undefined,
    (error: unknown) => (isAxiosError<Problem>(error) ? error.response?.data : undefined),
  );
  return {
    baseUrl: instance.defaults.baseURL!,
    created: null,
    found: found.data.items.map(({ address }) => address),
    second: { page: second.data.meta.page, total: second.data.meta.total, items: second.data.items.length },
    status: problem?.status,
    fields: problem?.fields?.map(({ name }) => name),
  };
}
`;

/** On fetch, its own URLs hold no objects: a filter on metadata is left out. */
export const SWAGGER_FETCH_PROGRAM = `import { Api } from './api.js';
import type { HttpResponse, Problem } from './api.js';
${STEPS}
export async function run({ managementKey, projectId }: Settings): Promise<Outcome> {
  const withKey = (key: string) => new Api({ baseApiParams: { headers: { 'X-Api-Key': key } } });
  const management = withKey(managementKey);
  const key = await management.management.createKey({
    type: 'api', name: 'swagger-fetch', project_id: projectId, permissions: PERMISSIONS,
  });
  const { addresses, baseUrl } = withKey(key.data.key);
  for (const [index, value] of EVM.entries())
    await addresses.createExternalAddress({ value, chain_family: 'evm', groups: [String(7 + index)] });
  const found = await addresses.listAddresses({ chain_families: ['evm', 'tron'], groups: ['7'] });
  const second = await addresses.listAddresses({ limit: 1, page: 2 });
  const problem = await addresses.listAddresses({ limit: 500 }).then(
    () => undefined,
    (error: HttpResponse<unknown, Problem>) => error.error,
  );
  return {
    baseUrl,
    created: null,
    found: found.data.items.map(({ address }) => address),
    second: { page: second.data.meta.page, total: second.data.meta.total, items: second.data.items.length },
    status: problem?.status,
    fields: problem?.fields?.map(({ name }) => name),
  };
}
`;
