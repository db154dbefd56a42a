import { compareAmounts } from '@chainwatch/amounts';
import type { ChannelFilters } from '@chainwatch/channels';
import { factsOf, type EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel.ts';

type Facts = NonNullable<ReturnType<typeof factsOf>>;

/**
 * Whether a channel wants an event: its type is selected and it passes every filter. The items of a list are
 * alternatives.
 */
export function matchesChannel(
  channel: Pick<Channel, 'eventTypes' | 'filters'>,
  event: EventEnvelope,
): boolean {
  if (!channel.eventTypes.has(event.type)) return false;
  if (isUnfiltered(channel.filters)) return true;
  const facts = factsOf(event);
  return facts === undefined || agrees(channel.filters, facts);
}

/** True when no filter is set: the type of an event alone then decides. */
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
