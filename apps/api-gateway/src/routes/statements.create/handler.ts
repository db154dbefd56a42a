// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { serviceUnavailable, tooManyRequests, unprocessableEntity } from '@chainwatch/common/problem';
import { findAddresses } from '../../addresses/find-addresses.ts';
import { recordChange } from '../../management/record-change.ts';
import {
  STATEMENT_FORMATS,
  statementSchema,
  toStatementRecord,
  type StatementRequest,
} from '../../records/statement.ts';
import { defineRoute } from '../../define-route.ts';
import { ADDRESSES_MAX, findStated } from '../../statements/find-stated.ts';
import { shownRequest } from '../../statements/shown-request.ts';
import { chainGidSchema } from '@chainwatch/common/caip';
import { groupNameSchema } from '@chainwatch/channels';
import { addressParams } from '../../records/address-input.ts';

const NAMED_MAX = 1_000;
const CHAINS_MAX = 100;
const DAYS_MAX = 366;
const DAY_MS = 86_400_000;
/** Clocks of clients may be ahead. */
const AHEAD_MS = 60_000;

const SELECTORS = ['addresses', 'group', 'public_key_id'] as const;

const newStatementSchema = z
  .strictObject({
    addresses: z
      .array(addressParams.shape.address)
      .min(1)
      .max(NAMED_MAX)
      .optional()
      .meta({
        description:
          'Addresses of the project, maximum 1,000, in any supported format of their family. Exactly one of `addresses`, `group` and `public_key_id` selects the addresses.',
        examples: [['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']],
      }),
    group: groupNameSchema.optional().meta({
      description: 'All addresses of a group, at most 10,000.',
      examples: ['customers'],
    }),
    public_key_id: z
      .uuid()
      .optional()
      .meta({
        description: 'All addresses derived from a public key, at most 10,000.',
        examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
      }),
    chain_gids: z
      .array(chainGidSchema)
      .min(1)
      .max(CHAINS_MAX)
      .optional()
      .meta({
        description: 'Only these chains (CAIP-2). Default: all chains of the addresses.',
        examples: [['eip155:1']],
      }),
    from: z.iso.datetime({ offset: true }).meta({
      description: 'The beginning of the period, inclusive.',
      examples: ['2026-10-01T00:00:00Z'],
    }),
    to: z.iso.datetime({ offset: true }).meta({
      description: 'The end of the period, exclusive: at most 366 days later, and not in the future.',
      examples: ['2026-11-01T00:00:00Z'],
    }),
    format: z
      .enum(STATEMENT_FORMATS)
      .default('ndjson')
      .meta({
        description:
          'Of the document: `ndjson`, one JSON object a line, the last one its signature; `csv`, one table; `html`, one page to print.',
        examples: ['ndjson'],
      }),
  })
  .superRefine((body, ctx) => {
    const named = SELECTORS.filter((name) => body[name] !== undefined);
    if (named.length !== 1)
      ctx.addIssue({
        code: 'custom',
        path: [named[1] ?? 'addresses'],
        message: `expected exactly one of ${SELECTORS.join(', ')}, got ${named.length === 0 ? 'none' : named.join(' and ')}`,
      });
    const [from, to] = [Date.parse(body.from), Date.parse(body.to)];
    if (to <= from) ctx.addIssue({ code: 'custom', path: ['to'], message: 'expected a time after from' });
    if (to - from > DAYS_MAX * DAY_MS)
      ctx.addIssue({ code: 'custom', path: ['to'], message: `expected at most ${DAYS_MAX} days after from` });
    if (to > Date.now() + AHEAD_MS)
      ctx.addIssue({ code: 'custom', path: ['to'], message: 'expected a time that is not in the future' });
  });

type Body = z.output<typeof newStatementSchema>;

/** Statements of a workspace that are queued or being written. */
const OPEN_MAX = 2;
/** Statements of a workspace that are kept: each may be large. */
const KEPT_MAX = 1_000;
const RETRY_AFTER_SECONDS = 10;
const NAMED_FAULTS = 20;

export const createStatement = defineRoute({
  method: 'POST',
  path: '/statements',
  permission: 'api:statement:write',
  summary: 'Have a signed statement of balances and movements written',
  body: newStatementSchema,
  example: {
    addresses: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
    from: '2026-10-01T00:00:00Z',
    to: '2026-11-01T00:00:00Z',
    format: 'ndjson',
  },
  responses: { 202: statementSchema },
  problems: [422],
  handle: async ({ body, principal, requestId }, deps) => {
    if (deps.statements === undefined)
      throw serviceUnavailable(
        'This installation has no key to sign statements with: set STATEMENT_KEY of the API gateway to 32 random bytes as base64.',
      );
    const request = await resolveRequest(deps.db, principal, body);
    const found = await findStated(deps.db, principal.projectId, request);
    expectAddresses(body, found.length);
    const id = await deps.db.transaction(async (sql) => {
      await takeTurn(sql, principal.workspaceId);
      const { rows } = await sql.query<{ id: string }>(
        'INSERT INTO statements (project_id, request, format, address_count) VALUES ($1, $2, $3, $4) RETURNING id',
        [principal.projectId, JSON.stringify(request), body.format, found.length],
      );
      await recordChange(
        sql,
        { principal, requestId },
        {
          action: 'statement.created',
          targetId: rows[0]!.id,
          to: { ...shownRequest(request), format: body.format },
        },
      );
      return rows[0]!.id;
    });
    deps.statements.call();
    const row = await deps.prisma.statement.findUniqueOrThrow({ where: { id } });
    return { status: 202, body: toStatementRecord(row) };
  },
});

/** @throws ProblemError 422 that names what the project does not have */
async function resolveRequest(sql: Sql, principal: Principal, body: Body): Promise<StatementRequest> {
  const { addresses, group, public_key_id } = body;
  const found = addresses && (await findAddresses(sql, principal, addresses));
  const unknown = [...new Set(addresses?.filter((input) => found?.has(input) !== true))];
  if (unknown.length > 0)
    throw unprocessableEntity(
      `The project does not have ${unknown.length === 1 ? 'this address' : `${unknown.length} of these addresses`}.`,
      unknown
        .slice(0, NAMED_FAULTS)
        .map((input) => ({ name: 'addresses', reason: `expected addresses of the project, got ${input}` })),
    );
  const byId = new Map([...(found?.values() ?? [])].map(({ id, display }) => [id, display]));
  return {
    ...(found && { address_ids: [...byId.keys()], addresses: [...byId.values()] }),
    ...{ group, public_key_id, chain_gids: (await resolveChains(sql, body.chain_gids)) ?? null },
    ...{ from: new Date(body.from).toISOString(), to: new Date(body.to).toISOString() },
  };
}

async function resolveChains(sql: Sql, wanted: readonly string[] | undefined): Promise<string[] | undefined> {
  if (wanted === undefined) return undefined;
  const gids = [...new Set(wanted.map(normalizeChainGid))];
  const { rows } = await sql.query<{ gid: string }>('SELECT gid FROM blockchains WHERE gid = ANY ($1)', [
    gids,
  ]);
  const known = new Set(rows.map(({ gid }) => gid));
  const unknown = gids.filter((gid) => !known.has(gid));
  if (unknown.length > 0)
    throw unprocessableEntity(
      `The service does not have ${unknown.join(', ')}.`,
      unknown.map((gid) => ({
        name: 'chain_gids',
        reason: `expected blockchains of the service, got ${gid}`,
      })),
    );
  return gids;
}

/** @throws ProblemError 422 */
function expectAddresses(body: Body, count: number): void {
  const name = body.group === undefined ? 'public_key_id' : 'group';
  if (count === 0)
    throw unprocessableEntity('The statement has no address.', [
      { name, reason: 'expected one with addresses of the project' },
    ]);
  if (count > ADDRESSES_MAX)
    throw unprocessableEntity('The statement has too many addresses.', [
      { name, reason: `expected at most ${ADDRESSES_MAX.toLocaleString('en')} addresses` },
    ]);
}

/** Others of the workspace wait until the transaction ends. @throws ProblemError 429; 422 when it keeps too many */
async function takeTurn(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended('statements ' || $1::text, 0))`, [
    workspaceId,
  ]);
  const { rows } = await sql.query<{ open: number; kept: number }>(
    `SELECT count(*) FILTER (WHERE s.status IN ('queued', 'running')) AS open, count(*) AS kept
     FROM projects p JOIN statements s ON s.project_id = p.id WHERE p.workspace_id = $1`,
    [workspaceId],
  );
  const { open, kept } = rows[0]!;
  if (open >= OPEN_MAX)
    throw tooManyRequests(
      RETRY_AFTER_SECONDS,
      `A workspace may have ${OPEN_MAX} statements that are not finished.`,
    );
  if (kept >= KEPT_MAX)
    throw unprocessableEntity(
      `A workspace may keep ${KEPT_MAX.toLocaleString('en')} statements: delete some.`,
    );
}
