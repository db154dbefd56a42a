import { compareAmounts } from '@chainwatch/amounts';
import type { EventEnvelope, EventType } from '@chainwatch/events';
import type { Channel, ChannelFilters } from '../channel-config.ts';

interface Facts {
  readonly chainGid: string;
  readonly direction: string | undefined;
  readonly addressIds: readonly string[];
  /** What moved: asset and amount in whole units, unknown while the token's decimals are. */
  readonly moves: readonly { readonly assetGid: string; readonly amount: string | undefined }[];
}

/** Whether a channel wants an event: its type is chosen and every filter that is set agrees. Lists are alternatives. */
export function matchesChannel(
  channel: Pick<Channel, 'eventTypes' | 'filters'>,
  event: EventEnvelope,
): boolean {
  if (!channel.eventTypes.has(event.type)) return false;
  // Filters are about what happens on chains.
  if (event.type === 'channel.failed' || isUnfiltered(channel.filters)) return true;
  return agrees(channel.filters, readFacts(event));
}

/** The type of an event says everything then. */
export function isUnfiltered(filters: ChannelFilters): boolean {
  return Object.values(filters).every(
    (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0),
  );
}

function agrees(filters: ChannelFilters, facts: Facts): boolean {
  const directions = typeof filters.direction === 'string' ? [filters.direction] : filters.direction;
  if (isSet(filters.chain_gids) && !filters.chain_gids.includes(facts.chainGid)) return false;
  if (isSet(directions) && (facts.direction === undefined || !directions.includes(facts.direction)))
    return false;
  if (isSet(filters.address_ids) && !facts.addressIds.some((id) => filters.address_ids!.includes(id)))
    return false;
  const moves = isSet(filters.asset_gids)
    ? facts.moves.filter(({ assetGid }) => filters.asset_gids!.includes(assetGid))
    : facts.moves;
  if (isSet(filters.asset_gids) && moves.length === 0) return false;
  const minimum = filters.min_amount;
  if (minimum === undefined || minimum === null) return true;
  return moves.some(({ amount }) => amount !== undefined && compareAmounts(amount, minimum) >= 0);
}

function isSet(values: readonly string[] | null | undefined): values is readonly string[] {
  return values !== undefined && values !== null && values.length > 0;
}

function readFacts(event: EventEnvelope<Exclude<EventType, 'channel.failed'>>): Facts {
  if (event.type === 'balance.changed') {
    const { chain_gid: chainGid, address_id: addressId, asset_gid: assetGid, delta } = event.data;
    const direction = delta === null ? undefined : delta.startsWith('-') ? 'out' : 'in';
    return {
      chainGid,
      direction,
      addressIds: [addressId],
      moves: [{ assetGid, amount: delta?.replace('-', '') ?? undefined }],
    };
  }
  const { transaction, balance_changes: changes } = event.data;
  // One that failed in a block moved nothing but its fee; one that was dropped from the mempool would have moved something.
  const fee =
    transaction.fee === null ? [] : [{ assetGid: transaction.fee.asset_gid, amount: transaction.fee.amount }];
  // What goes to others out of an output of the project comes with input and change, which are no amounts that moved.
  const paid = transaction.transfers.filter((transfer) => transfer.monitored_addresses.length === 0);
  const transfers = (paid.length > 0 ? paid : transaction.transfers).map((transfer) => ({
    assetGid: transfer.asset_gid,
    amount: transfer.amount ?? undefined,
  }));
  return {
    chainGid: transaction.chain_gid,
    direction: transaction.direction,
    addressIds: changes.map((change) => change.address_id),
    moves: event.type === 'transaction.failed' && transfers.length === 0 ? fee : transfers,
  };
}
