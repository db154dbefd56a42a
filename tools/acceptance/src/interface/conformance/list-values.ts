// SPDX-License-Identifier: Apache-2.0
import type { Sample } from './samples.ts';

/**
 * What an item of a list shows of what it was asked for by: `statuses` is its `status`; namespace, reference and chain of
 * an asset stand in its gid. Undefined where it shows nothing, as the family of a chain.
 */
export function valueOf(item: Sample, name: string): unknown {
  const [chain, namespace, reference] = /^(.+)\/([^:]+):(.+)$/.exec(String(item['gid']))?.slice(1) ?? [];
  switch (name) {
    case 'statuses':
      return item['status'];
    case 'chain_gids':
      return item['chain_gid'] ?? chain;
    case 'namespaces':
    case 'namespace':
      return namespace;
    case 'reference':
      return reference;
    default: {
      const value = item[name];
      // Down to the millisecond, while rows are sorted by the microsecond.
      return name.endsWith('_at') ? Date.parse(String(value)) : value;
    }
  }
}
