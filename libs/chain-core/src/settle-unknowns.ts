// SPDX-License-Identifier: Apache-2.0
import type { Block, UnknownPart } from './block.ts';
import type { ReadBlockOptions } from './chain-family.ts';
import { UnknownContentError } from './errors.ts';

// Names come from a node, which may invent any number of them, of any length; an incident is opened for each.
const KINDS_MAX = 8;
const KIND_MAX = 80;
const GOT_MAX = 200;

/**
 * A decoded block with `found` named in it: each kind once, 8 kinds at most. Unchanged where nothing was
 * found.
 * @throws UnknownContentError unless the caller takes blocks with something unknown
 */
export function settleUnknowns(
  block: Block,
  found: readonly UnknownPart[],
  { takeUnknown = false }: ReadBlockOptions = {},
): Block {
  if (found.length === 0) return block;
  const kinds = new Map<string, UnknownPart>();
  for (const part of found) {
    const kind = part.kind.replace(/[^\w:.-]/g, '').slice(0, KIND_MAX);
    if (!kinds.has(kind) && kinds.size < KINDS_MAX)
      kinds.set(kind, { ...part, kind, got: part.got.slice(0, GOT_MAX) });
  }
  const unknowns = [...kinds.values()];
  if (takeUnknown) return { ...block, unknowns };
  const told = unknowns.map(({ kind, expected, got }) => `${kind} (expected ${expected}, got ${got})`);
  throw new UnknownContentError(
    `block ${block.number} ${block.hash} holds something unknown: ${told.join(', ').slice(0, 500)}`,
    unknowns,
  );
}
