// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { generateFiles, names } from '@nx/devkit';
import { join } from 'node:path';
import { editFile } from '../edit-file.mjs';

/** @typedef {import('@nx/devkit').Tree} Tree */
/** @typedef {{ name: string, method?: string, path?: string, permission?: string }} EndpointOptions */

const GATEWAY = 'apps/api-gateway/src';
const ROUTE_TABLE = `${GATEWAY}/route-table.ts`;
const PERMISSIONS = `${GATEWAY}/auth/permissions.spec.ts`;

/**
 * `nx g @chainwatch/tools:endpoint addresses.tag`
 * @param {Tree} tree
 * @param {EndpointOptions} options
 * @returns {() => void} writes the method of the SDK
 */
export default function generateEndpoint(tree, options) {
  const [resource = '', action = ''] = options.name.split('.');
  const folder = `${GATEWAY}/routes/${options.name}`;
  if (tree.exists(folder))
    throw new Error(`expected a new name, got ${options.name}, which is a route already`);
  const method = options.method ?? (/^(get|list)$/.test(action) ? 'GET' : 'POST');
  const path = options.path ?? `/${resource.replaceAll('-', '_')}/actions/${action.replaceAll('-', '_')}`;
  const permission = options.permission ?? findPermission(tree, resource, method);
  const operation = `${names(action).propertyName}${names(resource).className}`;
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  generateFiles(tree, join(import.meta.dirname, 'files'), folder, {
    operation,
    method,
    path,
    permission,
    parameters,
    keyType: permission.startsWith('mgt:') ? 'management' : 'api',
    tmpl: '',
  });
  editFile(tree, ROUTE_TABLE, [
    [
      /(?:^import [^;]*;\n)+/m,
      (imports) => `${imports}import { ${operation} } from './routes/${options.name}/handler.ts';\n`,
    ],
    [/ {2}\.\.\.managementRoutes,\n/, (last) => `  ${operation},\n${last}`],
  ]);
  editFile(tree, PERMISSIONS, [
    [/const EXPECTED[^]*?\n(?=\};)/, (table) => `${table}  '${method} ${path}': '${permission}',\n`],
  ]);
  return () => {
    execFileSync(process.execPath, ['--import', 'tsx', 'tools/sdk/src/main.ts'], {
      cwd: tree.root,
      stdio: 'inherit',
    });
  };
}

/**
 * That of any route of the resource, for reading or writing.
 * @param {Tree} tree
 * @param {string} resource
 * @param {string} method
 */
function findPermission(tree, resource, method) {
  const handler = tree
    .children(`${GATEWAY}/routes`)
    .filter((route) => route.startsWith(`${resource}.`))
    .map((route) => tree.read(`${GATEWAY}/routes/${route}/handler.ts`, 'utf8'))
    .find((text) => /permission: '\w+:\w+:(read|write)'/.test(text ?? ''));
  const [, subject] = /permission: '(\w+:\w+):(?:read|write)'/.exec(handler ?? '') ?? [];
  if (subject === undefined)
    throw new Error(`expected --permission: no route of ${resource} says which words its permissions have`);
  return `${subject}:${method === 'GET' ? 'read' : 'write'}`;
}
