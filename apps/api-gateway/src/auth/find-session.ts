import type { Request } from 'express';
import { z } from 'zod';
import { permissionsOf, isOperatorPermission } from '@chainwatch/api-key';
import type { Database } from '@chainwatch/db';
import type { Principal } from '@chainwatch/key-store';
import { invalidRequest } from '@chainwatch/problem';
import type { ProblemError } from '@chainwatch/problem';
import type { Sealer } from '@chainwatch/secrets';
import { findSessionCookie, openSession } from './session-cookie.ts';

export interface SessionCaller {
  readonly principal: Principal;
  readonly ownerSecret: string;
  /** Why it may not act on the project that it names. */
  readonly refusal?: ProblemError;
}

/** `none`: no cookie came; `invalid`: one that does not count. */
export type FindSession = (
  req: Request,
  findPrincipal: (key: string) => Promise<Principal | undefined>,
) => Promise<SessionCaller | 'none' | 'invalid'>;

interface SessionDeps {
  readonly db: Pick<Database, 'query'>;
  readonly sealer: Pick<Sealer, 'open'>;
}

/**
 * The caller of a page that signed in. Its key is looked up each time, past every cache: a session ends with its key at
 * once. With `X-Project-Id` it acts on that project.
 */
export function createSessionFinder({ db, sealer }: SessionDeps): FindSession {
  return async (req, findPrincipal) => {
    const sealed = findSessionCookie(req.get('cookie'), req.secure);
    if (sealed === undefined) return 'none';
    const session = isOwnPage(req) ? openSession(sealer, sealed) : undefined;
    if (session === undefined) return 'invalid';
    const { key, until_ms: endsAtMs } = session;
    const known = await findPrincipal(key);
    const current = known && (await refresh(db, known));
    if (current === undefined) return 'invalid';
    const principal = { ...current, endsAtMs };
    const projectId = req.get('x-project-id');
    if (projectId === undefined) return { principal, ownerSecret: key };
    const acting = await actOn(db, principal, projectId);
    return acting
      ? { principal: acting, ownerSecret: `${key} ${acting.projectId}` }
      : { principal, ownerSecret: key, refusal: unknownProject() };
  };
}

const unknownProject = (): ProblemError =>
  invalidRequest([
    { name: 'X-Project-Id', reason: 'expected the id of a project that this session may act on' },
  ]);

/**
 * A browser says which site a request comes from; where it does not (plain HTTP that is not local) it names the origin
 * of what changes something.
 */
function isOwnPage(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return req.get('origin') === `${req.protocol}://${req.host}`;
}

/** The principal as its key is now; undefined if that was revoked or has expired. */
async function refresh(db: Pick<Database, 'query'>, principal: Principal): Promise<Principal | undefined> {
  const { rows } = await db.query<{ permissions: string[]; is_operator: boolean }>({
    name: 'find_live_key',
    text: `SELECT k.permissions, w.is_operator FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
           WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
    values: [principal.keyId],
  });
  return rows[0] && { ...principal, permissions: rows[0].permissions, isOperator: rows[0].is_operator };
}

/**
 * An api key acts on its own project, a management key on those whose keys it could make. Undefined: on no such project,
 * whether there is one or not.
 */
async function actOn(
  db: Pick<Database, 'query'>,
  principal: Principal,
  projectId: string,
): Promise<Principal | undefined> {
  if (principal.keyType === 'api')
    return principal.projectId === projectId.toLowerCase() ? principal : undefined;
  if (!principal.permissions.includes('mgt:key:write') || !z.uuid().safeParse(projectId).success)
    return undefined;
  const { rows } = await db.query<{ id: string }>({
    name: 'find_own_project',
    text: 'SELECT id FROM projects WHERE id = $1 AND workspace_id = $2',
    values: [projectId, principal.workspaceId],
  });
  const [project] = rows;
  if (project === undefined) return undefined;
  // As the database writes it: a header may have it in upper case, which names no other project.
  return {
    ...principal,
    keyType: 'api',
    projectId: project.id,
    permissions: actingPermissions(principal),
  };
}

/** What a management key that may make api keys may do on a project. */
export function actingPermissions({ isOperator }: Pick<Principal, 'isOperator'>): readonly string[] {
  return permissionsOf('api').filter((permission) => isOperator || !isOperatorPermission(permission));
}
