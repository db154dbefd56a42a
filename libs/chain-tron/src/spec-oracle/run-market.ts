// SPDX-License-Identifier: Apache-2.0
import { encodeFields, type Made } from '../spec-ledger-node.ts';
import { bytes, TOKENS, TRX, type Account, type Book } from './book.ts';

export const MARKET_KINDS = ['MarketSellAssetContract', 'MarketCancelOrderContract'] as const;

export interface Order {
  readonly id: string;
  readonly owner: Account;
  readonly sells: string;
  readonly buys: string;
  readonly sellQuantity: number;
  readonly buyQuantity: number;
  remain: number;
  returned: number;
  isActive: boolean;
}

/** Orders for a pair. Undefined where java-tron would refuse it now. */
export function runMarket(
  book: Book,
  kind: (typeof MARKET_KINDS)[number],
  { owner, orders }: { readonly owner: Account; readonly orders: Order[] },
): Made | undefined {
  if (kind === 'MarketCancelOrderContract') return cancel(book, owner, orders);
  const [sells, buys] = book.pick([
    [TRX, TOKENS[0]],
    [TOKENS[0], TRX],
  ] as const);
  // Some prices are far from each other, so that the rest of an order is too little for anything.
  const quantity = (): number => (book.random(3) === 0 ? 1 + book.random(3) : 20 + book.random(80));
  const [sellQuantity, buyQuantity] = [quantity(), quantity()];
  if (!book.take(owner, sells, sellQuantity)) return undefined;
  const id = (orders.length + 1).toString(16).padStart(64, '0');
  const order: Order = {
    ...{ id, owner, sells, buys, sellQuantity, buyQuantity },
    ...{ remain: sellQuantity, returned: 0, isActive: true },
  };
  const orderDetails = match(book, order, orders);
  orders.push(order);
  const parameter = {
    1: bytes(owner.address),
    2: Buffer.from(sells),
    3: BigInt(sellQuantity),
    4: Buffer.from(buys),
    5: BigInt(buyQuantity),
  };
  return {
    rawData: encodeFields(52, parameter),
    info: book.withFee(owner, { orderId: id, ...(orderDetails.length > 0 && { orderDetails }) }),
  };
}

/** Rare here: what comes back is not told. */
function cancel(book: Book, owner: Account, orders: readonly Order[]): Made | undefined {
  if (book.random(5) > 0) return undefined;
  const order = orders.find((one) => one.owner === owner && one.isActive);
  if (order === undefined) return undefined;
  book.give(owner, order.sells, order.remain);
  Object.assign(order, { remain: 0, isActive: false });
  return {
    rawData: encodeFields(53, { 1: bytes(owner.address), 2: bytes(order.id) }),
    info: book.withFee(owner),
  };
}

/** MarketSellAssetActuator.matchSingleOrder: at the price of the maker, the best one first. */
function match(book: Book, taker: Order, orders: readonly Order[]): object[] {
  const details: object[] = [];
  const fits = ({ sells, buys, sellQuantity, buyQuantity, isActive }: Order): boolean =>
    isActive &&
    sells === taker.buys &&
    buys === taker.sells &&
    sellQuantity * taker.sellQuantity >= buyQuantity * taker.buyQuantity;
  const priceOf = ({ sellQuantity, buyQuantity }: Order): number => buyQuantity / sellQuantity;
  for (const maker of orders.filter(fits).sort((one, other) => priceOf(one) - priceOf(other))) {
    if (taker.remain === 0) break;
    const wanted = Math.floor((taker.remain * maker.sellQuantity) / maker.buyQuantity);
    if (wanted === 0) {
      taker.returned = taker.remain;
      book.give(taker.owner, taker.sells, taker.remain);
      taker.remain = 0;
      break;
    }
    const bought = Math.min(wanted, maker.remain);
    const paid =
      wanted < maker.remain
        ? taker.remain
        : Math.floor((maker.remain * maker.buyQuantity) / maker.sellQuantity);
    if (paid === 0) break;
    maker.remain -= bought;
    taker.remain -= paid;
    maker.isActive = maker.remain > 0;
    book.give(taker.owner, taker.buys, bought);
    book.give(maker.owner, maker.buys, paid);
    details.push({
      ...{ makerOrderId: maker.id, takerOrderId: taker.id },
      ...{ fillSellQuantity: paid, fillBuyQuantity: bought },
    });
  }
  taker.isActive = taker.remain > 0;
  return details;
}
