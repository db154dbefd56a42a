import type { EventEnvelope, EventType } from '@chainwatch/events';

/** Of a message (https://core.telegram.org/bots/api#sendmessage), after its entities are parsed; we count before. */
const LENGTH_MAX = 4_096;
/** Kept free for the line that says how much was left out. */
const REST_LENGTH = 32;

const TITLES: Readonly<Record<EventType, string>> = {
  'transaction.detected': 'Transaction detected',
  'transaction.confirmed': 'Transaction confirmed',
  'transaction.reorged': 'Transaction undone by a reorganisation',
  'transaction.failed': 'Transaction failed',
  'balance.changed': 'Balance changed',
  'channel.failed': 'Notification channel failed',
};

/** Events as a short HTML message: one with its details, several as a digest with a line for each. */
export function formatMessage(payloads: readonly string[]): string {
  const events = payloads.map((payload) => JSON.parse(payload) as EventEnvelope);
  const [first] = events;
  if (events.length === 1) return join([headline(first!), ...details(first!)]);
  return join([
    `<b>${events.length} events</b>`,
    ...events.map((event) => `• ${[headline(event), ...summary(event)].join(' · ')}`),
  ]);
}

function headline(event: EventEnvelope): string {
  return `${event.is_test_message ? '[test] ' : ''}<b>${TITLES[event.type] ?? escape(event.type)}</b>`;
}

function details(event: EventEnvelope): string[] {
  if (event.type === 'channel.failed')
    return [
      `${escape(event.data.channel.name)} (${event.data.channel.kind})`,
      escape(event.data.channel.failure_reason),
    ];
  if (event.type === 'balance.changed') {
    const { data } = event;
    return [
      code(data.address),
      `${escape(data.previous ?? '?')} → ${escape(data.current)} ${code(data.asset_gid)}`,
      `block ${data.block_number} of ${code(data.chain_gid)}`,
    ];
  }
  const { transaction, balance_changes: changes } = event.data;
  const block = transaction.block_number === null ? 'not in a block' : `block ${transaction.block_number}`;
  const place = `${transaction.direction} · ${block} of ${code(transaction.chain_gid)} · ${transaction.confirmations}/${transaction.required_confirmations} confirmations`;
  return [
    place,
    code(transaction.hash),
    ...changes.map((change) => `${amountOf(change)} ${code(change.asset_gid)} on ${code(change.address)}`),
  ];
}

/** One line of a digest, without its title. */
function summary(event: EventEnvelope): string[] {
  if (event.type === 'channel.failed') return [escape(event.data.channel.name)];
  if (event.type === 'balance.changed')
    return [`${escape(event.data.current)} ${code(event.data.asset_gid)}`, code(shorten(event.data.address))];
  const { transaction, balance_changes: changes } = event.data;
  const more = changes.length > 2 ? [`${changes.length - 2} more`] : [];
  return [
    ...changes.slice(0, 2).map((change) => `${amountOf(change)} ${code(change.asset_gid)}`),
    ...more,
    code(shorten(transaction.hash)),
  ];
}

function amountOf({ delta, delta_raw: raw }: { delta: string | null; delta_raw: string }): string {
  const text = delta ?? `${raw} base units`;
  return escape(text.startsWith('-') ? text : `+${text}`);
}

function shorten(text: string): string {
  return text.length > 16 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;
}

function code(text: string): string {
  return `<code>${escape(text)}</code>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Whole lines as far as they fit: a line cut in two could cut a tag. */
function join(lines: readonly string[]): string {
  let text = '';
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    if (text.length + line.length + 1 > LENGTH_MAX - (isLast ? 0 : REST_LENGTH))
      return `${text}\n… and ${lines.length - index} more`;
    text = index === 0 ? line : `${text}\n${line}`;
  }
  return text;
}
