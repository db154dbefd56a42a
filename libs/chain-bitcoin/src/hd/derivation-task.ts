import type { AddressPrefixes, HdFormat } from './encode-addresses.ts';

/** What the worker is asked: some addresses of one account, in the order of `indexes`. */
export interface DerivationTask {
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
  readonly change: number;
  readonly indexes: readonly number[];
  readonly format: HdFormat;
  readonly prefixes: AddressPrefixes;
}

/** What it answers; `fault` says why there are none. */
export type DerivationAnswer = { readonly addresses: readonly string[] } | { readonly fault: string };
