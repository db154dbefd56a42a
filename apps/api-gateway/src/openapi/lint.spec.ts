// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

interface Exception {
  readonly rule: string;
  readonly pointer: string;
  readonly reason: string;
}

const ROOT = new URL('../../', import.meta.url);
const exceptions = JSON.parse(readFileSync(new URL('redocly-exceptions.json', ROOT), 'utf8')) as Exception[];

/** What the linter says of a document, errors and warnings, as `rule pointer: message`. */
async function lint(document: unknown, name: string): Promise<string[]> {
  const config = await loadConfig({ configPath: fileURLToPath(new URL('redocly.yaml', ROOT)) });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: fileURLToPath(new URL(name, ROOT)),
    config,
  });
  return problems.map(({ ruleId, location: [place], message }) => `${ruleId} ${place?.pointer}: ${message}`);
}

const isAccepted = (problem: string): boolean =>
  exceptions.some(({ rule, pointer }) => problem.startsWith(`${rule} ${pointer}: `));

describe('the documents that the service serves', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  const read = async (path: string): Promise<object> =>
    (await world.send('get', path).expect(200)).body as object;

  it('/openapi.json has no error and no warning beside the listed ones, and each of those', async () => {
    const problems = await lint(await read('/openapi.json'), 'openapi.json');
    expect(problems.filter((problem) => !isAccepted(problem))).toEqual([]);
    expect(
      exceptions.filter(
        ({ rule, pointer }) => !problems.some((one) => one.startsWith(`${rule} ${pointer}: `)),
      ),
    ).toEqual([]);
    expect(exceptions.every(({ reason }) => reason.length > 5)).toBe(true);
  });

  it('/asyncapi.json has no error and no warning', async () => {
    expect(await lint(await read('/asyncapi.json'), 'asyncapi.json')).toEqual([]);
  });

  it('is read by the linter at all', async () => {
    const { paths, ...others } = (await read('/openapi.json')) as { paths: Record<string, object> };
    const [[path, item]] = Object.entries(paths) as [[string, Record<string, object>]];
    const wrong = { ...others, paths: { ...paths, [path]: { get: { ...item.get, summary: undefined } } } };
    expect((await lint(wrong, 'openapi.json')).filter((one) => !isAccepted(one))).toEqual([
      expect.stringMatching(/^operation-summary /),
    ]);
    const asyncApi = await read('/asyncapi.json');
    expect(await lint({ ...asyncApi, channels: { x: { address: 1 } } }, 'asyncapi.json')).not.toEqual([]);
  });
});
