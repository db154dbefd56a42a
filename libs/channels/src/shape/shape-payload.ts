// SPDX-License-Identifier: Apache-2.0
import type { FORMATS } from './shape-members.ts';

/** How a channel wants its events. */
export interface Shape {
  /** Undefined: all members. */
  readonly fields: readonly string[] | undefined;
  readonly format: (typeof FORMATS)[number];
}

/** Names of members to keep, and what to keep of them; `true`: all. */
type Kept = Map<string, Kept | true>;
type Json = Readonly<Record<string, unknown>>;

interface Envelope extends Json {
  readonly event_id: string;
  readonly type: string;
  readonly created_at: string;
  readonly project_id: string;
  readonly data: Json;
}

/**
 * The bytes that a channel gets of an event: the same event and shape make the same bytes, in every attempt and process.
 *
 * @param payload of the event, with its proof if it has one
 * @param shape undefined: the event as it is
 */
export function shapePayload(payload: string, shape: Shape | undefined): string {
  if (shape === undefined) return payload;
  const { fields, format } = shape;
  const event = JSON.parse(payload) as Envelope;
  const data = fields === undefined ? event.data : keepFields(event.data, fields);
  return JSON.stringify(format === 'cloudevents' ? toCloudEvent(event, data) : { ...event, data });
}

/** A proof stays: `include_proof` is what asks for it. */
function keepFields(data: Json, fields: readonly string[]): Json {
  const kept: Kept = new Map([['data', new Map([['proof', true]])]]);
  for (const field of fields) add(kept, field.split('.'));
  return keep({ data }, kept).data as Json;
}

function add(kept: Kept, [name, ...rest]: readonly string[]): void {
  const known = kept.get(name!);
  if (rest.length === 0) kept.set(name!, true);
  else if (known !== true) {
    const inner: Kept = known ?? new Map();
    kept.set(name!, inner);
    add(inner, rest);
  }
}

/** Members keep their order, and null stays null. */
function keep(value: Json, kept: Kept): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const inner = kept.get(name);
      if (inner === undefined) return [];
      return [[name, inner === true ? member : keepIn(member, inner)]];
    }),
  );
}

function keepIn(value: unknown, kept: Kept): unknown {
  if (Array.isArray(value)) return value.map((item) => keepIn(item, kept));
  return typeof value === 'object' && value !== null ? keep(value as Json, kept) : value;
}

/**
 * Structured JSON of CloudEvents 1.0 (section 3 of its JSON format). Members of the envelope without an attribute of the standard are
 * extension attributes, whose names have no underscore; null is no value of one (§2.2), and its integers have 32 bits. The
 * extension `sequence` counts the events of a source, in strings that sort: ours counts those of a chain.
 */
function toCloudEvent(event: Envelope, data: Json): object {
  const { event_id, type, created_at, project_id, data: whole } = event;
  const { api_version, is_test_message, sequence, is_historical } = event;
  const subject = subjectOf(whole);
  return {
    specversion: '1.0',
    id: event_id,
    source: `/projects/${project_id}`,
    type,
    ...(subject !== undefined && { subject }),
    time: created_at,
    datacontenttype: 'application/json',
    apiversion: api_version,
    projectid: project_id,
    istestmessage: is_test_message,
    ...(typeof sequence === 'number' && { chainsequence: String(sequence) }),
    ...(is_historical === true && { ishistorical: true }),
    data,
  };
}

/** What the event is about: the transaction, the address, or the channel. */
function subjectOf({ transaction, chain_gid: chainGid, address, channel }: Json): string | undefined {
  const about = (transaction ?? {}) as Json;
  if (typeof about.hash === 'string') return `${String(about.chain_gid)}/${about.hash}`;
  if (typeof address === 'string') return `${String(chainGid)}/${address}`;
  const { id } = (channel ?? {}) as Json;
  return typeof id === 'string' ? id : undefined;
}
