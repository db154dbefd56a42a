// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import { BaseError } from '@chainwatch/common/problem';
import type { ChainNotation } from '@chainwatch/chain-core';
import { findNetwork, findNotation, normalizeChainGid } from '@chainwatch/chain-registry';
import { unmarkText } from '../lists/csv-text.ts';
import { timestampSchema } from '../records/path-schemas.ts';
import { hashSchema } from '../routes/transactions.list/transaction-query.ts';
import type { Column, RawRow } from './read-rows.ts';

export type Direction = 'in' | 'out' | 'fee';

/** A row that can be matched. */
export interface LedgerRow {
  readonly line: number;
  readonly reference: string | undefined;
  readonly chainGid: string;
  /** As it was written. */
  readonly hash: string | undefined;
  readonly eventId: string | undefined;
  /** Canonical. */
  readonly address: string;
  readonly assetGid: string;
  /** Undefined: the ledger does not say. */
  readonly direction: Direction | undefined;
  /** Without its sign: `units` a decimal in whole units of the asset, `raw` in base units. */
  readonly amount: { readonly units: string } | { readonly raw: bigint; readonly units?: string };
  readonly time: Date | undefined;
}

/** A row that cannot. */
export interface InvalidRow {
  readonly line: number;
  readonly reference: string | undefined;
  /** The column and what is wrong with it. */
  readonly reason: string;
}

/** What other bytes are read as, and lone surrogates, which cannot be stored. */
const NOT_UTF8 = /[\uFFFD\uD800-\uDFFF]/u;
const REFERENCE_MAX = 255;
const REASON_MAX = 300;
/** With the spaces around: what is kept of a cell may keep all of it. */
const CELL_MAX = 4_096;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DECIMAL = /^([+-]?)(\d{1,80}(?:\.\d{1,255})?)$/;
const INTEGER = /^([+-]?)(\d{1,78})$/;
/** The largest amount that is stored: 78 digits. */
const RAW_MAX = 10n ** 78n - 1n;
const ADDRESS_MAX = 128;
/** Addresses and assets that are kept in their canonical form: a ledger names few of them often. */
const KEPT_MAX = 2_000;

class RowFault extends BaseError {
  readonly code = 'ledger_row';
  readonly retryable = false;

  constructor(column: Column, reason: string) {
    super(`${column}: ${reason}`);
  }
}

/** Reads the rows of one ledger: each by itself, addresses, assets, and chains by their family. */
export class RowParser {
  readonly #kept = new Map<string, string>();

  /** Never rejects for what a row says. */
  async parse({ line, cells, fault }: RawRow): Promise<LedgerRow | InvalidRow> {
    const reference = clean(cells.reference)?.slice(0, REFERENCE_MAX);
    if (fault !== undefined) return { line, reference: storable(reference), reason: fault };
    try {
      return { line, ...(await this.#read(cells)) };
    } catch (error) {
      if (error instanceof RowFault)
        return { line, reference: storable(reference), reason: error.message.slice(0, REASON_MAX) };
      throw error;
    }
  }

  async #read(cells: RawRow['cells']): Promise<Omit<LedgerRow, 'line'>> {
    for (const [column, text] of Object.entries(cells)) checkText(column as Column, text);
    const reference = clean(cells.reference);
    if ((reference?.length ?? 0) > REFERENCE_MAX)
      throw new RowFault(
        'reference',
        `expected at most ${REFERENCE_MAX} characters, got ${reference!.length}`,
      );
    const hash = clean(cells.hash);
    const eventId = clean(cells.event_id);
    if (hash === undefined && eventId === undefined) throw new RowFault('hash', 'expected it, or event_id');
    if (hash !== undefined && !hashSchema.safeParse(hash).success)
      throw new RowFault('hash', `expected a transaction hash, got ${show(hash)}`);
    if (eventId !== undefined && !UUID.test(eventId))
      throw new RowFault('event_id', `expected a UUID, got ${show(eventId)}`);
    const { assetGid, chainGid, notation } = await this.#readAsset(demand('asset_gid', cells));
    const chain = clean(cells.chain_gid);
    if (chain !== undefined && normalizeChainGid(chain) !== chainGid)
      throw new RowFault('chain_gid', `expected ${chainGid}, the chain of the asset, got ${show(chain)}`);
    const { sign, amount } = readAmount(cells);
    const direction = readDirection(clean(cells.direction), sign);
    return {
      ...{ reference, chainGid, hash, eventId, assetGid, direction, amount },
      address: this.#readAddress(notation, chainGid, demand('address', cells)),
      time: readTime(clean(cells.time)),
    };
  }

  async #readAsset(text: string): Promise<{ assetGid: string; chainGid: string; notation: ChainNotation }> {
    const parts = tryRead('asset_gid', () => splitAssetGid(text));
    const chainGid = normalizeChainGid(parts.chainGid);
    const network = findNetwork(chainGid);
    const notation = await findNotation(chainGid.split(':', 1)[0]!);
    if (network === undefined || notation === undefined)
      throw new RowFault('asset_gid', `expected a chain that the service knows, got ${show(chainGid)}`);
    const assetGid = this.#keep(`asset ${text}`, () =>
      tryRead('asset_gid', () => notation.parseAssetPath(network, `${parts.namespace}:${parts.reference}`)),
    );
    return { assetGid, chainGid, notation };
  }

  #readAddress(notation: ChainNotation, chainGid: string, text: string): string {
    if (text.length > ADDRESS_MAX)
      throw new RowFault('address', `expected at most ${ADDRESS_MAX} characters, got ${text.length}`);
    return this.#keep(`address ${chainGid} ${text}`, () =>
      tryRead('address', () => {
        const parsed = notation.parseAddress(text);
        const spellings = [parsed, ...(parsed.others ?? [])];
        const known = spellings.find(({ networkGids }) => networkGids?.includes(chainGid) ?? true);
        if (known === undefined) throw new RowFault('address', `expected an address of ${chainGid}`);
        return known.canonical;
      }),
    );
  }

  #keep(key: string, read: () => string): string {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const value = read();
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    this.#kept.set(key, value);
    return value;
  }
}

/** Undefined for an empty cell. The mark that CSV exports put before formulas is taken away. */
function clean(text: string | undefined): string | undefined {
  const cell = unmarkText(text?.trim() ?? '');
  return cell === '' ? undefined : cell;
}

function demand(column: Column, cells: RawRow['cells']): string {
  const text = clean(cells[column]);
  if (text === undefined) throw new RowFault(column, 'expected it, got nothing');
  return text;
}

function checkText(column: Column, text: string): void {
  if (text.length > CELL_MAX)
    throw new RowFault(column, `expected at most ${CELL_MAX} characters, got ${text.length}`);
  if (text.includes('\0')) throw new RowFault(column, 'expected text without NUL');
  if (NOT_UTF8.test(text)) throw new RowFault(column, 'expected UTF-8');
}

function storable(text: string | undefined): string | undefined {
  return text?.replace(/[\0\uD800-\uDFFF]/gu, '');
}

function tryRead<T>(column: Column, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BaseError) throw new RowFault(column, error.publicMessage ?? error.message);
    throw error;
  }
}

interface Amount {
  readonly sign: string;
  readonly amount: LedgerRow['amount'];
}

/** Of a row with both, `amount_raw` counts, and `amount` has to say the same. */
function readAmount(cells: RawRow['cells']): Amount {
  const raw = readDigits('amount_raw', clean(cells.amount_raw), INTEGER);
  const units = readDigits('amount', clean(cells.amount), DECIMAL);
  if (raw === undefined) {
    if (units === undefined) throw new RowFault('amount', 'expected it, or amount_raw');
    return { sign: units.sign, amount: { units: units.digits } };
  }
  const isZero = /^[0.]*$/.test(units?.digits ?? '0');
  if (units !== undefined && !isZero && (units.sign === '-') !== (raw.sign === '-'))
    throw new RowFault('amount', 'expected the sign of amount_raw');
  return {
    sign: raw.sign,
    amount: { raw: BigInt(raw.digits), ...(units !== undefined && { units: units.digits }) },
  };
}

function readDigits(
  column: 'amount' | 'amount_raw',
  text: string | undefined,
  pattern: RegExp,
): { readonly sign: string; readonly digits: string } | undefined {
  if (text === undefined) return undefined;
  const parts = pattern.exec(text);
  if (parts === null)
    throw new RowFault(
      column,
      column === 'amount'
        ? `expected a decimal number such as "1.5", got ${show(text)}`
        : `expected an integer such as "1500000", got ${show(text)}`,
    );
  return { sign: parts[1]!, digits: parts[2]! };
}

function readDirection(text: string | undefined, sign: string): Direction | undefined {
  const direction = text?.toLowerCase();
  if (direction !== undefined && direction !== 'in' && direction !== 'out' && direction !== 'fee')
    throw new RowFault('direction', `expected in, out or fee, got ${show(text!)}`);
  if (direction === 'in' && sign === '-')
    throw new RowFault('direction', 'expected out or fee: the amount is negative');
  return direction ?? (sign === '-' ? 'out' : undefined);
}

function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const { data } = timestampSchema.safeParse(text);
  if (data === undefined)
    throw new RowFault(
      'time',
      `expected RFC 3339 with an offset such as "2026-10-01T00:00:00Z", got ${show(text)}`,
    );
  return data;
}

function show(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

/** An amount in base units; a text where it cannot be one, or where both of a row differ. */
export function toRaw(amount: LedgerRow['amount'], decimals: number | null): bigint | string {
  const raw = amount.units === undefined ? undefined : unitsToRaw(amount.units, decimals);
  if (!('raw' in amount)) return raw!;
  return decimals === null || raw === undefined || raw === amount.raw
    ? amount.raw
    : `amount: expected the same as amount_raw, ${amount.raw} base units, got ${amount.units!}`;
}

function unitsToRaw(units: string, decimals: number | null): bigint | string {
  if (decimals === null)
    return 'amount: expected amount_raw, because the decimals of the asset are not known';
  const [whole, fraction = ''] = units.split('.') as [string, string?];
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) return `amount: expected at most ${decimals} decimals, got ${digits.length}`;
  const raw = BigInt(whole + digits.padEnd(decimals, '0'));
  return raw > RAW_MAX ? 'amount: expected at most 78 digits in base units' : raw;
}
