// SPDX-License-Identifier: Apache-2.0
import createClient from 'openapi-fetch';
import type { paths } from '@chainwatch/sdk';
import { probeWith, reach } from './connection.ts';

/** The project that requests act on, and of a person in several workspaces that one; so that no component passes them on. */
let projectId: string | undefined;
let workspaceId: string | undefined;

const projectListeners = new Set<() => void>();

export function actOn(id: string | undefined): void {
  projectId = id;
  for (const listener of projectListeners) listener();
}

/** Called when another project is acted on. @returns what ends that */
export function listenForProject(listener: () => void): () => void {
  projectListeners.add(listener);
  return () => projectListeners.delete(listener);
}

export function actingOn(): string | undefined {
  return projectId;
}

export function actIn(id: string | undefined): void {
  workspaceId = id;
}

export function actingIn(): string | undefined {
  return workspaceId;
}

/** @param isOfProject whether it is about the project, and not the workspace's */
export function actingHeaders(isOfProject = true): Record<string, string> {
  return {
    ...(workspaceId !== undefined && { 'X-Workspace-Id': workspaceId }),
    ...(isOfProject && projectId !== undefined && { 'X-Project-Id': projectId }),
  };
}

/** An answer that is none: what the API says of it, with the id that its log lines carry. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly fields: readonly { readonly name: string; readonly reason: string }[];

  constructor(status: number, problem: Problem, requestId: string | null) {
    super(problem.detail ?? problem.title ?? `The API answered ${status}.`);
    this.status = status;
    this.requestId = requestId ?? undefined;
    this.fields = problem.fields ?? [];
  }
}

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly fields?: readonly { readonly name: string; readonly reason: string }[];
}

let onSignedOut: () => void = () => undefined;

/** Called when the session turns out to have ended. */
export function listenForSignOut(listener: () => void): void {
  onSignedOut = listener;
}

export function noteSignedOut(): void {
  onSignedOut();
}

let onForbidden: () => void = () => undefined;

/** Called when the session has lost permissions: its role or key was changed. */
export function listenForRefusal(listener: () => void): void {
  onForbidden = listener;
}

export const api = createClient<paths>({
  baseUrl: '/v1',
  fetch: (request) => reach(request),
  // Filters of several values stand in one parameter.
  querySerializer: { array: { style: 'form', explode: false } },
});

api.use({
  onRequest({ request, schemaPath }) {
    // A session ends wherever it acted: a workspace that the person was removed from would refuse that, too.
    if (schemaPath === '/session' && request.method === 'DELETE') return request;
    // The management interface is the workspace's.
    const isOfProject = !schemaPath.startsWith('/management') && schemaPath !== '/session';
    for (const [name, value] of Object.entries(actingHeaders(isOfProject))) request.headers.set(name, value);
    return request;
  },
});

// Past `reach`, which asks this.
probeWith(async (signal) => {
  const { response } = await api.GET('/version', { signal, fetch: (request) => fetch(request) });
  return response.status;
});

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of an answer in JSON; exports, which are text, are not asked for. @throws ApiError */
export async function bodyOf<T>(asked: Promise<Answer<T>>): Promise<Exclude<NonNullable<T>, string>> {
  return (await takeData(asked)) as Exclude<NonNullable<T>, string>;
}

/** The body of an answer as it came, of a request with `parseAs: 'text'`. @throws ApiError */
export async function textOf(asked: Promise<Answer<unknown>>): Promise<string> {
  return String(await takeData(asked));
}

/** The body as a file, of a request with `parseAs: 'blob'`. @throws ApiError */
export async function fileOf(asked: Promise<Answer<unknown>>): Promise<Blob> {
  return (await takeData(asked)) as Blob;
}

async function takeData<T>(asked: Promise<Answer<T>>): Promise<T | undefined> {
  const { data, error, response } = await asked;
  if (response.ok) return data;
  if (response.status === 401) onSignedOut();
  if (response.status === 403) onForbidden();
  throw new ApiError(response.status, asProblem(error), response.headers.get('X-Request-Id'));
}

function asProblem(error: unknown): Problem {
  return typeof error === 'object' && error !== null ? (error as Problem) : {};
}
