// SPDX-License-Identifier: Apache-2.0
import type { BalanceChangedData } from '@chainwatch/events';
import { describeAmount, signOf } from './describe-amount.ts';
import { listLinks } from './list-links.ts';
import type { Message, TextPiece } from './message.ts';
import type { EventContext } from './name-book.ts';
import { describeContract, nameAsset } from './name-asset.ts';
import { nameChain, nameOwner } from './name-parties.ts';

/** A new balance of a monitored address, for people. */
export function describeBalance(data: BalanceChangedData, context: EventContext): Message {
  const { delta, delta_raw: raw, current, current_raw: currentRaw } = data;
  const asset = nameAsset(data.asset_gid, context.names);
  const customer = nameOwner(data, data.addresses);
  const balance = `${describeAmount(current, currentRaw)} ${asset}`;
  const isKnown = delta !== null || typeof raw === 'string';
  const change = isKnown
    ? `${signOf(delta, raw ?? undefined)}${describeAmount(delta, raw ?? undefined)} ${asset}`
    : '';
  const word = signOf(delta, raw ?? undefined) === '-' ? 'from' : 'to';
  const chain = nameChain(data.chain_gid, context);
  const state = data.is_confirmed ? 'final' : 'not final yet';
  const gist = isKnown ? `${change} ${word} ${customer}` : `Balance of ${customer}: ${balance}`;
  return {
    headline: [gist, chain, isKnown ? `balance now ${balance}, ${state}` : state].join(' · '),
    subject: [isKnown ? change : balance, customer, 'balance changed'].join(' – '),
    details: listDetails(data, context),
    links: listLinks(context, {
      ...{ page: `addresses/${encodeURIComponent(data.address)}`, name: 'address' },
      explored: { chainGid: data.chain_gid, about: { address: data.address } },
    }),
  };
}

function listDetails(data: BalanceChangedData, { names }: EventContext): (readonly TextPiece[])[] {
  const { changes = [], asset_gid: asset } = data;
  return [
    ...changes.map(({ reason, amount, amount_raw: raw }) => [
      `${signOf(amount, raw)}${describeAmount(amount, raw)} ${nameAsset(asset, names)} · ${reason.replaceAll('_', ' ')}`,
    ]),
    ['Address: ', { code: data.address }],
    ...describeContract(asset, names),
    [`Block: ${data.block_number}`],
  ];
}
