// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { check, interpret, UncheckedClaimError, type Check } from './check.ts';
import { demand } from './demand.ts';
import { expectSecret, expectOverlap } from './secrets.ts';
import { headerOf, readSignature, sendTest, sign } from './deliveries.ts';
import { CHAINS, make, makeChannel, unknownValues, type Ground } from './ground.ts';
import { codesOf, type Row, type Table } from './read-tables.ts';
import { listAll, type Sample } from './samples.ts';
import { fill } from './send-sample.ts';

/** What goes from state to state, and how its states look. */
interface Subject {
  readonly values: Readonly<Record<string, string>>;
  isIn(state: string): Promise<boolean>;
  /** Brings it there. */
  enter(state: string): Promise<void>;
}

type Open = (ground: Ground) => Promise<Subject>;

const SUBJECTS: Readonly<Record<string, Open>> = {
  Blockchain: async ({ api, values }) =>
    subject(
      { chain_gid: values['chain_gid']! },
      {
        inactive: [
          `/blockchains/${values['chain_gid']}/actions/deactivate`,
          async () =>
            !(await make(api, { path: `/blockchains/${values['chain_gid']}`, method: 'GET' }))['is_active'],
        ],
        active: [
          `/blockchains/${values['chain_gid']}/actions/activate`,
          async () =>
            Boolean(
              (
                await make(api, {
                  path: `/blockchains/${values['chain_gid']}`,
                  method: 'GET',
                })
              )['is_active'],
            ),
        ],
      },
      api,
    ),
  Asset: async (ground) => {
    const { api, values } = ground;
    const path = `/assets/${values['chain_gid']}/${values['asset_path']}/actions`;
    const isListed = (): Promise<boolean> => isActiveAsset(ground);
    return subject(
      { chain_gid: values['chain_gid']!, asset_path: values['asset_path']! },
      {
        archived: [`${path}/archive`, async () => !(await isListed())],
        '(any)': [`${path}/restore`, isListed],
        active: [`${path}/restore`, isListed],
      },
      api,
    );
  },
  'Notification channel': async ({ api }) => {
    const { id } = await make(api, {
      path: '/notification_channels/nats',
      body: {
        name: 'n',
        url: 'nats://127.0.0.1:9',
        subject: 'a',
      },
    });
    const read = async (): Promise<unknown> =>
      (await make(api, { path: `/notification_channels/${id}`, method: 'GET' }))['is_archived'];
    return subject(
      { notification_channel_id: id },
      {
        '`is_archived` false': [
          `/notification_channels/${id}/actions/restore`,
          async () => (await read()) === false,
        ],
        '`is_archived` true': [
          `/notification_channels/${id}/actions/archive`,
          async () => (await read()) === true,
        ],
      },
      api,
    );
  },
};

function subject(
  values: Subject['values'],
  states: Readonly<Record<string, readonly [path: string, isSo: () => Promise<boolean>]>>,
  api: Ground['api'],
): Subject {
  const stateOf = (state: string) => {
    if (states[state] === undefined) throw new UncheckedClaimError(state);
    return states[state];
  };
  return {
    values,
    isIn: (state) => stateOf(state)[1](),
    enter: async (state) => void (await make(api, { path: stateOf(state)[0] })),
  };
}

type Phrase = readonly [RegExp, (match: RegExpExecArray, row: Row, open: Open) => Check | readonly Check[]];

const CONDITIONS: readonly Phrase[] = [
  [/none stated/, () => []],
  [
    /chain configured/,
    (_, row) =>
      check('a chain without a node stays as it is', async ({ api }) => {
        const { status } = await api('POST', fill(triggerOf(row).path, { chain_gid: CHAINS.evm }));
        demand(
          status >= 400 &&
            status < 500 &&
            (await make(api, { path: `/blockchains/${CHAINS.evm}`, method: 'GET' }))['is_active'] === false,
          'a refusal',
          status,
        );
      }),
  ],
  [
    /asset exists/,
    (_, row) =>
      check('an asset that is not there is 404', async ({ api }) => {
        const { status } = await api('POST', fill(triggerOf(row).path, unknownValues()));
        demand(status === 404, '404', status);
      }),
  ],
];

const EFFECTS: readonly Phrase[] = [
  [
    /workers monitor and process the chain/,
    (_, row, open) =>
      after('blocks are processed', {
        row,
        open,
        prove: async (ground) => {
          const { chain } = ground.stack.harness;
          await chain.actor.mine();
          const { number } = await chain.readHead();
          await waitFor(
            async () =>
              ['processed', 'confirmed'].includes(
                String(
                  (
                    await ground
                      .api('GET', `/blocks/${chain.gid}/${number}`)
                      .then(({ body }) => body as Sample)
                  )['status'],
                ),
              ),
            { message: `block ${number} to be processed` },
          );
        },
      }),
  ],
  [
    /workers stop monitoring and processing it/,
    (_, row, open) =>
      after('blocks are left alone', {
        row,
        open,
        prove: async (ground) => {
          const { chain } = ground.stack.harness;
          // They may be at work on one when they hear of it.
          const isLeftAlone = async (): Promise<boolean> => {
            await chain.actor.mine();
            const { number } = await chain.readHead();
            await new Promise((resolve) => setTimeout(resolve, 500));
            return (await ground.api('GET', `/blocks/${chain.gid}/${number}`)).status === 404;
          };
          await waitFor(isLeftAlone, { message: 'a block that nobody looks at' });
        },
      }),
  ],
  [
    /asset is listed as active again/,
    (_, row, open) =>
      after('it is among the active ones', {
        row,
        open,
        prove: async (ground) =>
          demand(
            await isActiveAsset(ground),
            'the asset in /assets?statuses=active',
            ground.values['asset_path'],
          ),
      }),
  ],
  [
    /asset is removed from active listings/,
    (_, row, open) =>
      after('it is not among the active ones', {
        row,
        open,
        prove: async (ground) =>
          demand(
            !(await isActiveAsset(ground)),
            'no such asset in /assets?statuses=active',
            ground.values['asset_path'],
          ),
      }),
  ],
  [
    /channel disabled, configuration kept/,
    (_, row, open) =>
      after('the configuration is kept', {
        row,
        open,
        prove: async ({ api }, { values }) => {
          const { config } = await make(api, {
            path: `/notification_channels/${values['notification_channel_id']}`,
            method: 'GET',
          });
          demand((config as Sample)['subject'] === 'a', 'its subject', config);
        },
      }),
  ],
  [
    /channel active again/,
    (_, row, open) =>
      after('it is active', {
        row,
        open,
        prove: async ({ api }, { values }) => {
          const { body } = await api(
            'GET',
            '/notification_channels?is_archived=false&limit=100&search=n&kind=nats&sort_by=-created_at',
          );
          demand(
            (body as { items: Sample[] }).items.some(({ id }) => id === values['notification_channel_id']),
            'the channel among those that are not archived',
            values,
          );
        },
      }),
  ],
];

/** A row of a table of states. */
export function stateChecks(table: Table, row: Row): Check[] {
  const open = SUBJECTS[table.headings.at(-1)!.split(' (')[0]!];
  if (open === undefined) throw new UncheckedClaimError(table.headings.at(-1)!);
  const {
    State: from,
    'Next state': next,
    Condition: condition,
    'Other effects': effects,
  } = row.cells as Record<string, string>;
  const leads = next!.endsWith(': not shown')
    ? []
    : [
        after(`leads to ${next}`, {
          row,
          open,
          prove: async (_ground, it) => demand(await it.isIn(next!), next!, from),
        }),
      ];
  return [
    ...leads,
    ...interpret(condition!, CONDITIONS, row, open),
    ...interpret(effects!, EFFECTS, row, open),
  ];
}

/** From the row's state, by its trigger; at the end everything is as before. */
function after(
  says: string,
  {
    row,
    open,
    prove,
  }: {
    readonly row: Row;
    readonly open: Open;
    readonly prove: (ground: Ground, it: Subject) => Promise<void>;
  },
): Check {
  return check(`${row.cells['Trigger']}: ${says}`, async (ground) => {
    const it = await open(ground);
    await it.enter(row.cells['State']!);
    demand(await it.isIn(row.cells['State']!), row.cells['State']!, it.values);
    try {
      const { method, path } = triggerOf(row);
      const { status, body } = await ground.api(method, fill(path, it.values));
      demand(status >= 200 && status < 300, 'success', { status, body });
      await prove(ground, it);
    } finally {
      if ('chain_gid' in it.values) await it.enter('active');
    }
  });
}

function triggerOf(row: Row): { readonly method: string; readonly path: string } {
  const [method, path] = codesOf(row.cells['Trigger']!)[0]!.split(' ') as [string, string];
  return { method, path };
}

async function isActiveAsset(ground: Ground): Promise<boolean> {
  const gid = `${ground.values['chain_gid']}/${ground.values['asset_path']}`.toLowerCase();
  return (await listAll(ground, '/assets?statuses=active')).some(
    (asset) => String(asset['gid']).toLowerCase() === gid,
  );
}

const ROTATION_EFFECTS: readonly (readonly [RegExp, () => (turn: Turn) => Promise<void>])[] = [
  [
    /response carries the new `webhook_secret`/,
    () =>
      async ({ ground, secrets }) =>
        expectSecret(ground, secrets[0]),
  ],
  [/deliveries are signed with both secrets/, () => (turn) => expectSigned(turn, turn.secrets)],
  [
    /deliveries signed only with the current secret/,
    () => (turn) => expectSigned(turn, turn.secrets.slice(0, 1)),
  ],
  [/overlap ends/, () => (turn) => expectSigned(turn, turn.secrets.slice(0, 1))],
];

/** A channel in a rotation; its newest secret stands first. */
interface Turn {
  readonly ground: Ground;
  readonly channel: { readonly id: string; readonly path: string };
  readonly secrets: readonly string[];
}

/** A row of the table of the rotation of secrets. */
export function rotationChecks(row: Row): Check[] {
  const {
    State: from,
    Trigger: trigger,
    'Next state': next,
    'Other effects': effects,
  } = row.cells as Record<string, string>;
  const proofs = effects!.split('; ').map((effect) => {
    const found = ROTATION_EFFECTS.find(([pattern]) => pattern.exec(effect)?.[0] === effect);
    if (found === undefined) throw new UncheckedClaimError(effect);
    return found[1]();
  });
  return [
    check(`${trigger} leads from ${from} to ${next}: ${effects}`, async (ground) => {
      const { id, path, secret } = await makeChannel(ground);
      const secrets = [secret];
      const rotate = async (): Promise<void> =>
        void secrets.unshift(
          String(
            (await make(ground.api, { path: `/channels/${id}/webhook-secrets/actions/rotate` }))[
              'webhook_secret'
            ],
          ),
        );
      if (from === 'current + previous') await rotate();
      else if (from !== 'one current secret') throw new UncheckedClaimError(from!);
      if (/^(\d+) hours elapse$/.test(trigger!))
        await ground.stack.harness.db.query(
          "UPDATE webhook_secrets SET rotated_at = rotated_at - $2::interval, expires_at = expires_at - $2::interval WHERE channel_id = $1 AND state = 'previous'",
          [id, trigger!.replace(' elapse', '')],
        );
      else if (codesOf(trigger!)[0]!.endsWith('/rotate')) await rotate();
      else
        await make(ground.api, {
          path: fill(codesOf(trigger!)[0]!.split(' ')[1]!, { channel_id: id }),
          method: 'DELETE',
        });
      const { current, previous } = await make(ground.api, {
        path: `/channels/${id}/webhook-secrets`,
        method: 'GET',
      });
      const [, hours] = /^current \(new\) \+ previous \(old\) for (\d+) hours$/.exec(next!) ?? [];
      if (hours !== undefined) expectOverlap(previous, Number(hours));
      else
        demand(next === 'one current secret' && current !== null && previous === null, next!, {
          current,
          previous,
        });
      for (const prove of proofs) await prove({ ground, channel: { id, path }, secrets });
    }),
  ];
}

/** One signature by each of the secrets, in any order. */
async function expectSigned({ ground, channel }: Turn, secrets: readonly string[]): Promise<void> {
  const delivery = await sendTest(ground, channel);
  const { t, v1 } = readSignature(headerOf(delivery, 'X-Webhook-Signature'));
  const expected = secrets.map((secret) => sign(secret, t, delivery));
  demand(
    [...v1].sort().join() === expected.sort().join(),
    `${secrets.length} signatures: ${expected.join()}`,
    v1,
  );
}
