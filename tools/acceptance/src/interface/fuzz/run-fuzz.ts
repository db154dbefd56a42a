// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {
  createContract,
  type Answer,
  type ContractDocument,
} from '../../../../../apps/api-gateway/src/spec-support/contract.ts';
import type { JsonSchema } from './arbitraries.ts';
import { arrangeKnown } from './arrange-known.ts';
import { attemptsFor, type Attempt, type Keys, type Operation } from './attempts.ts';
import { connectAs } from '../client.ts';
import type { InterfaceStack } from '../interface-stack.ts';
import { closeConnections, sendAttempt } from './send-attempt.ts';

type Document = ContractDocument & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

export interface FuzzResult {
  readonly sent: number;
  /** How many answers each status had. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Answers that no client may get, each with the request. */
  readonly faults: readonly string[];
}

/** Requests under way at once. */
const PARALLEL = 4;
const FAULTS_MAX = 30;
/** Operations that are asked with the same things in mind, unless one deleted them. */
const ARRANGE_EVERY = 16;

/** At least `count` requests over every operation of the document that the running gateway serves. */
export async function runFuzz(
  stack: InterfaceStack,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<FuzzResult> {
  const origin = new URL(stack.apiUrl).origin;
  const { body } = await connectAs(origin, undefined)('GET', '/openapi.json');
  const document = body as Document;
  const findBreach = createContract(document);
  const keys = await makeKeys(stack);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  let sent = 0;
  let known: Awaited<ReturnType<typeof arrangeKnown>> | undefined;
  for (const [index, { path, method, operation }] of operations.entries()) {
    if (index % ARRANGE_EVERY === 0) known = undefined;
    known ??= await arrangeKnown(stack);
    const words = { known, components: document.components.schemas };
    const attempts = fc.sample(attemptsFor(method, { path, operation, words, keys }), {
      seed: seed + index,
      numRuns: Math.ceil(count / operations.length),
    });
    await inParallel(attempts, async (attempt) => {
      sent += 1;
      const fault = await sendAttempt(origin, attempt).then(
        (answer) => {
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
          const problem = findFault(answer, operation, findBreach);
          return problem === undefined
            ? undefined
            : `${problem}\n  answer ${answer.status} ${answer.body.slice(0, 500)}`;
        },
        (error: unknown) => `no answer: ${String(error)}`,
      );
      if (fault !== undefined && faults.length < FAULTS_MAX)
        faults.push(`${fault}\n  request ${describe(attempt)}\n  seed ${seed}`);
    });
    if (method === 'delete') known = undefined;
  }
  closeConnections();
  return { sent, statuses, faults };
}

function findFault(
  answer: Answer,
  operation: Operation,
  findBreach: (answer: Answer) => string | undefined,
): string | undefined {
  const { status, method } = answer;
  // What is no HTTP, or has a head of more than 16 KiB, reaches no route: the parser refuses it.
  const isRefused =
    method === 'head'
      ? answer.headers['connection'] === 'close'
      : answer.body.startsWith('{"type":"about:blank"');
  if ((status === 400 || status === 431) && isRefused) return undefined;
  // A client may name a node that is not there: the operations where it can say so.
  if (status >= 500 && !(status === 502 && '502' in operation.responses)) return 'a failure of the server';
  const breach = findBreach(answer);
  if (breach !== undefined) return breach;
  if (
    status === 400 &&
    method !== 'head' &&
    !((JSON.parse(answer.body) as { fields?: unknown[] }).fields ?? []).length
  )
    return '400 names no field';
  return undefined;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

/** Keys of every type and state: of another project, with one permission only, revoked, expired, never made. */
async function makeKeys({
  fuzzedTenant: tenant,
  otherTenant,
  apiUrl,
  harness,
}: InterfaceStack): Promise<Keys> {
  const management = connectAs(apiUrl, tenant.keys.management);
  const make = async (body: object): Promise<{ id: string; key: string }> =>
    (
      await management('POST', '/management/keys', {
        name: 'fuzz',
        type: 'api',
        project_id: tenant.projectId,
        ...body,
      })
    ).body as never;
  const [reader, revoked, expired] = await Promise.all([
    make({ permissions: ['api:address:read'] }),
    make({ permissions: ['api:address:read'] }),
    make({ permissions: ['api:address:read'], expires_at: new Date(Date.now() + 3_600_000).toISOString() }),
  ]);
  await management('DELETE', `/management/keys/${revoked.id}`);
  await harness.db.query("UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1", [
    expired.id,
  ]);
  const unknown = [
    undefined,
    '',
    'x',
    'svc_api_',
    tenant.keys.api.slice(0, -1),
    `${tenant.keys.api}0`,
    tenant.keys.api.toUpperCase(),
    '\u00ff'.repeat(40),
    'x'.repeat(4_000),
    'svc_api_0123456789ABCDEFGHIJKLMN2YbPlI',
  ];
  return {
    valid: { api: tenant.keys.api, mgt: tenant.keys.management },
    others: [
      tenant.keys.rpc,
      otherTenant.keys.api,
      otherTenant.keys.management,
      reader.key,
      revoked.key,
      expired.key,
      ...unknown,
    ],
  };
}

function describe({ method, target, headers, body }: Attempt): string {
  const text =
    body === undefined
      ? ''
      : typeof body === 'string'
        ? JSON.stringify(body)
        : `bytes ${body.toString('hex')}`;
  return `${method} ${target.slice(0, 600)} ${JSON.stringify(headers)} ${text.slice(0, 600)}`;
}
