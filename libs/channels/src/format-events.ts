import { describeEvent, type EventEnvelope, type TextPiece } from '@chainwatch/events';

/** How a service writes text. */
export interface Markup {
  /** @param text escaped already */
  readonly bold: (text: string) => string;
  /** Shown letter by letter. It escapes what it must. */
  readonly code: (text: string) => string;
  /** Nothing in the text means anything to the service afterwards. */
  readonly escape: (text: string) => string;
}

/** What would begin a line of its own, or turn the text beside it round: labels are often written by strangers. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const toOneLine = (text: string): string => text.replaceAll(BREAKING, ' ');

/** Reserved for the line that says how much was left out. */
const REST_LENGTH = 32;

/**
 * Events as a short message for people: one with its details, several as a digest with a line for each.
 *
 * @param lengthMax of the whole, counted with its markup
 */
export function formatEvents(payloads: readonly string[], markup: Markup, lengthMax: number): string {
  const events = payloads.map((payload) => JSON.parse(payload) as EventEnvelope);
  const [first] = events;
  if (events.length === 1) return join(describe(first!, 'lines', markup), lengthMax);
  const digest = events.map((event) => `• ${describe(event, 'brief', markup).join(' · ')}`);
  return join([markup.bold(`${events.length} events`), ...digest], lengthMax);
}

function describe(event: EventEnvelope, length: 'lines' | 'brief', markup: Markup): string[] {
  const { title, text } = describeEvent(event, length);
  const test = event.is_test_message ? `${markup.escape('[test]')} ` : '';
  const write = (piece: TextPiece): string =>
    typeof piece === 'string' ? markup.escape(toOneLine(piece)) : markup.code(toOneLine(piece.code));
  return [
    `${test}${markup.bold(markup.escape(toOneLine(title)))}`,
    ...text.map((pieces) => pieces.map(write).join('')),
  ];
}

/** As many whole lines as fit: cutting a line could cut its markup. */
function join(lines: readonly string[], lengthMax: number): string {
  let text = '';
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    if (text.length + line.length + 1 > lengthMax - (isLast ? 0 : REST_LENGTH))
      return `${text}\n… and ${lines.length - index} more`;
    text = index === 0 ? line : `${text}\n${line}`;
  }
  return text;
}
