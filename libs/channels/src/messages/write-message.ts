// SPDX-License-Identifier: Apache-2.0
import {
  matterOf,
  type BalanceChangedData,
  type ChannelFailedData,
  type EventEnvelope,
  type TransactionData,
} from '@chainwatch/events';
import { limit, type Message, type TextPiece } from './message.ts';
import type { EventContext, NameBook } from './name-book.ts';
import { toOneLine, writeLabel, nameChain, nameOwner } from './name-parties.ts';
import { describePayment } from './payment-message.ts';
import { listLinks } from './list-links.ts';
import { describeAmount, signOf } from './describe-amount.ts';
import { describeContract, nameAsset } from './name-asset.ts';

/** An event for people: all texts about events stand in this folder. */
export function writeMessage(event: EventEnvelope, names: NameBook): Message {
  const context: EventContext = {
    names,
    projectId: event.project_id,
    isTest: event.is_test_message,
    isHistorical: event.is_historical === true,
  };
  const message = describe(event, context);
  if (!event.is_test_message) return message;
  return { ...message, headline: `[test] ${message.headline}`, subject: `[test] ${message.subject}` };
}

function describe({ type, data }: EventEnvelope, context: EventContext): Message {
  const matter = matterOf(type);
  if (matter === 'payment') return describePayment(data as TransactionData, context);
  if (matter === 'balance') return describeBalance(data as BalanceChangedData, context);
  if (matter === 'channel') return describeChannel(data as ChannelFailedData, context);
  // Of a newer release.
  const name = limit(toOneLine(type), 64);
  return { headline: name, subject: name, details: [], links: [] };
}

/** The payment that an event is about: its mails are one conversation. */
export function threadOf(payload: string): string | undefined {
  const { type, data } = JSON.parse(payload) as EventEnvelope;
  return matterOf(type) === 'payment' ? (data as TransactionData).transaction.id : undefined;
}

/** Assets that messages about these events name. */
export function assetsOf(payloads: readonly string[]): string[] {
  const assets = payloads.flatMap((payload) => {
    const { type, data } = JSON.parse(payload) as EventEnvelope;
    const matter = matterOf(type);
    if (matter === 'balance') return [(data as BalanceChangedData).asset_gid];
    if (matter !== 'payment') return [];
    const { transaction, balance_changes: changes } = data as TransactionData;
    return [...changes, ...transaction.transfers].map(({ asset_gid: asset }) => asset);
  });
  return [...new Set(assets)];
}

const REASON_LENGTH_MAX = 120;

/** A notification channel that failed, for people. */
function describeChannel({ channel }: ChannelFailedData, context: EventContext): Message {
  const name = writeLabel(channel.name) ?? channel.id;
  const reason = toOneLine(channel.failure_reason);
  return {
    headline: `Channel ${name} failed · ${limit(toOneLine(channel.kind), 32)} · ${limit(reason, REASON_LENGTH_MAX)}`,
    subject: `Channel ${name} failed`,
    details: [
      ['Events are kept. Fix the cause, then restore the channel.'],
      ...(limit(reason, REASON_LENGTH_MAX) === reason ? [] : [[reason]]),
    ],
    links: listLinks(context, { page: `channels/${channel.id}`, name: 'channel' }),
  };
}

/** A new balance of a monitored address, for people. */
function describeBalance(data: BalanceChangedData, context: EventContext): Message {
  const { delta, delta_raw: raw, current, current_raw: currentRaw } = data;
  const asset = nameAsset(data.asset_gid, context.names);
  const customer = nameOwner(data, data.addresses);
  const balance = `${describeAmount(current, currentRaw)} ${asset}`;
  const isKnown = delta !== null || typeof raw === 'string';
  const change = isKnown
    ? `${signOf(delta, raw ?? undefined)}${describeAmount(delta, raw ?? undefined)} ${asset}`
    : '';
  const word = signOf(delta, raw ?? undefined) === '-' ? 'from' : 'to';
  const chain = nameChain(data.chain_gid, context);
  const state = data.is_confirmed ? 'final' : 'not final yet';
  const gist = isKnown ? `${change} ${word} ${customer}` : `Balance of ${customer}: ${balance}`;
  return {
    headline: [gist, chain, isKnown ? `balance now ${balance}, ${state}` : state].join(' · '),
    subject: [isKnown ? change : balance, customer, 'balance changed'].join(' – '),
    details: listDetails(data, context),
    links: listLinks(context, {
      ...{ page: `addresses/${encodeURIComponent(data.address)}`, name: 'address' },
      explored: { chainGid: data.chain_gid, about: { address: data.address } },
    }),
  };
}

function listDetails(data: BalanceChangedData, { names }: EventContext): (readonly TextPiece[])[] {
  const { changes = [], asset_gid: asset } = data;
  return [
    ...changes.map(({ reason, amount, amount_raw: raw }) => [
      `${signOf(amount, raw)}${describeAmount(amount, raw)} ${nameAsset(asset, names)} · ${reason.replaceAll('_', ' ')}`,
    ]),
    ['Address: ', { code: data.address }],
    ...describeContract(asset, names),
    [`Block: ${data.block_number}`],
  ];
}
