// SPDX-License-Identifier: Apache-2.0
import {
  matterOf,
  type BalanceChangedData,
  type ChannelFailedData,
  type EventEnvelope,
  type TransactionData,
} from '@chainwatch/events';
import { describeBalance } from './balance-message.ts';
import { describeChannel } from './channel-message.ts';
import { limit, type Message } from './message.ts';
import type { EventContext, NameBook } from './name-book.ts';
import { toOneLine } from './name-parties.ts';
import { describePayment } from './payment-message.ts';

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
