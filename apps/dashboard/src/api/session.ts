// SPDX-License-Identifier: Apache-2.0
import { createContext, useContext, useSyncExternalStore } from 'react';
import { queryOptions } from '@tanstack/react-query';
import { actIn, actingIn, actingOn, actOn, api, ApiError, bodyOf, listenForProject } from './client.ts';
import type { components } from '@chainwatch/sdk';

export type Session = components['schemas']['Session'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const session = await readSession();
    actOn(chooseProject(session)?.id);
    return session;
  },
  staleTime: 60_000,
  retry: false,
});

/** As in the workspace that the person chose; who is in one alone names none. */
async function readSession(): Promise<Session> {
  const ask = () => bodyOf(api.GET('/session'));
  const session = await ask().catch((error: unknown) => {
    // No longer a member there.
    if (!(error instanceof ApiError && error.status === 400) || actingIn() === undefined) throw error;
    actIn(undefined);
    return ask();
  });
  const { id } = chooseWorkspace(session);
  actIn(session.workspaces.length > 1 ? id : undefined);
  return id === session.workspace.id ? session : ask();
}

const CHOICE = 'chainwatch.project';
const WORKSPACE = 'chainwatch.workspace';

/** As `chooseProject`. */
function chooseWorkspace({ workspaces, workspace }: Session): Session['workspaces'][number] {
  const find = (wanted: string | null | undefined) => workspaces.find(({ id }) => id === wanted);
  return find(actingIn()) ?? find(localStorage.getItem(WORKSPACE)) ?? workspace;
}

/** What pages show from then on is of that workspace: they are to be read anew. */
export function rememberWorkspace(id: string): void {
  localStorage.setItem(WORKSPACE, id);
  actIn(id);
  actOn(undefined);
}

/**
 * The project that this page shows, otherwise the one that was looked at last, if it still exists. A choice in another tab
 * does not switch an open page, which would then show one project and change another. A link from a message names its project.
 */
export function chooseProject({ projects }: Session): Session['projects'][number] | undefined {
  const find = (wanted: string | null | undefined) => projects.find(({ id }) => id === wanted);
  const linked = new URLSearchParams(location.search).get('project');
  return find(actingOn()) ?? find(linked) ?? find(localStorage.getItem(CHOICE)) ?? projects[0];
}

/** The same, as it is chosen now. */
export function useProject(session: Session): Session['projects'][number] | undefined {
  useSyncExternalStore(listenForProject, actingOn);
  return chooseProject(session);
}

export function rememberProject(id: string | undefined): void {
  if (id !== undefined) localStorage.setItem(CHOICE, id);
  actOn(id);
}

type May = (permission: string) => boolean;

/** What whoever looks may do: of a session, or of a portal. */
export const MayContext = createContext<May>(() => false);

/** Whether something may be done: what may not is not offered. */
export function useMay(): May {
  return useContext(MayContext);
}

export function mayOf(session: Session): May {
  return (permission) =>
    (permission.startsWith('mgt:') ? session.permissions : session.project_permissions).includes(
      permission as never,
    );
}

export async function signIn(key: string): Promise<Session> {
  actIn(undefined);
  return bodyOf(api.POST('/session', { params: { header: { 'X-Api-Key': key } } }));
}

/** @throws ApiError where the session goes on */
export async function signOut(): Promise<void> {
  await bodyOf(api.DELETE('/session')).catch((error: unknown) => {
    // It had ended.
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  });
  actIn(undefined);
}

/** The host of the installation's issuer, where members may sign in through one. */
export function findIssuer(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name=chainwatch-issuer]')?.content;
}
