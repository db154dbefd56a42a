// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { EVENT_ITEMS_MAX, readAddressFacts } from './describe-addresses.ts';
import type { EventFacts, EventSubjectMatter, ExampleInput } from './event-definition.ts';
import {
  transactionData,
  balanceChangedData,
  channelFailedData,
  type TransactionData,
  type ConcernedAddressRecord,
} from './event-records.ts';

const CHAIN = 'eip155:1';
const NATIVE = `${CHAIN}/slip44:60`;
const ADDRESS = '0x000000000000000000000000000000000000dEaD';
const SENDER = '0x0000000000000000000000000000000000000001';
const HASH = `0x${'0'.repeat(64)}`;

/** Events about a transaction of monitored addresses. */
export const transactionEvent: EventSubjectMatter<typeof transactionData> = {
  matter: 'payment',
  data: transactionData,
  facts: readFacts,
};

function readFacts({
  transaction,
  balance_changes: changes,
  addresses,
  truncated,
  addresses_truncated = false,
}: TransactionData): EventFacts {
  // What goes to others out of an output of the project comes with input and change, which are no amounts that moved.
  const paid = transaction.transfers.filter((transfer) => transfer.monitored_addresses.length === 0);
  return {
    chainGid: transaction.chain_gid,
    transactionId: transaction.id,
    direction: transaction.direction,
    verification: transaction.verification,
    memos: [transaction.memo, ...transaction.transfers.map(({ memo }) => memo)].flatMap((memo) =>
      typeof memo === 'string' ? [memo, ...memo.split('\n')] : [],
    ),
    leavesOut: {
      addresses: addresses_truncated,
      moves: truncated && transaction.transfers.length >= EVENT_ITEMS_MAX,
    },
    addresses: readAddressFacts(
      addresses,
      changes.map((change) => change.address_id),
    ),
    moves: (paid.length > 0 ? paid : transaction.transfers).map((transfer) => ({
      assetGid: transfer.asset_gid,
      amount: transfer.type === 'nft' ? null : (transfer.amount ?? undefined),
    })),
  };
}

/** One that failed in a block moved nothing but its fee; one that was dropped from the mempool would have moved something. */
export function readFailedFacts(data: TransactionData): EventFacts {
  const { fee, transfers } = data.transaction;
  const facts = readFacts(data);
  if (transfers.length > 0 || fee === null) return facts;
  return { ...facts, moves: [{ assetGid: fee.asset_gid, amount: fee.amount ?? undefined }] };
}

/** A made-up transaction in a state, as a real event would tell of it. */
export function exampleIn(
  status: 'detected' | 'confirmed' | 'reorged' | 'failed',
  confirmations = 1,
): (input: ExampleInput) => TransactionData {
  const isConfirmed = status === 'confirmed';
  const isReorged = status === 'reorged';
  return ({ at, id }) => {
    const addressId = id();
    return {
      transaction: {
        id: id(),
        chain_gid: CHAIN,
        hash: HASH,
        status,
        direction: 'in',
        block_number: isReorged ? null : 21_000_000,
        block_hash: isReorged ? null : HASH,
        block_timestamp: isReorged ? null : at,
        tx_index: isReorged ? null : 0,
        confirmations: isConfirmed ? 12 : isReorged ? 0 : confirmations,
        required_confirmations: 12,
        fee: null,
        memo: null,
        matures_at_block: null,
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
            memo: null,
            monitored_addresses: [ADDRESS],
          },
        ],
        replaced_by: null,
        verification: null,
        detected_at: at,
        confirmed_at: isConfirmed ? at : null,
        reorged_at: isReorged ? at : null,
      },
      balance_changes: [
        {
          address_id: addressId,
          address: ADDRESS,
          asset_gid: NATIVE,
          delta: '1',
          delta_raw: '1000000000000000000',
        },
      ],
      addresses: [exampleAddress(addressId, ADDRESS)],
      truncated: false,
    };
  };
}

/** Events about the balance of a monitored address. */
export const balanceEvent: EventSubjectMatter<typeof balanceChangedData> = {
  matter: 'balance',
  data: balanceChangedData,
  facts: ({
    chain_gid: chainGid,
    address_id: addressId,
    asset_gid: assetGid,
    delta,
    delta_raw: deltaRaw = delta,
    changes,
    addresses,
    verification,
  }) => ({
    chainGid,
    verification,
    reasons: changes?.map(({ reason }) => reason),
    direction: deltaRaw === null ? undefined : deltaRaw.startsWith('-') ? 'out' : 'in',
    addresses: readAddressFacts(addresses, [addressId]),
    // Without a balance before nothing is known to have moved.
    moves: [{ assetGid, amount: deltaRaw === null ? null : delta?.replace('-', '') }],
  }),
};

/** A made-up balance of an address. */
export function exampleBalance(addressId: string): z.output<typeof balanceChangedData> {
  return {
    address_id: addressId,
    address: ADDRESS,
    chain_gid: 'eip155:1',
    asset_gid: 'eip155:1/slip44:60',
    previous: '0',
    current: '1',
    delta: '1',
    changes: [{ reason: 'transfer', amount: '1', amount_raw: '1000000000000000000' }],
    current_raw: '1000000000000000000',
    delta_raw: '1000000000000000000',
    block_number: 21_000_000,
    block_hash: `0x${'0'.repeat(64)}`,
    is_confirmed: false,
    verification: null,
    addresses: [exampleAddress(addressId, ADDRESS)],
  };
}

/** Events about a notification channel. */
export const channelEvent: EventSubjectMatter<typeof channelFailedData> = {
  matter: 'channel',
  data: channelFailedData,
  // Filters are about what happens on chains.
  facts: () => undefined,
};

/** A made-up address of test messages. */
function exampleAddress(id: string, address: string): ConcernedAddressRecord {
  return {
    address_id: id,
    address,
    label: 'Example',
    groups: ['examples'],
    metadata: { customer_id: '1042' },
    metadata_truncated: false,
  };
}
