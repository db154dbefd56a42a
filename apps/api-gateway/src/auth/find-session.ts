// SPDX-License-Identifier: Apache-2.0
import type { Request } from 'express';
import { z } from 'zod';
import { permissionsOf, isOperatorPermission } from '@chainwatch/common/api-key';
import type { Database } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { invalidRequest } from '@chainwatch/common/problem';
import type { ProblemError } from '@chainwatch/common/problem';
import type { Sealer } from '@chainwatch/platform/secrets';
import { permissionsOfRole } from './role-permissions.ts';
import { findSessionCookie, openSession } from './session-cookie.ts';

export interface SessionCaller {
  readonly principal: Principal;
  readonly ownerSecret: string;
  /** Why it may not act in the workspace, or on the project, that it names. */
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
  /** The configured issuer. A session that another issuer vouched for is invalid. */
  readonly issuer: string | undefined;
}

/**
 * The caller of a page that signed in. Its key, or its member, is looked up each time, past every cache: a session ends
 * with it at once. With `X-Workspace-Id` a person acts in that workspace, with `X-Project-Id` on that project.
 */
export function createSessionFinder({ db, sealer, issuer }: SessionDeps): FindSession {
  return async (req, findPrincipal) => {
    const sealed = findSessionCookie(req.get('cookie'), req.secure);
    if (sealed === undefined) return 'none';
    const session = isOwnPage(req) ? openSession(sealer, sealed) : undefined;
    if (session === undefined) return 'invalid';
    const workspaceId = req.get('x-workspace-id')?.toLowerCase();
    let current: Principal | undefined;
    if ('key' in session) {
      const known = await findPrincipal(session.key);
      current = known && (await refresh(db, known, session.id));
    } else if (session.issuer === issuer) current = await findMember(db, session, workspaceId);
    if (current === undefined) return 'invalid';
    const principal = { ...current, endsAtMs: session.until_ms, sessionId: session.id };
    const ownerSecret = 'key' in session ? session.key : session.secret;
    if (workspaceId !== undefined && workspaceId !== principal.workspaceId)
      return { principal, ownerSecret, refusal: unknown('X-Workspace-Id', 'workspace') };
    const projectId = req.get('x-project-id');
    if (projectId === undefined) return { principal, ownerSecret };
    const acting = await actOn(db, principal, projectId);
    return acting
      ? { principal: acting, ownerSecret: `${ownerSecret} ${acting.projectId}` }
      : { principal, ownerSecret, refusal: unknown('X-Project-Id', 'project') };
  };
}

const unknown = (name: string, noun: string): ProblemError =>
  invalidRequest([{ name, reason: `expected the id of a ${noun} that this session may act on` }]);

/**
 * A browser says which site a request comes from; where it does not (plain HTTP that is not local) it names the origin
 * of what changes something.
 */
function isOwnPage(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return req.get('origin') === `${req.protocol}://${req.host}`;
}

/** The principal as its key is now; undefined if that was revoked or has expired, or the session was ended. */
async function refresh(
  db: Pick<Database, 'query'>,
  principal: Principal,
  sessionId: string | undefined,
): Promise<Principal | undefined> {
  const { rows } = await db.query<{ permissions: string[]; is_operator: boolean }>({
    name: 'find_live_key',
    text: `SELECT k.permissions, w.is_operator FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
           WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
             AND NOT EXISTS (SELECT FROM ended_sessions e WHERE e.id = $2)`,
    values: [principal.keyId, sessionId],
  });
  return rows[0] && { ...principal, permissions: rows[0].permissions, isOperator: rows[0].is_operator };
}

interface MemberRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly role: string;
  readonly is_operator: boolean;
}

/**
 * The person's membership in the requested workspace, otherwise in the one that added them first. So being added to another
 * workspace never moves anybody into it. Undefined without a membership, or if the session has ended.
 */
async function findMember(
  db: Pick<Database, 'query'>,
  { email, id }: { readonly email: string; readonly id?: string },
  workspaceId: string | undefined,
): Promise<Principal | undefined> {
  const { rows } = await db.query<MemberRow>({
    name: 'find_live_member',
    text: `SELECT m.id, m.workspace_id, m.role, w.is_operator FROM members m JOIN workspaces w ON w.id = m.workspace_id
           WHERE m.email = $1 AND NOT EXISTS (SELECT FROM ended_sessions e WHERE e.id = $2)
           ORDER BY (m.workspace_id::text = $3) DESC NULLS LAST, m.created_at, m.id LIMIT 1`,
    values: [email, id, workspaceId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const isOperator = row.is_operator;
  return {
    keyId: row.id,
    keyType: 'mgt',
    workspaceId: row.workspace_id,
    projectId: '',
    isOperator,
    permissions: permissionsOfRole(row.role, 'mgt', { isOperator }),
    member: { email, role: row.role },
  };
}

/**
 * An api key acts on its own project, a management key on those whose keys it could make, a member on those of the
 * workspace. Undefined if the caller may not act on the project, whether or not it exists.
 */
async function actOn(
  db: Pick<Database, 'query'>,
  principal: Principal,
  projectId: string,
): Promise<Principal | undefined> {
  if (principal.keyType === 'api')
    return principal.projectId === projectId.toLowerCase() ? principal : undefined;
  const mayAct = principal.member !== undefined || principal.permissions.includes('mgt:key:write');
  if (!mayAct || !z.uuid().safeParse(projectId).success) return undefined;
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

/** What a management key that may make api keys, or a member, may do on a project. */
export function actingPermissions({
  isOperator,
  member,
}: Pick<Principal, 'isOperator' | 'member'>): readonly string[] {
  if (member !== undefined) return permissionsOfRole(member.role, 'api', { isOperator });
  return permissionsOf('api').filter((permission) => isOperator || !isOperatorPermission(permission));
}
