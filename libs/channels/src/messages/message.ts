// SPDX-License-Identifier: Apache-2.0
/** A piece of a text for people; `code` is shown letter by letter. */
export type TextPiece = string | { readonly code: string };

/** A page that a message leads to. */
export interface MessageLink {
  readonly text: string;
  readonly url: string;
}

/** An event for people, before a service's markup. */
export interface Message {
  /** The most important facts, in one line: amount, customer, chain, state. */
  readonly headline: string;
  /** Of a mail. */
  readonly subject: string;
  readonly details: readonly (readonly TextPiece[])[];
  readonly links: readonly MessageLink[];
}

/** A text of at most `max` characters. What is cut off shows as an ellipsis. */
export function limit(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : text;
}

/** The beginning and the end of a hash or an address: people compare them. */
export function shorten(text: string): string {
  return text.length > 16 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;
}
