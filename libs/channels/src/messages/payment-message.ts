// SPDX-License-Identifier: Apache-2.0
import type { BalanceChangeRecord, TransactionData, TransferRecord } from '@chainwatch/events';
import { describeAmount, signOf } from './describe-amount.ts';
import { listLinks } from './list-links.ts';
import { limit, shorten, type Message, type TextPiece } from './message.ts';
import type { EventContext } from './name-book.ts';
import { describeContract, nameAsset } from './name-asset.ts';
import { nameAddress, nameChain, nameOwner } from './name-parties.ts';

const MEMO_LENGTH_MAX = 200;
const CHANGES_MAX = 20;

/** The most important fact of a payment, with the customer. */
interface Gist {
  /** `+25 USDT`. */
  readonly amount: string;
  /** ` to Order 4711`. */
  readonly parties: string;
  /** The customer, for the subject of a mail. */
  readonly customer: string;
  /** Changes that it covers. */
  readonly changes: readonly BalanceChangeRecord[];
}

/** A transaction of monitored addresses, for people. */
export function describePayment(data: TransactionData, context: EventContext): Message {
  const { transaction } = data;
  const gist = findGist(data, context);
  const more = listMoved(data).filter((change) => !gist.changes.includes(change)).length;
  const { short, long } = describeState(data, context);
  const rest = more === 0 ? '' : ` and ${more} more`;
  return {
    headline: `${gist.amount}${gist.parties}${rest} · ${nameChain(transaction.chain_gid, context)} · ${long}`,
    subject: [gist.amount, gist.customer, short].filter(Boolean).join(' – '),
    details: listDetails(data, gist, context),
    links: listLinks(context, {
      ...{ page: `transactions/${transaction.id}`, name: 'payment' },
      explored: { chainGid: transaction.chain_gid, about: { transaction: transaction.hash } },
    }),
  };
}

function findGist(data: TransactionData, context: EventContext): Gist {
  const { transaction } = data;
  const changes = listMoved(data);
  const inner = transaction.direction === 'self' ? findInnerMove(changes) : undefined;
  if (inner !== undefined) {
    const [from, to] = inner.map((change) => nameOwner(change, data.addresses));
    const amount = writeAmount(inner[1], context, '');
    return { amount, parties: ` from ${from} to ${to}`, customer: `${from} to ${to}`, changes: inner };
  }
  const isPaid = (change: BalanceChangeRecord): boolean => signOf(change.delta, change.delta_raw) !== '-';
  const wanted = transaction.direction !== 'out';
  const main = changes.find((change) => isPaid(change) === wanted) ?? changes[0];
  if (main !== undefined) {
    const customer = nameOwner(main, data.addresses);
    const parties = ` ${isPaid(main) ? 'to' : 'from'} ${customer}`;
    return { amount: writeAmount(main, context), parties, customer, changes: [main] };
  }
  return findNftGist(data, context) ?? findFeeGist(data, context) ?? emptyGist(data);
}

/** Changes without those that are a fee and nothing else. */
function listMoved({
  transaction,
  balance_changes: changes,
}: TransactionData): readonly BalanceChangeRecord[] {
  return changes.filter((change) => {
    if (change.asset_gid !== transaction.fee?.asset_gid) return true;
    return transaction.transfers.some(
      ({ asset_gid: asset, monitored_addresses: own }) =>
        asset === change.asset_gid && own.includes(change.address),
    );
  });
}

/** Payer and payee of one asset, both of the project. */
function findInnerMove(
  changes: readonly BalanceChangeRecord[],
): readonly [BalanceChangeRecord, BalanceChangeRecord] | undefined {
  for (const to of changes) {
    if (signOf(to.delta, to.delta_raw) !== '+') continue;
    const from = changes.find(
      ({ asset_gid: asset, delta, delta_raw: raw }) => asset === to.asset_gid && signOf(delta, raw) === '-',
    );
    if (from !== undefined) return [from, to];
  }
  return undefined;
}

/** Items of collections are no amounts. */
function findNftGist({ transaction, addresses }: TransactionData, context: EventContext): Gist | undefined {
  const item = transaction.transfers.find(({ type }) => type === 'nft');
  if (item === undefined) return undefined;
  const [address] = item.monitored_addresses;
  const customer = address === undefined ? '' : nameAddress(address, addresses);
  const word = item.to === address ? 'to' : 'from';
  return {
    amount: `NFT ${nameAsset(item.asset_gid, context.names)}`,
    parties: customer === '' ? '' : ` ${word} ${customer}`,
    customer,
    changes: [],
  };
}

function findFeeGist(data: TransactionData, context: EventContext): Gist | undefined {
  const change = data.balance_changes.find(
    ({ asset_gid: asset }) => asset === data.transaction.fee?.asset_gid,
  );
  if (change === undefined) return undefined;
  const customer = nameOwner(change, data.addresses);
  return {
    amount: `${writeAmount(change, context)} (fee)`,
    parties: ` from ${customer}`,
    customer,
    changes: [change],
  };
}

function emptyGist({ transaction, addresses = [] }: TransactionData): Gist {
  const [first] = addresses;
  const customer = first === undefined ? '' : nameOwner(first, addresses);
  return {
    amount: `Transaction ${shorten(transaction.hash)}`,
    parties: customer === '' ? '' : ` of ${customer}`,
    customer,
    changes: [],
  };
}

function writeAmount(
  { asset_gid: asset, delta, delta_raw: raw }: BalanceChangeRecord,
  { names }: EventContext,
  sign: string = signOf(delta, raw),
): string {
  return `${sign}${describeAmount(delta, raw)} ${nameAsset(asset, names)}`;
}

/** What became of the transaction, for the subject of a mail and for the headline. */
function describeState(
  { transaction }: TransactionData,
  { isHistorical }: EventContext,
): { readonly short: string; readonly long: string } {
  const { status, confirmations, required_confirmations: required, verification } = transaction;
  const notes = [
    ...(isHistorical ? ['imported from the past'] : []),
    ...(verification === 'unproved' ? ['not proved yet'] : []),
  ];
  const short = nameState(transaction);
  const count = status === 'detected' ? [`${confirmations} of ${required} confirmations`] : [];
  return { short, long: [short, ...count, ...notes].join(', ') };
}

function nameState({
  status,
  block_number: block,
  replaced_by: replacement,
}: TransactionData['transaction']): string {
  if (status === 'pending') return 'pending in the mempool';
  if (status === 'reorged') return 'undone by a chain reorganization';
  if (status === 'failed' && replacement !== null) return 'replaced by another transaction';
  if (status === 'failed' && block === null) return 'dropped from the mempool';
  return status;
}

function listDetails(data: TransactionData, gist: Gist, context: EventContext): (readonly TextPiece[])[] {
  const { transaction, balance_changes: changes, addresses } = data;
  const moved = new Set(listMoved(data));
  const others = changes.filter((change) => !gist.changes.includes(change));
  const counterparty = findCounterparty(transaction);
  const memo = transaction.memo ?? '';
  return [
    ...others
      .slice(0, CHANGES_MAX)
      .map((change) => [
        `${writeAmount(change, context)} · ${nameOwner(change, addresses)}${moved.has(change) ? '' : ' · fee'}`,
      ]),
    ...(others.length > CHANGES_MAX ? [[`… and ${others.length - CHANGES_MAX} more changes`]] : []),
    ...listAddresses(data).map((address) => ['Address: ', { code: address }]),
    ...(counterparty === undefined ? [] : [[`${counterparty.word}: `, { code: counterparty.address }]]),
    ...listTokens(data, context),
    ...(memo === '' ? [] : [['Memo: ', { code: limit(memo, MEMO_LENGTH_MAX) }]]),
    ...(transaction.block_number === null ? [] : [[`Block: ${transaction.block_number}`]]),
    ['Transaction: ', { code: transaction.hash }],
    ...(transaction.replaced_by === null ? [] : [['Replaced by: ', { code: transaction.replaced_by }]]),
  ];
}

/** Each monitored address of the payment, whatever its label. */
function listAddresses({ balance_changes: changes, transaction }: TransactionData): readonly string[] {
  const all = [
    ...changes.map(({ address }) => address),
    ...transaction.transfers.flatMap(({ monitored_addresses: own }) => own),
  ];
  return [...new Set(all)].slice(0, CHANGES_MAX);
}

/** Who paid, or was paid, where it is one. */
function findCounterparty({
  direction,
  transfers,
}: TransactionData['transaction']): { readonly word: string; readonly address: string } | undefined {
  if (direction === 'self') return undefined;
  const sideOf = ({ from, to, monitored_addresses: own }: TransferRecord): string | null => {
    const other = direction === 'in' ? from : to;
    return other === null || own.includes(other) ? null : other;
  };
  const [address, ...more] = new Set(transfers.map(sideOf).filter((side) => side !== null));
  if (address === undefined || more.length > 0) return undefined;
  return { word: direction === 'in' ? 'From' : 'To', address };
}

/** The contracts of tokens. */
function listTokens(
  { balance_changes: changes, transaction }: TransactionData,
  { names }: EventContext,
): (readonly TextPiece[])[] {
  const assets = new Set([...changes, ...transaction.transfers].map(({ asset_gid: asset }) => asset));
  return [...assets].slice(0, CHANGES_MAX).flatMap((asset) => describeContract(asset, names));
}
