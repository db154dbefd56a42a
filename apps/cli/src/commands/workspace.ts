// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { operations } from '@chainwatch/sdk';
import { checkPeriod } from '../check-period.ts';
import { wrongInput } from '../cli-error.ts';
import type { Act } from '../context.ts';
import {
  listOf,
  oneOf,
  parseEmail,
  parseId,
  parseIds,
  parseList,
  parseSince,
  parseText,
} from '../parse-options.ts';
import { givenOf } from '../read-body.ts';
import { addResource, defineCommand, type Input, type Resource } from '../resource.ts';

type Members = NonNullable<operations['listMembers']['parameters']['query']>;
type Audit = NonNullable<operations['listAuditLogs']['parameters']['query']>;
type Role = NonNullable<Members['roles']>[number];

const ROLES = [...(['owner', 'admin', 'developer', 'viewer'] as const)] satisfies Role[];

const PROJECT: Input = ['<project_id>', 'ID of a project', parseId];
const MEMBER: Input = ['<member_id>', 'ID of a member', parseId];
const SEARCH: Input = ['--search <text>', 'only with this text', parseText];

const PROJECTS: Resource = {
  name: 'projects',
  description: 'Projects of the workspace, with a management key',
  key: 'management',
  commands: [
    defineCommand<{ readonly search?: string }>({
      name: 'list',
      description: 'Projects of the workspace',
      options: [SEARCH],
      columns: ['id', 'name', 'created_at', 'updated_at'],
      examples: `chainwatch projects list`,
      call: (api, _, query) => api().management.listProjects(query),
    }),
    defineCommand({
      name: 'get',
      description: 'One project',
      args: [PROJECT],
      examples: `chainwatch projects get 0199a1b2-…`,
      call: (api, [id]) => api().management.getProject(id!),
    }),
    defineCommand({
      name: 'create',
      description: 'Add a project to the workspace',
      args: [['<name>', 'name of the project', parseText]],
      examples: `chainwatch projects create Shop`,
      call: (api, [name]) => api().management.createProject({ name: name! }),
    }),
    defineCommand({
      name: 'rename',
      description: 'Rename a project',
      args: [PROJECT, ['<name>', 'name of the project', parseText]],
      examples: `chainwatch projects rename 0199a1b2-… Shop`,
      call: (api, [id, name]) => api().management.updateProject(id!, { name: name! }),
    }),
    defineCommand<{ readonly cascade?: boolean }>({
      name: 'delete',
      description: 'Delete a project for good with its keys and history',
      args: [PROJECT],
      options: [['--cascade', 'its addresses, public keys, and channels, too']],
      examples: `chainwatch projects delete 0199a1b2-… --cascade`,
      say: (_, [id]) => `Deleted ${id!}`,
      call: (api, [id], query) => api().management.deleteProject(id!, query),
    }),
  ],
};

const MEMBERS: Resource = {
  name: 'members',
  description: 'Members of the workspace, with a management key',
  key: 'management',
  commands: [
    defineCommand<Pick<Members, 'roles' | 'search'>>({
      name: 'list',
      description: 'Members of the workspace',
      options: [['--roles <list>', `only these: ${ROLES.join(', ')}`, listOf(ROLES)], SEARCH],
      columns: ['id', 'email', 'role', 'created_at'],
      examples: `chainwatch members list --roles owner,admin`,
      call: (api, _, query) => api().management.listMembers(query),
    }),
    defineCommand<{ readonly role: Role }>({
      name: 'create',
      description: 'Add a member to the workspace',
      args: [['<email>', 'address with which the person signs in', parseEmail]],
      requiredOptions: [['--role <role>', ROLES.join(', '), oneOf(ROLES)]],
      examples: `chainwatch members create ada@example.com --role developer`,
      call: (api, [email], { role }) => api().management.createMember({ email: email!, role }),
    }),
    defineCommand<{ readonly email?: string; readonly role?: Role }>({
      name: 'update',
      description: 'Change the address or the role of a member; the last owner stays one',
      args: [MEMBER],
      options: [
        ['--email <address>', 'address with which the person signs in', parseEmail],
        ['--role <role>', ROLES.join(', '), oneOf(ROLES)],
      ],
      examples: `chainwatch members update 0199a1b2-… --role admin`,
      call(api, [id], { email, role }) {
        if (email === undefined && role === undefined)
          throw wrongInput('--role', 'expected something to change: give --role or --email');
        return api().management.updateMember(id!, givenOf({ email, role }));
      },
    }),
    defineCommand({
      name: 'delete',
      description: 'Remove a member from the workspace; the last owner stays',
      args: [MEMBER],
      examples: `chainwatch members delete 0199a1b2-…`,
      say: (_, [id]) => `Removed ${id!}`,
      call: (api, [id]) => api().management.deleteMember(id!),
    }),
  ],
};

interface AuditOptions extends Pick<Audit, 'since' | 'until' | 'search'> {
  readonly actions?: Audit['actions'];
  readonly targetTypes?: Audit['target_types'];
  readonly targets?: string[];
  readonly keys?: string[];
  readonly requestId?: string;
}

const AUDIT: Resource = {
  name: 'audit',
  description: 'Changes in the workspace, with a management key',
  key: 'management',
  commands: [
    defineCommand<AuditOptions>({
      name: 'list',
      description: 'Who changed what, the newest first',
      options: [
        ['--actions <list>', 'only these, such as key.created', parseList],
        ['--target-types <list>', 'only of these, such as channel', parseList],
        ['--targets <list>', 'only of these IDs', parseIds],
        ['--keys <list>', 'only by these key IDs', parseIds],
        ['--request-id <id>', 'only of this request', parseText],
        ['--since <time>', 'then or later: a time, or 90m, 2d', parseSince],
        ['--until <time>', 'and before then', parseSince],
        SEARCH,
      ],
      columns: ['created_at', 'action', 'target_type', 'target_id', 'actor', 'request_id'],
      examples: `chainwatch audit list --since 7d --target-types key,member`,
      call(api, _, { targetTypes, targets, keys, requestId, ...query }) {
        checkPeriod(query);
        return api().management.listAuditLogs({
          ...query,
          target_types: targetTypes,
          target_ids: targets,
          actor_key_ids: keys,
          request_id: requestId,
        });
      },
    }),
  ],
};

export function addWorkspace(program: Command, act: Act): void {
  for (const resource of [PROJECTS, MEMBERS, AUDIT]) addResource(program, act, resource);
}
