// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import type { StatementKeys } from '@chainwatch/verify';
import { queryOptions } from '@tanstack/react-query';
import { actingHeaders, api, bodyOf, fileOf } from './client.ts';
import { reach } from './connection.ts';
import { listOptions } from './queries.ts';

export type Statement = components['schemas']['Statement'];

/** The service writes a small statement within seconds. */
const WRITING_MS = 2_000;
/** Public keys of the service, which need no session. */
export const KEYS_PATH = '/.well-known/chainwatch-keys';

export const statementsQuery = (statuses: readonly string[] | undefined) =>
  listOptions<Statement>(['statements', 'list', statuses], (page, signal) =>
    bodyOf(
      api.GET('/statements', {
        params: { query: { ...page, statuses: statuses as Statement['status'][] | undefined } },
        signal,
      }),
    ),
  );

export const statementQuery = (id: string) =>
  queryOptions({
    queryKey: ['statements', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/statements/{statement_id}', { params: { path: { statement_id: id } }, signal })),
    refetchInterval: ({ state }) => (isWriting(state.data) ? WRITING_MS : false),
  });

export function isWriting(statement: Pick<Statement, 'status'> | undefined): boolean {
  return statement?.status === 'queued' || statement?.status === 'running';
}

export function downloadStatement(id: string): Promise<Blob> {
  const path = { statement_id: id };
  return fileOf(api.GET('/statements/{statement_id}/download', { params: { path }, parseAs: 'blob' }));
}

/** The document as it arrives: it may be larger than the memory of the page. @throws Error */
export async function openStatement(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const answer = await reach(`/v1/statements/${id}/download`, { headers: actingHeaders(), signal });
  if (!answer.ok || answer.body === null) throw new Error(`The download answered ${answer.status}.`);
  return readPieces(answer.body);
}

async function* readPieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** @throws Error */
export async function readStatementKeys(signal: AbortSignal): Promise<StatementKeys> {
  const answer = await fetch(KEYS_PATH, { signal });
  if (!answer.ok) throw new Error(`${KEYS_PATH} answered ${answer.status}.`);
  return (await answer.json()) as StatementKeys;
}
