import type { z } from 'zod';
import type { Principal } from '@chainwatch/key-store';
import { notFound } from '@chainwatch/problem';
import { permissionSchema, toKeyRecord } from '../records/key.ts';
import { families } from '../records/path-schemas.ts';
import type { sessionSchema } from '../records/session.ts';
import type { ApiDeps } from '../server/api-deps.ts';
import { actingPermissions } from './find-session.ts';

const PROJECTS_MAX = 200;

/** Who the caller is, and on what it may act. @throws ProblemError 404 if the key was deleted meanwhile */
export async function describeSession(
  { prisma, settings }: Pick<ApiDeps, 'prisma' | 'settings'>,
  { keyId, workspaceId }: Principal,
): Promise<z.infer<typeof sessionSchema>> {
  const row = await prisma.apiKey.findFirst({
    where: { id: keyId, workspaceId },
    include: { workspace: true },
  });
  if (!row) throw notFound('The key of this session was deleted.');
  const { id, type, name, mask, permissions, expires_at } = toKeyRecord(row);
  const isMaker = type === 'mgt' && permissions.includes('mgt:key:write');
  const projects = await prisma.project.findMany({
    where: { workspaceId, ...(isMaker ? {} : { id: row.projectId ?? undefined }) },
    select: { id: true, name: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: isMaker ? PROJECTS_MAX : Number(row.projectId !== null),
  });
  const { workspace } = row;
  const acting = isMaker ? actingPermissions(workspace) : type === 'api' ? row.permissions : [];
  return {
    key: { id, type, name, mask, permissions, expires_at },
    workspace: { id: workspace.id, name: workspace.name, is_operator: workspace.isOperator },
    chain_families: [...families],
    projects,
    rpc_url: settings.rpcUrl ?? null,
    playground_url: settings.playgroundUrl ?? null,
    project_permissions: permissionSchema.array().parse(acting),
  };
}
