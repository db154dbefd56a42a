// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { generateApi } from 'swagger-typescript-api';
import { repoDir } from '@chainwatch/host';
import { HEY_API_PROGRAM, SWAGGER_AXIOS_PROGRAM, SWAGGER_FETCH_PROGRAM } from './scenarios.ts';

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
