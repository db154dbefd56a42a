// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { generateApi } from 'swagger-typescript-api';
import { repoDir } from '@chainwatch/testing/host';

export interface Program {
  readonly name: string;
  run(settings: { readonly managementKey: string; readonly projectId: string }): Promise<unknown>;
}

const NODE_MODULES = join(repoDir, 'node_modules');

/** Generates each client from `document` below `folder`, checks its types with those of its program, and loads it. */
export async function generateClients(document: object, folder: string): Promise<Program[]> {
  const input = join(folder, 'openapi.json');
  await writeFile(input, JSON.stringify(document));
  const paths = [
    await generateHeyApi(input, folder),
    await generateSwagger(input, folder, 'fetch'),
    await generateSwagger(input, folder, 'axios'),
  ];
  await checkTypes(folder);
  return Promise.all(paths.map((path) => load(folder, path)));
}

async function generateHeyApi(input: string, folder: string): Promise<string> {
  // Headers of answers are no part of its client, and it says so for each reference to one.
  const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  await createClient({
    input,
    output: join(folder, 'hey-api/client'),
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    // The aliases.
    parser: { filters: { deprecated: false } },
    logs: { level: 'silent', file: false },
  });
  warnings.mockRestore();
  await writeFile(join(folder, 'hey-api/program.ts'), HEY_API_PROGRAM);
  return 'hey-api';
}

async function generateSwagger(input: string, folder: string, transport: 'fetch' | 'axios'): Promise<string> {
  const name = `swagger-${transport}`;
  await mkdir(join(folder, name));
  await generateApi({
    input,
    output: join(folder, name),
    fileName: 'api.ts',
    httpClientType: transport,
    silent: true,
    hooks: {
      // The aliases.
      onCreateRoute: (route) => ('x-internal' in route.raw ? false : route),
    },
  });
  const program = transport === 'axios' ? SWAGGER_AXIOS_PROGRAM : SWAGGER_FETCH_PROGRAM;
  await writeFile(join(folder, name, 'program.ts'), program);
  return name;
}

/** @throws Error with the compiler's complaints */
async function checkTypes(folder: string): Promise<void> {
  const options = {
    compilerOptions: {
      ...{
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2023', 'dom', 'dom.iterable'],
      },
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
      paths: { axios: [join(NODE_MODULES, 'axios')] },
    },
    include: ['*/**/*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  const compiler = join(NODE_MODULES, 'typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
    (error: { stdout?: string }) => {
      throw new Error(`the generated clients do not compile:\n${error.stdout ?? String(error)}`);
    },
  );
}

async function load(folder: string, name: string): Promise<Program> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(folder, name, 'program.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    tsconfigRaw: '{}',
    nodePaths: [NODE_MODULES],
    // axios has parts that call `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const { run } = (await import(pathToFileURL(outfile).href)) as Pick<Program, 'run'>;
  return { name, run };
}

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
const HEY_API_PROGRAM = `import { createExternalAddress, createKey, listAddresses } from './client/index.js';
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
const SWAGGER_AXIOS_PROGRAM = `import { isAxiosError } from 'axios';
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
const SWAGGER_FETCH_PROGRAM = `import { Api } from './api.js';
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
