// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { EVENT_SCHEMAS } from './event-envelope.ts';

export type ValueKind = 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';

/** What may stand at a place of an event, over all types of events. */
export interface EventShape {
  /** Undefined: anything, such as a user's metadata. */
  readonly kinds: ReadonlySet<ValueKind> | undefined;
  /** Of an object; undefined: any. */
  readonly members?: ReadonlyMap<string, EventShape>;
  /** Of a list. */
  readonly items?: EventShape;
}

/** Anything at all. */
export const ANY_SHAPE: EventShape = { kinds: undefined };

let known: EventShape | undefined;

/** The members of events, of all types together. Made when first asked for. */
export function eventShape(): EventShape {
  known ??= Object.values(EVENT_SCHEMAS).map(shapeOf).reduce(unite);
  return known;
}

/**
 * Whether events may have something at a path of member names: `data.transaction.transfers.amount`. A path goes through
 * lists to the members of their items.
 */
export function isEventPath(path: string): boolean {
  let shape: EventShape | undefined = eventShape();
  for (const name of path.split('.')) {
    while (shape?.items !== undefined) shape = shape.items;
    if (name === '' || shape === undefined) return false;
    if (shape.kinds === undefined) return true;
    if (shape.members === undefined) {
      if (!shape.kinds.has('object')) return false;
      shape = ANY_SHAPE;
    } else shape = shape.members.get(name);
  }
  return shape !== undefined;
}

type Schema = z.core.$ZodTypes;

/** @throws when an event has a type of member that this does not know: a fault of this file */
function shapeOf(schema: z.core.$ZodType): EventShape {
  const { def } = (schema as Schema)._zod;
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]) => [name, shapeOf(member)] as const);
      return { kinds: new Set(['object']), members: new Map(members) };
    }
    case 'array':
      return { kinds: new Set(['list']), items: shapeOf(def.element) };
    case 'record':
      return { kinds: new Set(['object']) };
    case 'union':
      return def.options.map(shapeOf).reduce(unite);
    case 'nullable':
      return unite(shapeOf(def.innerType), { kinds: new Set(['null']) });
    case 'optional':
    case 'default':
      return shapeOf(def.innerType);
    case 'literal':
      return { kinds: new Set(def.values.map((value) => typeof value as ValueKind)) };
    case 'enum':
    case 'string':
      return { kinds: new Set(['string']) };
    case 'number':
    case 'boolean':
      return { kinds: new Set([def.type]) };
    case 'unknown':
      return ANY_SHAPE;
    default:
      throw new Error(`expected a member of events, got a schema of type ${def.type}`);
  }
}

function unite(left: EventShape, right: EventShape): EventShape {
  if (left.kinds === undefined || right.kinds === undefined) return ANY_SHAPE;
  return {
    kinds: new Set([...left.kinds, ...right.kinds]),
    ...uniteMembers(left, right),
    items: left.items && right.items ? unite(left.items, right.items) : (left.items ?? right.items),
  };
}

/** An object whose members are anybody's makes all of them possible. */
function uniteMembers(left: EventShape, right: EventShape): Pick<EventShape, 'members'> {
  const isOpen = ({ kinds, members }: EventShape): boolean => kinds!.has('object') && members === undefined;
  if (isOpen(left) || isOpen(right)) return {};
  if (left.members === undefined || right.members === undefined)
    return { members: left.members ?? right.members };
  const members = new Map(left.members);
  for (const [name, shape] of right.members) {
    const other = members.get(name);
    members.set(name, other === undefined ? shape : unite(other, shape));
  }
  return { members };
}
