// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { CHANNEL_KINDS, findChannelKind } from './channel-kinds.ts';

const SECRETS: Readonly<Record<string, readonly (readonly [given: object, secrets: readonly string[]])[]>> = {
  webhook: [
    [{ url: 'https://a.example/', auth: { type: 'basic', username: 'u', password: 'hunter2' } }, ['hunter2']],
    [{ url: 'https://a.example/', auth: { type: 'bearer', token: 'hunter2' } }, ['hunter2']],
    [{ url: 'https://a.example/', auth: { type: 'header', name: 'X-T', value: 'hunter2' } }, ['hunter2']],
  ],
  nats: [
    [{ url: 'nats://u:hunter2@a.example:4222', subject: 's' }, ['hunter2']],
    [{ url: 'nats://hunter2@a.example:4222', subject: 's' }, ['hunter2']],
    [{ url: 'nats://a.example:4222', subject: 's', auth: { type: 'token', token: 'hunter2' } }, ['hunter2']],
  ],
  telegram: [
    [
      { bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 7 },
      ['AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx'],
    ],
  ],
  slack: [[{ url: 'https://hooks.slack.com/services/T1/B1/hunter2hunter2' }, ['hunter2hunter2']]],
  discord: [[{ url: 'https://discord.com/api/webhooks/12345/hunter2-hunter2' }, ['hunter2-hunter2']]],
  redis_stream: [
    [
      {
        url: 'redis://a.example:6379',
        stream: 's',
        auth: { type: 'user', username: 'u', password: 'hunter2' },
      },
      ['hunter2'],
    ],
  ],
  rabbitmq: [
    [
      {
        url: 'amqps://a.example/vhost',
        routing_key: 'r',
        auth: { type: 'user', username: 'u', password: 'hunter2' },
      },
      ['hunter2'],
    ],
  ],
  kafka: [
    [
      {
        brokers: ['a.example:9093'],
        topic: 't',
        auth: { type: 'scram-sha-256', username: 'u', password: 'hunter2' },
      },
      ['hunter2'],
    ],
  ],
  sqs: [
    [
      {
        queue_url: 'https://sqs.eu-central-1.amazonaws.com/1/q',
        auth: { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'hunter2hunter2hunter2' },
      },
      ['hunter2hunter2hunter2'],
    ],
  ],
  http_batch: [
    [{ url: 'https://a.example/', auth: { type: 'basic', username: 'u', password: 'hunter2' } }, ['hunter2']],
  ],
  // Its secret is made, not given.
  email: [[{ recipients: ['ops@example.com'] }, []]],
};

it('finds a kind by its name, and none of a newer release', () => {
  for (const kind of CHANNEL_KINDS) expect(findChannelKind(kind.kind)).toBe(kind);
  expect(findChannelKind('pigeon')).toBeUndefined();
});

it('has names and titles once, and one kind that POST /channels makes', () => {
  expect(new Set(CHANNEL_KINDS.map(({ kind }) => kind)).size).toBe(CHANNEL_KINDS.length);
  expect(new Set(CHANNEL_KINDS.map(({ docs }) => docs.title)).size).toBe(CHANNEL_KINDS.length);
  expect(CHANNEL_KINDS.filter(({ isDefault }) => isDefault)).toHaveLength(1);
});

describe.each(CHANNEL_KINDS.map((kind) => [kind.kind, kind] as const))('%s', (name, kind) => {
  const { name: _name, ...example } = kind.docs.createExample;

  it('stores what its example asks for, and shows it as stored', () => {
    const { config, isNewTarget } = kind.change(example);
    expect(kind.show(config)).toEqual(config);
    expect(isNewTarget).toBe(false);
    expect(config).toMatchObject({ event_types: expect.any(Array), filters: expect.any(Object) });
  });

  it('stores and shows which reasons it takes', () => {
    const filters = { reasons: ['withdrawal', 'atomic', 'adjustment'] };
    const { config } = kind.change({ ...example, filters });
    expect(kind.show(config)).toMatchObject({ filters });
    const body = z.strictObject(kind.input);
    for (const [reasons, path] of [
      [['lottery'], ['filters', 'reasons', 0]],
      [[], ['filters', 'reasons']],
      [
        ['fee', 'fee'],
        ['filters', 'reasons'],
      ],
      ['fee', ['filters', 'reasons']],
    ] as const)
      expect(body.safeParse({ ...example, filters: { reasons } }).error?.issues).toMatchObject([{ path }]);
  });

  it('stores and shows which verifications it takes', () => {
    const filters = { verification: ['proved', 'agreed', 'attested'] };
    const { config } = kind.change({ ...example, filters });
    expect(kind.show(config)).toMatchObject({ filters });
    const body = z.strictObject(kind.input);
    expect(body.safeParse({ ...example, filters: { verification: ['sworn'] } }).error?.issues).toMatchObject([
      { path: ['filters', 'verification', 0] },
    ]);
  });

  it('changes what its example changes, and nothing else', () => {
    const before = kind.change(example).config;
    const { config } = kind.change(kind.docs.updateExample, before);
    expect(config).toEqual({ ...before, ...kind.docs.updateExample });
  });

  it.each(SECRETS[name]!)('seals the secrets of %j, never shows them, and can use them', (given, secrets) => {
    const { config, credentials } = kind.change(given);
    for (const secret of secrets) {
      expect(JSON.stringify(config)).not.toContain(secret);
      expect(JSON.stringify(credentials)).toContain(secret);
    }
    expect(kind.open(config, credentials, []).credentials).toEqual(credentials);
  });

  it.each(SECRETS[name]!)('keeps what is sealed of %j where an update leaves it out', (given) => {
    const { config } = kind.change(given);
    const update = kind.change({ event_types: ['balance.changed'] }, config);
    expect(update).toEqual({
      config: { ...config, event_types: ['balance.changed'] },
      credentials: undefined,
      isNewTarget: false,
    });
  });

  it('reads a row that says no more than it must', () => {
    const { config } = kind.change(SECRETS[name]![0]![0]);
    const { event_types: _types, filters: _filters, ...bare } = config as Record<string, unknown>;
    expect(kind.show(bare)).toEqual({ ...config, event_types: kind.defaultEventTypes, filters: {} });
  });
});

describe('credentials of a NATS channel', () => {
  const nats = findChannelKind('nats')!;
  const auth = { type: 'token', token: 't' };
  const withUser = nats.change({ url: 'nats://u:p@a.example:4222', subject: 's' }).config;
  const without = nats.change({ url: 'nats://a.example:4222', subject: 's', auth }).config;

  it.each([
    [
      'came with the old URL: dropped for a new one',
      withUser,
      { url: 'nats://b.example:4222' },
      null,
      'none',
    ],
    ['were given apart: follow to a new URL', without, { url: 'nats://b.example:4222' }, undefined, 'token'],
    ['are replaced, and leave the URL', withUser, { auth }, { auth }, 'token'],
    ['are taken away', without, { auth: { type: 'none' } }, null, 'none'],
  ])('%s', (_case, before, given, credentials, type) => {
    const change = nats.change(given, before);
    expect(change.credentials).toEqual(credentials);
    expect(change.isNewTarget).toBe(true);
    expect(change.config).toMatchObject({ auth: { type } });
    expect(JSON.stringify(change.config)).not.toContain('***');
  });
});
