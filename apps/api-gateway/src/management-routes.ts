import type { Route } from '@chainwatch/http';
import type { Principal } from '@chainwatch/key-store';
import type { ApiDeps } from './server/api-deps.ts';
import { listAuditLogs } from './routes/audit-logs.list/handler.ts';
import { createKey } from './routes/keys.create/handler.ts';
import { getKey } from './routes/keys.get/handler.ts';
import { listKeys } from './routes/keys.list/handler.ts';
import { revokeKey } from './routes/keys.revoke/handler.ts';
import { rollKeyRoute } from './routes/keys.roll/handler.ts';
import { createMember } from './routes/members.create/handler.ts';
import { deleteMember } from './routes/members.delete/handler.ts';
import { listMembers } from './routes/members.list/handler.ts';
import { updateMember } from './routes/members.update/handler.ts';
import { createProject } from './routes/projects.create/handler.ts';
import { deleteProject } from './routes/projects.delete/handler.ts';
import { getProject } from './routes/projects.get/handler.ts';
import { listProjects } from './routes/projects.list/handler.ts';
import { updateProject } from './routes/projects.update/handler.ts';
import { listUsage } from './routes/usage.list/handler.ts';
import { getWorkspace } from './routes/workspace.get/handler.ts';
import { updateWorkspace } from './routes/workspace.update/handler.ts';

/** The management interface (decisions.md §7): routes of a workspace, for management keys. */
export const managementRoutes: Readonly<Record<string, Route<ApiDeps, Principal>>> = {
  getWorkspace,
  updateWorkspace,
  listProjects,
  createProject,
  getProject,
  updateProject,
  deleteProject,
  listMembers,
  createMember,
  updateMember,
  deleteMember,
  listKeys,
  createKey,
  getKey,
  revokeKey,
  rollKey: rollKeyRoute,
  listAuditLogs,
  listUsage,
};
