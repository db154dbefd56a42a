import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { actingOn, actOn, api, bodyOf } from './client.ts';
import type { components } from '@chainwatch/sdk';

export type Session = components['schemas']['Session'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const session = await bodyOf(api.GET('/session'));
    actOn(chooseProject(session)?.id);
    return session;
  },
  staleTime: 60_000,
  retry: false,
});

const CHOICE = 'chainwatch.project';

/**
 * The one that this page shows, else the one that was looked at last, where there still is such a one. A choice in another
 * tab moves no page that is open: what it shows and what it changes would be of two projects.
 */
export function chooseProject({ projects }: Session): Session['projects'][number] | undefined {
  const find = (wanted: string | null | undefined) => projects.find(({ id }) => id === wanted);
  return find(actingOn()) ?? find(localStorage.getItem(CHOICE)) ?? projects[0];
}

export function rememberProject(id: string | undefined): void {
  if (id !== undefined) localStorage.setItem(CHOICE, id);
  actOn(id);
}

/** Whether the session may do something: what it may not is not offered. */
export function useMay(): (permission: string) => boolean {
  const { data: session } = useSuspenseQuery(sessionQuery);
  return (permission) =>
    (permission.startsWith('mgt:') ? session.key.permissions : session.project_permissions).includes(
      permission as never,
    );
}

export async function signIn(key: string): Promise<Session> {
  return bodyOf(api.POST('/session', { params: { header: { 'X-Api-Key': key } } }));
}

export async function signOut(): Promise<void> {
  await api.DELETE('/session');
}
