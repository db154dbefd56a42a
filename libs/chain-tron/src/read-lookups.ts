// SPDX-License-Identifier: Apache-2.0
import type { UnknownPart } from '@chainwatch/chain-core';
import { bytesOf, intOf } from './protobuf.ts';
import { CONTRACT_TYPES } from './read-contract.ts';
import type { WalletSession } from './read-wallet-headers.ts';
import { isAssetId } from './token-gid.ts';
import type { VerifiedBlock, VerifiedTransaction } from './verify-block.ts';
import { isNotServed } from './wallet-api.ts';

/** What transactions refer to and do not hold, by the node's word. None of it changes once it is there. */
export interface Lookups {
  /** Ids of TRC-10 tokens by name: transactions from before there were ids use names. */
  readonly assetIds: ReadonlyMap<string, string>;
  /** Issues of TRC-10 by what the transaction calls them, or by `41…` of the issuer. */
  readonly issues: ReadonlyMap<string, Issue>;
  /** By number. */
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** By id, hexadecimal digits. */
  readonly orders: ReadonlyMap<string, Order>;
}

interface Issue {
  readonly id: string;
  /** `num` base units cost `trxNum` sun. */
  readonly num: bigint;
  readonly trxNum: bigint;
  /** Parts of the supply that wait for a time. */
  readonly frozen: readonly bigint[];
}

/** Ids of its two tokens, `_` for TRX. */
type Exchange = readonly [first: string, second: string];

interface Order {
  /** 21 bytes. */
  readonly owner: Buffer;
  readonly sellToken: string;
  /** Given back when it was placed, because nothing can be bought for so little. Base units of what it sells. */
  readonly returnedRaw: bigint;
}

export const NO_LOOKUPS: Lookups = {
  assetIds: new Map(),
  issues: new Map(),
  exchanges: new Map(),
  orders: new Map(),
};

/** Fields of the parameter in which a token stands, by its id, its name (blocks of 2018), or `_`. */
const TOKEN_FIELDS: Readonly<Record<number, readonly number[]>> = {
  [CONTRACT_TYPES.transferAsset]: [1],
  [CONTRACT_TYPES.participateAssetIssue]: [3],
  [CONTRACT_TYPES.exchangeCreate]: [2, 4],
  [CONTRACT_TYPES.exchangeInject]: [3],
  [CONTRACT_TYPES.exchangeWithdraw]: [3],
  [CONTRACT_TYPES.exchangeTransaction]: [3],
  [CONTRACT_TYPES.marketSellAsset]: [2, 4],
};

/**
 * Reads what the transactions of a block refer to: tokens by name, the price of an issue, the pair of an exchange, the
 * owners of market orders. Asks nothing for a block without such transactions.
 * @returns the unknown parts where the node does not have or does not serve something; these transactions are unproved
 * @throws ChainClientError when the node cannot be asked
 */
export async function readLookups(
  session: WalletSession,
  { transactions }: VerifiedBlock,
  signal?: AbortSignal,
): Promise<{ readonly lookups: Lookups; readonly unknowns: UnknownPart[] }> {
  const reader = new LookupReader(session, signal);
  await Promise.all(transactions.filter(({ isFailed }) => !isFailed).flatMap((tx) => reader.read(tx) ?? []));
  return reader;
}

type Json = Readonly<Record<string, unknown>>;

class LookupReader {
  readonly unknowns: UnknownPart[] = [];
  readonly #session: WalletSession;
  readonly #signal: AbortSignal | undefined;
  readonly #assetIds = new Map<string, string>();
  readonly #issues = new Map<string, Issue>();
  readonly #exchanges = new Map<string, Exchange>();
  readonly #orders = new Map<string, Order>();
  /** Questions that were asked, by what they ask for. */
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(session: WalletSession, signal: AbortSignal | undefined) {
    this.#session = session;
    this.#signal = signal;
  }

  get lookups(): Lookups {
    return {
      assetIds: this.#assetIds,
      issues: this.#issues,
      exchanges: this.#exchanges,
      orders: this.#orders,
    };
  }

  /** Undefined where a transaction holds everything itself. */
  read({ hash, contract, info }: VerifiedTransaction): Promise<void>[] | undefined {
    const { type, parameter, owner } = contract;
    const need = async (what: string, name: string, found: Promise<boolean>): Promise<void> => {
      if (await found) return;
      this.unknowns.push({
        kind: `${what}:unreadable`,
        transactionHash: hash,
        expected: `the ${what} that the transaction refers to`,
        got: `none for ${name}`,
      });
    };
    const names = (TOKEN_FIELDS[type] ?? []).map((field) => bytesOf(parameter, field));
    const named = names.filter((name) => isName(name)).map((name) => this.#readName(name));
    switch (type) {
      case CONTRACT_TYPES.participateAssetIssue:
        return [...named, need('asset', names[0]!.toString(), this.#readIssue(names[0]!))];
      case CONTRACT_TYPES.unfreezeAsset:
        return [need('asset', 'the issuer', this.#readIssueOf(owner.toString('hex')))];
      case CONTRACT_TYPES.exchangeInject:
      case CONTRACT_TYPES.exchangeWithdraw:
      case CONTRACT_TYPES.exchangeTransaction: {
        const id = intOf(parameter, 2).toString();
        return [...named, need('exchange', id, this.#readExchange(id))];
      }
      case CONTRACT_TYPES.marketSellAsset: {
        const makers = (info.orderDetails ?? []).map(({ makerOrderId = '' }) => makerOrderId);
        return [info.orderId ?? '', ...makers].map((id) => need('market-order', id, this.#readOrder(id)));
      }
      case CONTRACT_TYPES.marketCancelOrder: {
        const id = bytesOf(parameter, 2).toString('hex');
        return [need('market-order', id, this.#readOrder(id))];
      }
      default:
        return named.length === 0 ? undefined : named;
    }
  }

  async #readName(name: Buffer): Promise<void> {
    await this.#ask({ method: 'getassetissuebyname', body: { value: name.toString('hex') } }, ({ id }) => {
      if (id === undefined) return false;
      this.#assetIds.set(name.toString('utf8'), String(id));
      return true;
    });
  }

  #readIssue(name: Buffer): Promise<boolean> {
    const text = name.toString('utf8');
    const [method, value] = isName(name)
      ? (['getassetissuebyname', name.toString('hex')] as const)
      : (['getassetissuebyid', text] as const);
    return this.#ask({ method, body: { value }, member: 'issue' }, (json) =>
      keep(this.#issues, text, toIssue(json)),
    );
  }

  #readIssueOf(address: string): Promise<boolean> {
    return this.#ask({ method: 'getassetissuebyaccount', body: { address } }, ({ assetIssue }) => {
      const [json] = Array.isArray(assetIssue) ? (assetIssue as Json[]) : [];
      return keep(this.#issues, address, json && toIssue(json));
    });
  }

  #readExchange(id: string): Promise<boolean> {
    return this.#ask({ method: 'getexchangebyid', body: { id: Number(id) } }, (json) => {
      const [first, second] = [toToken(json['first_token_id']), toToken(json['second_token_id'])];
      return keep(
        this.#exchanges,
        id,
        first === undefined || second === undefined ? undefined : [first, second],
      );
    });
  }

  #readOrder(id: string): Promise<boolean> {
    if (id === '') return Promise.resolve(false);
    return this.#ask({ method: 'getmarketorderbyid', body: { value: id } }, (json) =>
      keep(this.#orders, id, toOrder(json)),
    );
  }

  /**
   * Asks once for the same, and says whether `take` found it. A token's name and its price come from the same answer:
   * `member` keeps them apart.
   */
  #ask(
    {
      method,
      body,
      member = '',
    }: { readonly method: string; readonly body: object; readonly member?: string },
    take: (json: Json) => boolean,
  ): Promise<boolean> {
    const key = `${member}${method}${JSON.stringify(body)}`;
    let found = this.#asked.get(key);
    if (found === undefined) {
      found = this.#call(method, body).then((json) => json !== undefined && take(json));
      this.#asked.set(key, found);
    }
    return found;
  }

  async #call(method: string, body: object): Promise<Json | undefined> {
    try {
      const json = await this.#session.wallet.call(`wallet/${method}`, body, this.#signal);
      return typeof json === 'object' && json !== null ? (json as Json) : undefined;
    } catch (error) {
      if (!isNotServed(error)) throw error;
      return undefined;
    }
  }
}

function isName(token: Buffer): boolean {
  const text = token.toString('utf8');
  return text !== '' && text !== '_' && !isAssetId(text);
}

function keep<T>(map: Map<string, T>, key: string, value: T | undefined): boolean {
  if (value === undefined) return false;
  map.set(key, value);
  return true;
}

/** Bytes of an id, as hexadecimal digits. */
function toToken(hex: unknown): string | undefined {
  if (typeof hex !== 'string' || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return undefined;
  const text = Buffer.from(hex, 'hex').toString('utf8');
  return text === '_' || isAssetId(text) ? text : undefined;
}

function toIssue({ id, num = 0, trx_num: trxNum = 0, frozen_supply: supply }: Json): Issue | undefined {
  const frozen = Array.isArray(supply)
    ? (supply as Json[]).map(({ frozen_amount: amount = 0 }) => amount)
    : [];
  if (!isAssetId(String(id)) || ![num, trxNum, ...frozen].every(isAmount) || Number(trxNum) === 0)
    return undefined;
  return {
    id: String(id),
    num: BigInt(num as number),
    trxNum: BigInt(trxNum as number),
    frozen: frozen.map((amount) => BigInt(amount as number)),
  };
}

function toOrder({
  owner_address: owner,
  sell_token_id: sold,
  sell_token_quantity_return: returned = 0,
}: Json): Order | undefined {
  const sellToken = toToken(sold);
  if (sellToken === undefined || !/^41[0-9a-f]{40}$/i.test(String(owner)) || !isAmount(returned))
    return undefined;
  return { owner: Buffer.from(String(owner), 'hex'), sellToken, returnedRaw: BigInt(returned as number) };
}

function isAmount(value: unknown): boolean {
  return (
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    (typeof value === 'string' && /^\d{1,19}$/.test(value))
  );
}
