// SPDX-License-Identifier: Apache-2.0
import { connectAs } from '../client.ts';
import { bodyChecks } from './bodies.ts';
import { check, interpret, UncheckedClaimError, type Check } from './check.ts';
import { demand } from './demand.ts';
import { ENDPOINT_SAMPLES, BODY_VALUES, type EndpointSample } from './endpoint-samples.ts';
import { expectProblem } from './errors.ts';
import { expectRefused } from './fields.ts';
import { unknownValues, type Ground } from './ground.ts';
import { parameterChecks } from './parameters.ts';
import { PAYLOADS } from './payloads.ts';
import { codesOf, type Row } from './read-tables.ts';
import { fill, sendSample, type Endpoint } from './send-sample.ts';
import { findTable } from './specification.ts';

/** A row of a table of endpoints: that the path is there and guarded, and what its cells say of requests and responses. */
export function endpointChecks(row: Row): Check[] {
  const endpoint = { method: row.cells['Method']!, path: codesOf(row.cells['Path']!)[0]! };
  const payload = row.cells['Payload'];
  const told =
    payload === undefined
      ? [
          ...requestChecks(endpoint, row.cells['Request']!),
          ...interpret(row.cells['Response']!, RESPONSES, endpoint),
        ]
      : [payloadCheck(endpoint, payload)];
  return [...doorChecks(endpoint), ...told];
}

type MakeSample = (ground: Ground) => Promise<EndpointSample>;

/** What every path does before it looks at its request. */
export function doorChecks(
  endpoint: Endpoint,
  sample: MakeSample | undefined = ENDPOINT_SAMPLES[`${endpoint.method} ${endpoint.path}`],
): Check[] {
  const { method, path } = endpoint;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  // A token that is not there yet is made by its POST, and a chain's own state comes before its node's.
  const isOfSomething = names.length > 0 && `${method} ${path}` !== 'POST /tokens/{chain_gid}/{asset_path}';
  // Those that have a form of their own in the table of identifier formats.
  const formed = names.filter((one) => one.endsWith('_id') || ['chain_gid', 'asset_path'].includes(one));
  return [
    methodCheck(endpoint),
    ...keyChecks(endpoint),
    ...(isOfSomething ? [absenceCheck(endpoint, sample)] : []),
    ...(method === 'POST' || method === 'PATCH' ? [mediaTypeCheck(endpoint)] : []),
    ...formed.map((name) => formCheck(endpoint, name, sample)),
  ];
}

function methodCheck({ method, path }: Endpoint): Check {
  return check(`${path} has the method ${method}`, async ({ api, values }) => {
    // One that no path has.
    const reply = await api('PROPFIND', fill(path, values));
    const allowed = (reply.headers.get('allow') ?? '').split(/,\s*/);
    demand(reply.status === 405 && allowed.includes(method), `405 that allows ${method}`, [
      reply.status,
      allowed,
    ]);
  });
}

function keyChecks({ method, path }: Endpoint): Check[] {
  const refuses = async (ground: Ground, key: string | undefined, status: number): Promise<void> =>
    expectProblem(ground, {
      reply: await connectAs(ground.stack.apiUrl, key)(method, fill(path, ground.values)),
      expected: status,
      title: titleOf(ground, status),
    });
  return [
    check('needs a key', (ground) => refuses(ground, undefined, 401)),
    // Of no resource, so of no permission (decisions.md §3).
    ...(path === '/version'
      ? []
      : [
          check('needs a key with the permission', (ground) =>
            refuses(ground, ground.stack.tenant.keys.rpc, 403),
          ),
        ]),
  ];
}

function absenceCheck({ method, path }: Endpoint, makeSample: MakeSample | undefined): Check {
  return check(`is 404 where nothing is at ${path}`, async (ground) => {
    const sample = await makeSample?.(ground);
    const body =
      sample?.body ??
      Object.fromEntries(
        Object.entries(BODY_VALUES).filter(([name]) => method === 'PATCH' && name === 'name'),
      );
    const hasBody = Object.keys(body as object).length > 0;
    await expectProblem(ground, {
      reply: await ground.api(
        method,
        fill(path, unknownValues()) + (sample?.query ?? ''),
        hasBody ? body : undefined,
      ),
      expected: 404,
      title: titleOf(ground, 404),
    });
  });
}

function mediaTypeCheck({ method, path }: Endpoint): Check {
  return check('takes bodies as application/json only', async (ground) => {
    const { status, body } = await ground.api(method, fill(path, ground.values), '{"a":1}', {
      'content-type': 'text/plain',
    });
    demand(status === 415 && (body as { status?: unknown }).status === 415, '415 (decisions.md 1.8)', {
      status,
      body,
    });
  });
}

function formCheck({ method, path }: Endpoint, name: string, makeSample: MakeSample | undefined): Check {
  return check(`is 400 where ${name} has another form`, async (ground) => {
    const sample = await makeSample?.(ground);
    await expectRefused(ground.api, {
      path: fill(path, { ...ground.values, ...sample?.values, [name]: 'x' }) + (sample?.query ?? ''),
      body: sample?.body,
      field: name,
      method,
    });
  });
}

function titleOf({ specification }: Ground, status: number): string {
  return (
    findTable(specification, { heading: 'Errors', column: 'Condition' }).rows.find(
      ({ cells }) => cells['Status'] === String(status),
    )?.cells['Title'] ?? 'in the table of errors'
  );
}

function payloadCheck(endpoint: Endpoint, payload: string): Check {
  const prove = PAYLOADS[payload];
  if (prove === undefined) throw new UncheckedClaimError(payload);
  return check(payload, (ground) => prove(ground, endpoint));
}

function requestChecks(endpoint: Endpoint, request: string): readonly Check[] {
  if (request.startsWith('query: ')) return parameterChecks(endpoint, request.slice('query: '.length));
  return bodyChecks(endpoint, request);
}

type ResponsePhrase = readonly [RegExp, (match: RegExpExecArray, endpoint: Endpoint) => Check];

const RESPONSES: readonly ResponsePhrase[] = [
  [
    /pagination envelope of (\w+)/,
    ([, resource], endpoint) =>
      check(`answers a page of ${resource}`, async (ground) => {
        const { status, body, target } = await sendSample(ground, endpoint);
        const { items, meta } = (body ?? {}) as { items?: unknown[]; meta?: Record<string, unknown> };
        demand(
          status === 200 && Array.isArray(items) && items.length > 0 && meta !== undefined,
          `items and meta of ${target}`,
          body,
        );
        for (const { cells } of findTable(ground.specification, {
          heading: 'Pagination envelope',
          column: 'Constraint',
        }).rows)
          demand(codesOf(cells['meta field']!)[0]! in meta, `meta.${cells['meta field']}`, meta);
        for (const item of items) expectRecord(ground, resource!, item);
      }),
  ],
  [
    /(Blockchain|Block|channel)/,
    ([, resource], endpoint) =>
      check(`answers a ${resource}`, async (ground) => {
        const { status, body } = await sendSample(ground, endpoint, { body: bodyFor(endpoint, ground) });
        demand(status >= 200 && status < 300, 'success', { status, body });
        expectRecord(ground, resource!, body);
      }),
  ],
  [
    /(?:no content|deletes the channel)/,
    (_, endpoint) =>
      check('answers nothing', async (ground) => {
        const { status, body, target } = await sendSample(ground, endpoint);
        demand(status >= 200 && status < 300 && body === undefined, 'success without content', {
          status,
          body,
        });
        if (endpoint.method === 'DELETE')
          demand((await ground.api('GET', target)).status === 404, '404 afterwards', target);
      }),
  ],
  [
    /no content \((\d+) or (\d+) listed\); 400 with `fields`, 404, default problem/,
    ([, one, other], endpoint) =>
      check(`answers ${one} or ${other}, 400 with fields, or 404`, async (ground) => {
        const { status, body } = await sendSample(ground, endpoint);
        demand(
          [one, other].includes(String(status)) && body === undefined,
          `${one} or ${other} without content`,
          { status, body },
        );
        const bad = await ground.api(
          endpoint.method,
          fill(endpoint.path, { ...ground.values, asset_path: 'x' }),
        );
        demand(
          bad.status === 400 &&
            (bad.body as { fields: { name: string }[] }).fields.some(({ name }) => name === 'asset_path'),
          '400 that names asset_path',
          bad,
        );
      }),
  ],
  [
    /(?:archives \(disables\)|restores) the channel/,
    ([text], endpoint) =>
      check(text, async (ground) => {
        const { status, body } = await sendSample(ground, endpoint);
        demand(
          status >= 200 &&
            status < 300 &&
            (body as Record<string, unknown>)['is_archived'] === text.startsWith('archives'),
          text,
          { status, body },
        );
      }),
  ],
];

/** Where the specification names every member of the body and the samples hold none. */
function bodyFor({ method, path }: Endpoint, { specification }: Ground): unknown {
  if (`${method} ${path}` in ENDPOINT_SAMPLES && method !== 'PATCH') return undefined;
  const row = specification.tables
    .flatMap(({ rows }) => rows)
    .find(({ cells }) => cells['Method'] === method && codesOf(cells['Path'] ?? '')[0] === path);
  const kind = /\/notification_channels\/(nats|telegram)/.exec(path)?.[1];
  if (kind === undefined) return undefined;
  const names = codesOf(row?.cells['Request'] ?? '').flatMap((code) => code.replace(/[{}]/g, '').split(', '));
  return Object.fromEntries(names.map((name) => [name, BODY_VALUES[name]]));
}

/** Every field of the resource's table is there, by any name that the table has. */
function expectRecord({ specification }: Ground, resource: string, record: unknown): void {
  const heading = /^channels?$/.test(resource) ? 'Notification channel' : resource;
  for (const { cells } of findTable(specification, { heading, column: 'Field' }).rows) {
    const field = codesOf(cells['Field']!)[0]!;
    demand(
      typeof record === 'object' && record !== null && field in record,
      `${heading} with ${field}`,
      record,
    );
  }
}
