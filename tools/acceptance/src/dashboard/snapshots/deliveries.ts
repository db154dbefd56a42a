// SPDX-License-Identifier: Apache-2.0
import { ETHEREUM, USDC } from './chains.ts';
import { ago, make, NOW_MS, uuid, type Schemas } from './make-record.ts';
import { followed, inEvent, transactions } from './payments.ts';

type Delivery = Schemas['Delivery'];

const FILTERS: Schemas['WebhookChannel']['config']['filters'] = {};

function webhook(name: string, url: string, own: Partial<Schemas['WebhookChannel']> = {}) {
  const example = make('WebhookChannel', { id: uuid(name), name, created_at: ago(90, 'd') });
  const event_types = ['transaction.detected', 'transaction.confirmed', 'transaction.reorged'] as const;
  return {
    ...example,
    is_archived: false,
    config: { ...example.config, url, event_types: [...event_types], filters: FILTERS },
    ...own,
  };
}

export const channels = [
  webhook('Orders', 'https://shop.example.com/hooks/chainwatch'),
  webhook('Ledger', 'https://ledger.example.com/in', { status: 'failing' }),
  make('NatsChannel', {
    id: uuid('Risk'),
    name: 'Risk',
    status: 'active',
    is_archived: false,
    created_at: ago(30, 'd'),
  }),
  make('SlackChannel', {
    id: uuid('Treasury'),
    name: 'Treasury alerts',
    status: 'active',
    is_archived: false,
    created_at: ago(12, 'd'),
  }),
] as const;

const [orders, ledger] = channels;

const detected = make('TransactionDetectedEventItem', {
  event_id: uuid('detected').replace(/^(.{14})4/, '$15'),
  created_at: ago(87, 's'),
  is_test_message: false,
  is_historical: undefined,
  sequence: 91_233,
  position: 91_233,
  data: { ...make('TransactionDetectedEventItem', {}).data, transaction: inEvent(followed) },
});

/** Events, newest first. */
export const events = [
  make('TransactionDetectedEventItem', {
    ...detected,
    event_id: uuid('bitcoin').replace(/^(.{14})4/, '$15'),
    created_at: ago(37, 's'),
    position: 91_235,
    data: { ...detected.data, transaction: transactions[0]! },
  }),
  make('BalanceChangedEventItem', {
    event_id: uuid('balance').replace(/^(.{14})4/, '$15'),
    created_at: ago(86, 's'),
    position: 91_234,
    data: { ...make('BalanceChangedEventItem', {}).data, chain_gid: ETHEREUM, asset_gid: USDC },
  }),
  detected,
  ...transactions.slice(2, 5).map((transaction, index) =>
    make('TransactionConfirmedEventItem', {
      event_id: uuid(`confirmed ${index}`).replace(/^(.{14})4/, '$15'),
      created_at: transaction.confirmed_at!,
      position: 91_232 - index,
      data: { ...make('TransactionConfirmedEventItem', {}).data, transaction: inEvent(transaction) },
    }),
  ),
  make('TransactionReorgedEventItem', {
    event_id: uuid('reorged').replace(/^(.{14})4/, '$15'),
    created_at: transactions[5]!.reorged_at!,
    position: 91_101,
    data: { ...make('TransactionReorgedEventItem', {}).data, transaction: inEvent(transactions[5]!) },
  }),
];

/** As `/events/{event_id}` tells it: its place in the list is not told. */
export const followedEvent = { ...detected, position: undefined };

const lateDelivery: Delivery = make('Delivery', {
  id: uuid('late delivery'),
  channel_id: ledger.id,
  event_id: detected.event_id,
  status: 'pending',
  attempt_count: 2,
  is_test_message: false,
  next_attempt_at: new Date(NOW_MS + 95_000).toISOString(),
  last_error: 'the receiver answered 503 Service Unavailable',
  created_at: detected.created_at,
  delivered_at: null,
});

export const deliveriesOfFollowed: readonly Delivery[] = [
  make('Delivery', {
    id: uuid('delivery to orders'),
    channel_id: orders.id,
    event_id: detected.event_id,
    status: 'delivered',
    attempt_count: 1,
    is_test_message: false,
    created_at: detected.created_at,
    delivered_at: ago(86, 's'),
  }),
  lateDelivery,
];

type Attempt = Schemas['DeliveryWithAttempts']['attempts'][number];

function attempt(number: number, startedAt: string, status: number): Attempt {
  return {
    id: uuid(`attempt ${number}`),
    number,
    started_at: startedAt,
    duration_ms: 41 + number,
    status_code: status,
    error_code: null,
    request: {
      url: 'https://ledger.example.com/in',
      headers: { 'content-type': 'application/json', 'x-webhook-attempt': String(number) },
      body: JSON.stringify({
        event_id: detected.event_id,
        type: detected.type,
        data: { transaction: { chain_gid: ETHEREUM, hash: followed.hash, status: 'detected' } },
      }),
    },
    response_headers: { 'content-type': 'text/plain', 'retry-after': '60' },
    response_body: 'upstream connect error or disconnect/reset before headers',
  };
}

export const lateDeliveryDetail: Schemas['DeliveryWithAttempts'] = {
  ...lateDelivery,
  attempts: [attempt(1, ago(86, 's'), 503), attempt(2, ago(25, 's'), 503)],
};

const LOG: readonly (readonly [Delivery['status'], Delivery['event_type'], number])[] = [
  ['delivered', 'transaction.detected', 37],
  ['delivered', 'transaction.detected', 87],
  ['delivered', 'transaction.confirmed', 270],
  ['failed', 'transaction.confirmed', 1_110],
  ['delivered', 'transaction.confirmed', 3_690],
  ['delivered', 'transaction.reorged', 10_760],
];

/** Newest first. */
export const deliveryLog: readonly Delivery[] = LOG.map(([status, event_type, agoSeconds]) =>
  make('Delivery', {
    id: uuid(`log ${agoSeconds}`),
    channel_id: orders.id,
    event_id: uuid(`event ${agoSeconds}`).replace(/^(.{14})4/, '$15'),
    event_type,
    status,
    attempt_count: status === 'failed' ? 12 : 1,
    is_test_message: false,
    last_error: status === 'failed' ? 'the receiver answered 500' : null,
    created_at: ago(agoSeconds, 's'),
    delivered_at: status === 'delivered' ? ago(agoSeconds - 1, 's') : null,
  }),
);

export const failure = make('ChannelFailedEventItem', {
  event_id: uuid('failure').replace(/^(.{14})4/, '$15'),
  created_at: ago(9, 'd'),
  data: {
    channel: {
      id: orders.id,
      kind: 'webhook',
      name: orders.name,
      failed_at: ago(9, 'd'),
      failure_reason: 'the receiver answered 410 Gone',
    },
  },
});

export const secrets = make('WebhookSecrets', {
  current: {
    ...make('WebhookSecrets', {}).current,
    created_at: ago(5, 'h'),
    last_used_at: ago(37, 's'),
  },
  previous: {
    ...make('WebhookSecrets', {}).previous!,
    mask: 'svc_whsec_****a8Kd',
    rotated_at: ago(5, 'h'),
    expires_at: new Date(NOW_MS + 19 * 3_600_000).toISOString(),
  },
});
