// SPDX-License-Identifier: Apache-2.0
import { balances, addresses, followed, seriesOf, stats, transactions } from './payments.ts';
import {
  blockOfPayment,
  chains,
  countingBlocks,
  incidents,
  nodes,
  POLYGON,
  tokens,
  undoneBlocks,
} from './chains.ts';
import {
  channels,
  deliveriesOfFollowed,
  deliveryLog,
  events,
  failure,
  followedEvent,
  lateDeliveryDetail,
  secrets,
} from './deliveries.ts';
import type { Answers } from './fixed-api.ts';
import { ago, listOf, make } from './make-record.ts';
import { proof, proved, reconciliationRows, reconciliations, statements } from './records.ts';
import { keys, members, session, usage } from './workspace.ts';

/** More than a page shows, as in a project that is used. */
const TOTALS = { transactions: 38_137, addresses: 12_408, events: 91_235, deliveries: 45_602 };

/** What the pages of the pictures ask for, by operation. */
export const fixedAnswers: Answers = {
  getSession: () => session,
  // Asked where an answer is late.
  getVersion: () => make('Version', {}),
  getStats: () => stats,
  getStatsSeries: ({ query }) => seriesOf(query.get('channel_id')),
  listBlockchains: () => listOf(chains),
  getBlockchain: ({ path }) => {
    const chain = chains.find(({ gid }) => gid === path.chain_gid);
    return chain && { ...chain, upgrades: [], upgrades_reviewed: null };
  },
  getNetwork: ({ path }) => make('Network', { gid: path.chain_gid, explorer: undefined }),
  listIncidents: ({ path }) => listOf(path.chain_gid === POLYGON ? incidents : []),
  listEndpoints: () => ({ items: [] }),
  listConfirmationPolicies: () => listOf([]),
  listTokens: () => listOf(tokens),
  listNodes: () => ({ reported_at: ago(3, 's'), items: nodes }),
  listBlocks: ({ query }) => listOf(query.get('statuses') === 'reorged' ? undoneBlocks : countingBlocks),
  getBlock: ({ path }) => blockOfPayment(Number(path.block_number)),
  getToken: ({ path }) => tokens.find(({ gid }) => gid === `${path.chain_gid}/${path.asset_path}`),
  listAddresses: () => listOf(addresses, TOTALS.addresses),
  getAddress: ({ path }) => addresses.find(({ address }) => address === path.address),
  getBalanceDetails: () => ({ items: balances }),
  listTransactions: ({ query }) => {
    const own = query.get('addresses');
    const found = transactions.filter(
      ({ transfers }) => own === null || transfers.some(({ monitored_addresses: all }) => all.includes(own)),
    );
    return listOf(found, own === null ? TOTALS.transactions : found.length);
  },
  getTransaction: ({ path }) => [...transactions, proved].find(({ id }) => id === path.transaction_id),
  getTransactionProof: () => proof,
  listStatements: () => listOf(statements),
  getStatement: ({ path }) => statements.find(({ id }) => id === path.statement_id),
  listReconciliations: () => listOf(reconciliations),
  getReconciliation: ({ path }) => reconciliations.find(({ id }) => id === path.reconciliation_id),
  listReconciliationRows: () => listOf(reconciliationRows, 1_043),
  listEvents: ({ query }) => {
    if (query.get('types') === 'channel.failed') return listOf([failure]);
    if (query.get('transaction_id') === followed.id) return listOf([events[2]!, events[1]!]);
    return listOf(events, TOTALS.events);
  },
  getEvent: () => followedEvent,
  listEventDeliveries: ({ path }) =>
    listOf(path.event_id === followedEvent.event_id ? deliveriesOfFollowed : []),
  listChannels: () => listOf(channels),
  getChannel: ({ path }) => channels.find(({ id }) => id === path.notification_channel_id),
  listDeliveries: ({ query }) =>
    query.get('statuses') === 'held' ? listOf([]) : listOf(deliveryLog, TOTALS.deliveries),
  getDelivery: ({ path }) => (path.delivery_id === lateDeliveryDetail.id ? lateDeliveryDetail : undefined),
  getWebhookSecrets: () => secrets,
  listKeys: () => listOf(keys),
  listMembers: () => listOf(members),
  listUsage: () => listOf(usage),
};
