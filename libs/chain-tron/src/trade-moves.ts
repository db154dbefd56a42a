// SPDX-License-Identifier: Apache-2.0
import type { Lookups } from './read-lookups.ts';
import { change, native, token, type Effects, type Move } from './move.ts';
import { bytesOf, intOf, type Fields } from './protobuf.ts';
import { CONTRACT_TYPES, type Contract } from './read-contract.ts';
import type { TransactionInfo } from './wallet-block.ts';

const textOf = (fields: Fields, number: number): string => bytesOf(fields, number).toString('utf8');

/**
 * What kinds of contracts about TRC-10 tokens move beside transfers: issues, exchanges, the market (java-tron's
 * actuators). The other side of an exchange or of the market is nobody's account.
 * @returns undefined for other kinds; no effects where something that they need was not found, which makes the
 * transaction unproved (`readLookups`)
 */
export function listTradeMoves(
  contract: Contract,
  info: TransactionInfo,
  lookups: Lookups,
): Effects | undefined {
  const { type, parameter, owner } = contract;
  switch (type) {
    case CONTRACT_TYPES.participateAssetIssue:
      return participate(contract, lookups);
    case CONTRACT_TYPES.unfreezeAsset:
      return unfreezeAsset(owner, lookups);
    case CONTRACT_TYPES.exchangeCreate:
      return {
        moves: [2, 4].map((field) =>
          token(textOf(parameter, field), { from: owner, amountRaw: intOf(parameter, field + 1) }),
        ),
      };
    case CONTRACT_TYPES.exchangeInject:
    case CONTRACT_TYPES.exchangeWithdraw:
    case CONTRACT_TYPES.exchangeTransaction:
      return exchange(contract, info, lookups);
    case CONTRACT_TYPES.marketSellAsset:
      return sell(contract, info, lookups);
    case CONTRACT_TYPES.marketCancelOrder: {
      // What earlier matches left of the order is not told.
      const order = lookups.orders.get(bytesOf(parameter, 2).toString('hex'));
      return {
        moves: [],
        changes: order === undefined ? [] : [change(owner, order.sellToken)],
        isAttested: true,
      };
    }
    default:
      return undefined;
  }
}

/** TRX to the issuer, tokens to the buyer: `amount * num / trx_num`, rounded down. */
function participate({ parameter, owner }: Contract, { issues }: Lookups): Effects {
  const [issuer, amountRaw] = [bytesOf(parameter, 2), intOf(parameter, 4)];
  const issue = issues.get(textOf(parameter, 3));
  const paid = native({ from: owner, to: issuer, amountRaw });
  if (issue === undefined) return { moves: [paid], isAttested: true };
  const bought = (amountRaw * issue.num) / issue.trxNum;
  return {
    moves: [paid, token(issue.id, { from: issuer, to: owner, amountRaw: bought })],
    isAttested: true,
  };
}

/** All parts of the issuer's frozen supply that are due. Of several parts it is not told which ones these are. */
function unfreezeAsset(owner: Buffer, { issues }: Lookups): Effects {
  const issue = issues.get(owner.toString('hex'));
  if (issue === undefined) return { moves: [], isAttested: true };
  const [only, ...more] = issue.frozen;
  return only !== undefined && more.length === 0
    ? { moves: [token(issue.id, { to: owner, amountRaw: only })], isAttested: true }
    : { moves: [], changes: [change(owner, issue.id)], isAttested: true };
}

/** Both tokens go in (inject), both come out (withdraw), or one goes in and the other one comes out. */
function exchange(
  { type, parameter, owner }: Contract,
  info: TransactionInfo,
  { exchanges, assetIds }: Lookups,
): Effects {
  const named = textOf(parameter, 3);
  const one = assetIds.get(named) ?? named;
  const pair = exchanges.get(intOf(parameter, 2).toString());
  if (pair === undefined || !pair.includes(one)) return { moves: [], isAttested: true };
  const other = pair[0] === one ? pair[1] : pair[0];
  const [given, received] = [{ from: owner }, { to: owner }];
  const move = (asset: string, side: typeof given | typeof received, amountRaw: bigint): Move =>
    token(asset, { ...side, amountRaw });
  const [ownSide, otherSide, amount] =
    type === CONTRACT_TYPES.exchangeInject
      ? [given, given, info.exchange_inject_another_amount]
      : type === CONTRACT_TYPES.exchangeWithdraw
        ? [received, received, info.exchange_withdraw_another_amount]
        : [given, received, info.exchange_received_amount];
  const otherRaw = BigInt(amount ?? 0);
  return {
    moves: [move(one, ownSide, intOf(parameter, 4)), move(other, otherSide, otherRaw)],
    // Java-tron refuses one that would move nothing.
    ...(otherRaw === 0n && { changes: [change(owner, other)] }),
    isAttested: true,
  };
}

/**
 * A market order takes what it sells. Each match pays its two sides at once, the maker of the earlier order too; what is
 * left and too little for anything comes back.
 */
function sell({ parameter, owner }: Contract, info: TransactionInfo, { orders }: Lookups): Effects {
  const [sold, bought] = [textOf(parameter, 2), textOf(parameter, 4)];
  const moves = [token(sold, { from: owner, amountRaw: intOf(parameter, 3) })];
  for (const { makerOrderId = '', fillSellQuantity = 0, fillBuyQuantity = 0 } of info.orderDetails ?? []) {
    const maker = orders.get(makerOrderId)?.owner;
    moves.push(token(bought, { to: owner, amountRaw: BigInt(fillBuyQuantity) }));
    if (maker !== undefined) moves.push(token(sold, { to: maker, amountRaw: BigInt(fillSellQuantity) }));
  }
  const returnedRaw = orders.get(info.orderId ?? '')?.returnedRaw ?? 0n;
  moves.push(token(sold, { to: owner, amountRaw: returnedRaw }));
  return { moves, isAttested: true };
}
