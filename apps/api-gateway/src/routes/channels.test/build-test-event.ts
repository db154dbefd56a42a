import { randomUUID } from 'node:crypto';
import { uuidv5, type EventEnvelope, type EventType } from '@chainwatch/events';

const CHAIN = 'eip155:1';
const NATIVE = `${CHAIN}/slip44:60`;
const ADDRESS = '0x000000000000000000000000000000000000dEaD';
const SENDER = '0x0000000000000000000000000000000000000001';
const HASH = `0x${'0'.repeat(64)}`;

/** An event as a real one of its type would be, with `is_test_message` true, `sequence` 0 and made-up data. */
export function buildTestEvent(projectId: string, type: EventType): EventEnvelope {
  const envelope = {
    event_id: uuidv5(`${projectId}|test|${randomUUID()}`),
    api_version: 'v1',
    created_at: new Date().toISOString(),
    is_test_message: true,
    project_id: projectId,
    sequence: 0,
  } as const;
  switch (type) {
    case 'balance.changed':
      return { ...envelope, type, data: balanceData() };
    case 'channel.failed':
      return {
        ...envelope,
        type,
        data: {
          channel: {
            id: randomUUID(),
            kind: 'webhook',
            name: 'Example',
            failed_at: envelope.created_at,
            failure_reason: 'the endpoint answered 410 Gone',
          },
        },
      };
    case 'transaction.detected':
    case 'transaction.confirmed':
    case 'transaction.reorged':
    case 'transaction.failed':
      return { ...envelope, type, data: transactionData(type, envelope.created_at) };
  }
}

type TransactionType = Exclude<EventType, 'balance.changed' | 'channel.failed'>;

function transactionData(type: TransactionType, at: string): EventEnvelope<TransactionType>['data'] {
  const isConfirmed = type === 'transaction.confirmed';
  const isReorged = type === 'transaction.reorged';
  return {
    transaction: {
      id: randomUUID(),
      chain_gid: CHAIN,
      hash: HASH,
      status: type.slice('transaction.'.length) as 'detected' | 'confirmed' | 'reorged' | 'failed',
      direction: 'in',
      block_number: isReorged ? null : 21_000_000,
      block_hash: isReorged ? null : HASH,
      block_timestamp: isReorged ? null : at,
      tx_index: isReorged ? null : 0,
      confirmations: isConfirmed ? 12 : isReorged ? 0 : 1,
      required_confirmations: 12,
      fee: null,
      transfers: [
        {
          index: 0,
          type: 'native',
          asset_gid: NATIVE,
          from: SENDER,
          to: ADDRESS,
          amount: '1',
          amount_raw: '1000000000000000000',
          decimals: 18,
          log_index: null,
          monitored_addresses: [ADDRESS],
        },
      ],
      replaced_by: null,
      verification: 'proved',
      detected_at: at,
      confirmed_at: isConfirmed ? at : null,
      reorged_at: isReorged ? at : null,
    },
    balance_changes: [
      {
        address_id: randomUUID(),
        address: ADDRESS,
        asset_gid: NATIVE,
        delta: '1',
        delta_raw: '1000000000000000000',
      },
    ],
    truncated: false,
  };
}

function balanceData(): EventEnvelope<'balance.changed'>['data'] {
  return {
    address_id: randomUUID(),
    address: ADDRESS,
    chain_gid: CHAIN,
    asset_gid: NATIVE,
    previous: '0',
    current: '1',
    delta: '1',
    block_number: 21_000_000,
    block_hash: HASH,
    is_confirmed: false,
  };
}
