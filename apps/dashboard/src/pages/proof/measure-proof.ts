// SPDX-License-Identifier: Apache-2.0
import type { Proof } from '../../api/proof-queries.ts';

interface Part {
  readonly name: string;
  /** Nodes of a trie, or hashes beside the path of a tree. */
  readonly nodes: number;
  readonly bytes: number;
}

/** How long each branch is, and how many bytes each part of the item has. */
export function measureProof({ branch, item, header }: Pick<Proof, 'branch' | 'item' | 'header'>): {
  readonly branches: readonly Part[];
  readonly items: readonly Omit<Part, 'nodes'>[];
} {
  const { index: _index, ...texts } = item ?? { index: 0 };
  return {
    branches: Object.entries(branch ?? {}).map(([name, nodes]) => ({
      name,
      nodes: nodes.length,
      bytes: nodes.reduce((sum, node) => sum + bytesOf(node), 0),
    })),
    items: Object.entries({ ...(header !== null && { header }), ...texts }).map(([name, text]) => ({
      name,
      bytes: bytesOf(text),
    })),
  };
}

/** Of hexadecimal text, with `0x` or without. */
function bytesOf(text: string | null): number {
  return text === null ? 0 : text.replace(/^0x/, '').length / 2;
}
