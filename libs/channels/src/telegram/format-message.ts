import { describeEvent, type EventEnvelope, type TextPiece } from '@chainwatch/events';

/**
 * Telegram's limit for a message (https://core.telegram.org/bots/api#sendmessage). It counts after entities
 * are parsed, we count before.
 */
const LENGTH_MAX = 4_096;
/** Reserved for the line that says how much was left out. */
const REST_LENGTH = 32;

/** Events as a short HTML message: one with its details, several as a digest with a line for each. */
export function formatMessage(payloads: readonly string[]): string {
  const events = payloads.map((payload) => JSON.parse(payload) as EventEnvelope);
  const [first] = events;
  if (events.length === 1) return join(describe(first!, 'lines'));
  return join([
    `<b>${events.length} events</b>`,
    ...events.map((event) => `• ${describe(event, 'brief').join(' · ')}`),
  ]);
}

function describe(event: EventEnvelope, length: 'lines' | 'brief'): string[] {
  const { title, text } = describeEvent(event, length);
  return [`${event.is_test_message ? '[test] ' : ''}<b>${escape(title)}</b>`, ...text.map(toHtml)];
}

function toHtml(pieces: readonly TextPiece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? escape(piece) : code(piece.code))).join('');
}

function code(text: string): string {
  return `<code>${escape(text)}</code>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** As many whole lines as fit: cutting a line could cut a tag. */
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
