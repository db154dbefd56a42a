// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { families, familySchema } from './path-schemas.ts';
import { permissionSchema, keySchema } from './key.ts';
import { memberSchema } from './member.ts';

const ID = '6f1d1f4e-0000-4000-8000-000000000001';

export const sessionSchema = z
  .object({
    key: keySchema
      .pick({ id: true, type: true, name: true, mask: true, permissions: true, expires_at: true })
      .nullable()
      .meta({ description: 'The key that was signed in with. Null for a member.' }),
    member: memberSchema.pick({ id: true, email: true, role: true }).nullable().meta({
      description: "Who signed in through the installation's issuer. Null for a key.",
    }),
    permissions: z.array(permissionSchema).meta({
      description:
        'What it may do without `X-Project-Id`: those of the key, or of the role in the workspace.',
      examples: [['mgt:project:read']],
    }),
    workspace: z
      .object({
        id: z.uuid().meta({ description: 'Of the workspace.', examples: [ID] }),
        name: z.string().meta({ description: 'As its users call it.', examples: ['Acme'] }),
        is_operator: z.boolean().meta({ description: 'Whether its keys may change chains.' }),
      })
      .meta({ description: "The key's workspace, or the one in which the member acts." }),
    workspaces: z
      .array(
        z.object({
          id: z.uuid().meta({ description: 'For `X-Workspace-Id`.', examples: [ID] }),
          name: z.string().meta({ description: 'As its users call it.', examples: ['Acme'] }),
        }),
      )
      .meta({
        description:
          "In which it may act, by name, at most 200: the key's, or all that have the person as a member. Without `X-Workspace-Id` it is the one that added the person first.",
      }),
    chain_families: z.array(familySchema).meta({
      description: 'Families of chains that addresses can be of.',
      examples: [families.slice(0, 2)],
    }),
    projects: z
      .array(
        z.object({
          id: z.uuid().meta({ description: 'For `X-Project-Id`.', examples: [ID] }),
          name: z.string().meta({ description: 'As its users call it.', examples: ['Shop'] }),
        }),
      )
      .meta({
        description:
          'On which it may act, by name, at most 200: that of an api key; those of the workspace for a member, or for a management key that may make keys.',
      }),
    rpc_url: z
      .string()
      .nullable()
      .meta({
        description: 'The RPC gateway as browsers reach it. Null where `RPC_URL` does not name it.',
        examples: ['https://rpc.example.com'],
      }),
    playground_url: z
      .string()
      .nullable()
      .meta({
        description: 'Where coins of local chains can be had. Null on everything but a local stack.',
        examples: [null],
      }),
    project_permissions: z.array(permissionSchema).meta({
      description: 'What it may do on each of them.',
      examples: [['api:address:read']],
    }),
  })
  .meta({ id: 'Session' });
