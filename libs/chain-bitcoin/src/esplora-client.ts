// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { EndpointOptions, HttpClient } from '@chainwatch/chain-core';
import { z } from 'zod';
import { openHttp } from './open-http.ts';
import { parseExactJson } from './parse-exact-json.ts';

/** Base units; a text where a double would lose digits (`parseExactJson`). */
const unitsSchema = z.union([z.int().min(0), z.string().regex(/^\d{16,30}$/)]).transform(BigInt);
const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const statusSchema = z.object({ confirmed: z.boolean(), block_height: z.int().min(0).nullish() });
const utxoSchema = z.object({
  txid: hashSchema,
  vout: z.int().min(0),
  value: unitsSchema,
  status: statusSchema,
});
const statsSchema = z.object({
  chain_stats: z.object({
    funded_txo_count: z.int(),
    funded_txo_sum: unitsSchema,
    spent_txo_count: z.int(),
    spent_txo_sum: unitsSchema,
  }),
});
const inputSchema = z.object({
  txid: hashSchema,
  vout: z.int().min(0),
  is_coinbase: z.boolean(),
  prevout: z.object({ scriptpubkey: z.string().regex(/^(?:[0-9a-f]{2})*$/), value: unitsSchema }).nullish(),
});
const transactionSchema = z.object({ vin: z.array(inputSchema), status: statusSchema });

export type EsploraUtxo = z.infer<typeof utxoSchema>;
export type EsploraTransaction = z.infer<typeof transactionSchema>;
export type EsploraStats = z.infer<typeof statsSchema>['chain_stats'];

/** The part of the Esplora HTTP API that tells an address's coins. Amounts are satoshis. */
export class EsploraClient {
  readonly #http: HttpClient;
  readonly #base: string;

  constructor(options: EndpointOptions) {
    this.#http = openHttp(options);
    this.#base = options.endpoint.path.replace(/\/$/, '');
  }

  async readTipHash(signal?: AbortSignal): Promise<string> {
    const path = '/blocks/tip/hash';
    const text = await this.#get(path, signal);
    return check(path, hashSchema, text?.trim());
  }

  async readUtxos(address: string, signal?: AbortSignal): Promise<EsploraUtxo[]> {
    return this.#read(`/address/${address}/utxo`, z.array(utxoSchema), signal);
  }

  /** Counts and sums of confirmed outputs; undefined where the index does not tell. */
  async findStats(address: string, signal?: AbortSignal): Promise<EsploraStats | undefined> {
    return (await this.#find(`/address/${address}`, statsSchema, signal))?.chain_stats;
  }

  /** Unconfirmed transactions that touch the address. */
  async readUnconfirmed(address: string, signal?: AbortSignal): Promise<EsploraTransaction[]> {
    return (await this.#find(`/address/${address}/txs/mempool`, z.array(transactionSchema), signal)) ?? [];
  }

  readTransaction(txid: string, signal?: AbortSignal): Promise<EsploraTransaction> {
    return this.#read(`/tx/${txid}`, transactionSchema, signal);
  }

  close(): void {
    this.#http.close();
  }

  async #read<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    const found = await this.#find(path, schema, signal);
    if (found === undefined) throw new ChainClientError(`index ${shape(path)}: HTTP 404`, { nodeCode: 404 });
    return found;
  }

  async #find<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T | undefined> {
    const text = await this.#get(path, signal);
    return text === undefined ? undefined : check(path, schema, parseExactJson(text));
  }

  /** Undefined for 404. */
  async #get(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const what = `index ${shape(path)}`;
    const { status, text } = await this.#http.send({
      what,
      method: 'GET',
      path: `${this.#base}${path}`,
      signal,
    });
    if (status === 404) return undefined;
    if (status !== 200) throw new ChainClientError(`${what}: HTTP ${status}`, { nodeCode: status });
    return text;
  }
}

function check<T>(path: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ChainClientError(
    `index ${shape(path)}: expected another answer: ${z.prettifyError(parsed.error).slice(0, 200)}`,
  );
}

/** The kind of a request, without whom it asks about. */
function shape(path: string): string {
  return path.replace(/^\/(address|tx)\/[^/]+/, '/$1/…');
}
