// SPDX-License-Identifier: Apache-2.0
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareAmounts } from '@chainwatch/common/amounts';
import type { ChannelFilters, Verdict } from '@chainwatch/channels';
import { factsOf, type EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel-store.ts';
import type { ExpressionFault } from './count-expression-faults.ts';
import { leftOutKey, type LeftOut } from './read-left-out.ts';
import type { EventRow, WantedEvent } from './undispatched.ts';

interface Wanting {
  readonly channels: readonly Channel[];
  /** What filters ask for and events do not carry. */
  readonly leftOut: LeftOut;
  /** Called for filters that could not be read. */
  readonly onFault: (channel: Channel, err: unknown) => void;
  /** When no further event is begun, in milliseconds of `performance`. Default: never. */
  readonly untilMs?: number;
}

interface Wanted<E extends EventRow> {
  readonly wanted: readonly WantedEvent<E>[];
  readonly faults: readonly ExpressionFault[];
}

type Facts = NonNullable<ReturnType<typeof factsOf>>;

/** Others, such as the lease of the process, wait no longer for expressions. */
const TURN_MS = 10;

/**
 * Which channels of their projects want these events. A thousand expressions may take seconds: other work of the process
 * goes on meanwhile.
 * @returns the first of the events, at least one, or all
 */
export async function findWantedEvents<E extends EventRow>(
  events: readonly E[],
  { channels, leftOut, onFault, untilMs = Infinity }: Wanting,
): Promise<Wanted<E>> {
  const channelsOf = groupByProject(channels);
  const faults: ExpressionFault[] = [];
  const wanted: WantedEvent<E>[] = [];
  let turnEndsMs = performance.now() + TURN_MS;
  for (const event of events) {
    if (wanted.length > 0 && performance.now() >= untilMs) break;
    const candidates = (channelsOf.get(event.project_id) ?? []).filter(({ eventTypes }) =>
      eventTypes.has(event.type),
    );
    if (event.type !== 'channel.failed' && candidates.every(({ filters }) => isUnfiltered(filters))) {
      wanted.push({ event, channels: candidates });
      continue;
    }
    const envelope = JSON.parse(event.payload) as EventEnvelope;
    const wanting: Channel[] = [];
    for (const channel of candidates) {
      if (envelope.type === 'channel.failed' && envelope.data.channel.id === channel.id) continue;
      try {
        const { matches, fault } = judgeEvent(channel, envelope, leftOut);
        if (matches) wanting.push(channel);
        if (fault !== undefined) faults.push({ eventRowId: event.id, channelId: channel.id, reason: fault });
      } catch (err) {
        // A filter that cannot be read must not stop the events of others. Such an event is delivered: better
        // one too many than one missed. An expression is no such filter: it may be what keeps events from a receiver.
        onFault(channel, err);
        if (!hasExpression(channel.filters)) wanting.push(channel);
      }
      if (performance.now() < turnEndsMs) continue;
      await nextTurn();
      turnEndsMs = performance.now() + TURN_MS;
    }
    wanted.push({ event, channels: wanting });
  }
  return { wanted, faults };
}

function groupByProject(channels: readonly Channel[]): ReadonlyMap<string, readonly Channel[]> {
  const groups = new Map<string, Channel[]>();
  for (const channel of channels) {
    const group = groups.get(channel.projectId);
    if (group === undefined) groups.set(channel.projectId, [channel]);
    else group.push(channel);
  }
  return groups;
}

type Wanter = Pick<Channel, 'eventTypes' | 'filters' | 'expression'>;

/** Whether a channel wants an event: see `judgeEvent`. */
export function matchesChannel(channel: Wanter, event: EventEnvelope, leftOut?: LeftOut): boolean {
  return judgeEvent(channel, event, leftOut).matches;
}

/**
 * Whether a channel wants an event: its type is selected, it passes every filter, and the expression is true. The items
 * of a list are alternatives. Filters are about what happens on chains, an expression is about every event.
 * @param leftOut what users say of addresses, by id, where the event does not carry it
 * @throws when the channel has an expression that was not compiled: nobody knows whether it wants the event
 */
function judgeEvent(channel: Wanter, event: EventEnvelope, leftOut: LeftOut = new Map()): Verdict {
  const { filters, expression } = channel;
  if (!channel.eventTypes.has(event.type)) return { matches: false };
  if (hasFixedFilters(filters)) {
    const facts = factsOf(event);
    if (facts !== undefined && !agrees(filters, facts, leftOut)) return { matches: false };
  }
  if (!hasExpression(filters)) return { matches: true };
  if (expression === undefined) throw new Error('the expression of the channel was not compiled');
  return expression.judge(event);
}

/** True when no filter is set: the type of an event alone then decides. */
function isUnfiltered(filters: ChannelFilters): boolean {
  return !hasExpression(filters) && !hasFixedFilters(filters);
}

function hasExpression({ expression }: ChannelFilters): boolean {
  return expression !== undefined && expression !== null;
}

function hasFixedFilters(filters: ChannelFilters): boolean {
  return Object.entries(filters).some(
    ([name, value]) =>
      name !== 'expression' &&
      value !== undefined &&
      value !== null &&
      !(typeof value === 'object' && Object.keys(value).length === 0),
  );
}

function agrees(filters: ChannelFilters, facts: Facts, leftOut: LeftOut): boolean {
  const directions = typeof filters.direction === 'string' ? [filters.direction] : filters.direction;
  if (isSet(filters.chain_gids) && !filters.chain_gids.includes(facts.chainGid)) return false;
  if (isSet(directions) && (facts.direction === undefined || !directions.includes(facts.direction)))
    return false;
  if (!agreesOnVerification(filters.verification, facts.verification)) return false;
  if (!agreesOnReasons(filters.reasons, facts.reasons)) return false;
  // What the event has no room for may agree: better one event too many than one missed.
  const { leavesOut = { addresses: false, moves: false } } = facts;
  if (!leavesOut.addresses && !agreesOnAddresses(filters, facts, leftOut)) return false;
  if (leavesOut.moves) return true;
  if (!agreesOnMemo(filters, facts.memos)) return false;
  const moves = isSet(filters.asset_gids)
    ? facts.moves.filter(({ assetGid }) => filters.asset_gids!.includes(assetGid))
    : facts.moves;
  if (isSet(filters.asset_gids) && moves.length === 0) return false;
  const minimum = filters.min_amount;
  if (minimum === undefined || minimum === null) return true;
  // What is unknown may be enough.
  return moves.some(
    ({ amount }) => amount === undefined || (amount !== null && compareAmounts(amount, minimum) >= 0),
  );
}

/** Test messages and events of earlier releases do not say what stands behind them: they pass. */
function agreesOnVerification(
  wanted: ChannelFilters['verification'],
  verification: Facts['verification'],
): boolean {
  return (
    !isSet(wanted) || verification === undefined || verification === null || wanted.includes(verification)
  );
}

/** Events that are about no transaction have no memo: they pass. */
function agreesOnMemo(
  { memo, memo_prefix: prefix }: Pick<ChannelFilters, 'memo' | 'memo_prefix'>,
  memos: Facts['memos'],
): boolean {
  if (memos === undefined) return true;
  return (
    (typeof memo !== 'string' || memos.includes(memo)) &&
    (typeof prefix !== 'string' || memos.some((each) => each.startsWith(prefix)))
  );
}

/** Other types than `balance.changed` and events of earlier releases do not say why: they pass. */
function agreesOnReasons(wanted: ChannelFilters['reasons'], reasons: Facts['reasons']): boolean {
  return !isSet(wanted) || reasons === undefined || reasons.some((reason) => wanted.includes(reason));
}

/** One address has to pass all that is asked of addresses. */
function agreesOnAddresses(
  filters: ChannelFilters,
  { addresses, transactionId }: Facts,
  leftOut: LeftOut,
): boolean {
  const { address_ids: ids, groups: wanted } = filters;
  const pairs = Object.entries(filters.metadata ?? {});
  if (!isSet(ids) && !isSet(wanted) && pairs.length === 0) return true;
  return addresses.some(({ id, groups, metadata }) => {
    if (isSet(ids) && !ids.includes(id)) return false;
    const more = leftOut.get(leftOutKey(id)) ?? leftOut.get(leftOutKey(id, transactionId));
    return isInOneOf(wanted, groups ?? more?.groups) && hasAll(pairs, metadata ?? more?.metadata);
  });
}

/** Nobody knows any more what was said of a deleted address of no event that is kept: better one event too many than one missed. */
function isInOneOf(
  wanted: readonly string[] | null | undefined,
  groups: readonly string[] | undefined,
): boolean {
  return !isSet(wanted) || groups === undefined || groups.some((group) => wanted.includes(group));
}

function hasAll(
  pairs: readonly (readonly [string, unknown])[],
  metadata: Readonly<Record<string, unknown>> | undefined,
): boolean {
  return (
    metadata === undefined ||
    pairs.every(([key, value]) => Object.hasOwn(metadata, key) && textOf(metadata[key]) === textOf(value))
  );
}

/** Undefined for what is no plain value: it equals nothing. */
function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function isSet(values: readonly string[] | null | undefined): values is readonly string[] {
  return values !== undefined && values !== null && values.length > 0;
}
