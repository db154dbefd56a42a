// SPDX-License-Identifier: Apache-2.0
import type { EventEnvelope } from '@chainwatch/events';
import type { Message, MessageLink, TextPiece } from './messages/message.ts';
import type { NameBook } from './messages/name-book.ts';
import { toOneLine } from './messages/name-parties.ts';
import { writeMessage } from './messages/write-message.ts';

/** How a service writes text. */
export interface Markup {
  /** @param text escaped already */
  readonly bold: (text: string) => string;
  /** Shown letter by letter. It escapes what it must. */
  readonly code: (text: string) => string;
  /** Nothing in the text means anything to the service afterwards. */
  readonly escape: (text: string) => string;
  /** It escapes what it must. The URL is one of ours or of the operator. */
  readonly link: (link: MessageLink) => string;
  /** Between links. */
  readonly separator: string;
}

export interface MessageFormat {
  readonly markup: Markup;
  /** Of the whole, counted with its markup. */
  readonly lengthMax: number;
}

/** Reserved for the line that says how much was left out. */
const REST_LENGTH = 32;

/** Events as a short message for people: one with its details, several as a digest with a line for each. */
export function formatEvents(
  payloads: readonly string[],
  names: NameBook,
  { markup, lengthMax }: MessageFormat,
): string {
  const messages = payloads.map((payload) => writeMessage(JSON.parse(payload) as EventEnvelope, names));
  const [first] = messages;
  if (messages.length === 1) return join(writeOne(first!, markup), lengthMax);
  const digest = messages.map((message) => {
    const link = message.links.slice(0, 1).map(markup.link);
    return ['• ', [headlineOf(message, markup), ...link].join(' · ')].join('');
  });
  return join([markup.bold(markup.escape(`${messages.length} events`)), ...digest], lengthMax);
}

/** The subject of a mail about events. */
export function subjectOfEvents(payloads: readonly string[], names: NameBook): string {
  const [first, ...more] = payloads;
  const { subject } = writeMessage(JSON.parse(first!) as EventEnvelope, names);
  return `${onOneLine(subject)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

function writeOne(message: Message, markup: Markup): string[] {
  const write = (piece: TextPiece): string =>
    typeof piece === 'string' ? markup.escape(toOneLine(piece)) : markup.code(toOneLine(piece.code));
  const links = message.links.map(markup.link).join(markup.separator);
  return [
    markup.bold(headlineOf(message, markup)),
    ...message.details.map((pieces) => pieces.map(write).join('')),
    ...(links === '' ? [] : [links]),
  ];
}

function headlineOf({ headline }: Message, markup: Markup): string {
  return markup.escape(onOneLine(headline));
}

/** Marks of direction stay: those in a headline are ours. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
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
