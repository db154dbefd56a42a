// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import { permissionSchema, toKeyRecord, type KeyRow } from '../records/key.ts';
import { roleSchema } from '../records/member.ts';
import { families } from '../records/path-schemas.ts';
import type { sessionSchema } from '../records/session.ts';
import type { ApiDeps } from '../api-deps.ts';
import { actingPermissions } from './find-session.ts';
import { permissionsOfRole } from './role-permissions.ts';

/** Of projects, and of workspaces. */
const LIST_MAX = 200;

type Session = z.infer<typeof sessionSchema>;

/** Who the caller is, and on what it may act. @throws ProblemError 404 if the key was deleted meanwhile */
export async function describeSession(
  deps: Pick<ApiDeps, 'prisma' | 'settings'>,
  principal: Principal,
): Promise<Session> {
  const { prisma, settings } = deps;
  const { keyId, workspaceId, member } = principal;
  const key = member ? null : await prisma.apiKey.findFirst({ where: { id: keyId, workspaceId } });
  if (key === null && member === undefined) throw notFound('The key of this session was deleted.');
  const workspace = await prisma.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
  const actsOnAll = key === null || (key.type === 'mgt' && key.permissions.includes('mgt:key:write'));
  const projects = await prisma.project.findMany({
    where: { workspaceId, ...(actsOnAll ? {} : { id: key.projectId ?? undefined }) },
    select: { id: true, name: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: actsOnAll ? LIST_MAX : Number(key.projectId !== null),
  });
  const { isOperator } = workspace;
  const acting = actsOnAll
    ? actingPermissions({ isOperator, member })
    : key.type === 'api'
      ? key.permissions
      : [];
  const own = key ? key.permissions : permissionsOfRole(member!.role, 'mgt', { isOperator });
  return {
    key: key && describeKey(key),
    member: member ? { id: keyId, email: member.email, role: roleSchema.parse(member.role) } : null,
    permissions: permissionSchema.array().parse(own),
    workspace: { id: workspace.id, name: workspace.name, is_operator: isOperator },
    workspaces: member
      ? await listWorkspaces(deps, member.email)
      : [{ id: workspace.id, name: workspace.name }],
    chain_families: [...families],
    projects,
    rpc_url: settings.rpcUrl ?? null,
    playground_url: settings.playgroundUrl ?? null,
    project_permissions: permissionSchema.array().parse(acting),
  };
}

function describeKey(row: KeyRow): Session['key'] {
  const { id, type, name, mask, permissions, expires_at } = toKeyRecord(row);
  return { id, type, name, mask, permissions, expires_at };
}

async function listWorkspaces(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  email: string,
): Promise<Session['workspaces']> {
  return prisma.workspace.findMany({
    where: { members: { some: { email } } },
    select: { id: true, name: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: LIST_MAX,
  });
}
