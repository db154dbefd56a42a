// SPDX-License-Identifier: Apache-2.0
import type { ConcernedAddressRecord } from '@chainwatch/events';
import { limit, shorten } from './message.ts';
import type { NameBook } from './name-book.ts';

const LABEL_LENGTH_MAX = 64;
const CHAIN_LENGTH_MAX = 40;
/** Scripts that run from right to left. Their letters turn numbers beside them round. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';

/** The label of a monitored address, otherwise the address itself, shortened. */
export function nameOwner(
  { address_id: id, address }: { readonly address_id: string; readonly address: string },
  addresses: readonly ConcernedAddressRecord[] = [],
): string {
  return writeLabel(addresses.find((one) => one.address_id === id)?.label) ?? shorten(address);
}

/** The same for an address without its id. */
export function nameAddress(address: string, addresses: readonly ConcernedAddressRecord[] = []): string {
  return writeLabel(addresses.find((one) => one.address === address)?.label) ?? shorten(address);
}

/** The display name of a chain, otherwise its id. */
export function nameChain(chainGid: string, { names }: { readonly names: NameBook }): string {
  return limit(toOneLine(names.findNetwork(chainGid)?.displayName ?? chainGid), CHAIN_LENGTH_MAX);
}

/** A text that somebody wrote, on one line of limited length. Nothing in it moves the text beside it. */
export function writeLabel(label: string | null | undefined): string | undefined {
  const text = limit(toOneLine(label ?? '').trim(), LABEL_LENGTH_MAX);
  if (text === '') return undefined;
  return RIGHT_TO_LEFT.test(text) ? `${ISOLATE}${text}${END_OF_ISOLATE}` : text;
}

/** What begins a new line or turns the text beside it round. Labels are often written by strangers. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

export function toOneLine(text: string): string {
  return text.replaceAll(BREAKING, ' ');
}
