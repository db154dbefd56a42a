// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { findSharedNames, listNetworks, readNetwork } from '@chainwatch/chain-registry';
import { ConfigError } from '@chainwatch/config';
import type { Network } from '@chainwatch/chain-core';
import { parse, YAMLParseError } from 'yaml';

/** A network of NETWORKS_FILE. */
export interface FileNetwork {
  readonly network: Network;
  readonly document: unknown;
}

/**
 * The networks of a YAML or JSON file: a list, or a list under `networks`.
 * @throws ConfigError that names every fault at once
 */
export function readNetworksFile(path: string): readonly FileNetwork[] {
  const documents = readDocuments(path);
  const faults: string[] = [];
  const networks: FileNetwork[] = [];
  const replaced = new Set(documents.map((document) => (document as { gid?: unknown } | null)?.gid));
  for (const [index, document] of documents.entries()) {
    const { network, faults: own = [] } = readNetwork(document);
    const label = labelOf(document, index);
    for (const { member, message } of own)
      faults.push([label, member, message].filter((part) => part !== '').join(': '));
    if (network === undefined) continue;
    const before = networks.map(({ network: other }) => other);
    if (before.some(({ gid }) => gid === network.gid))
      faults.push(`${label}: gid: expected each network once`);
    const others = [...before, ...listNetworks().filter(({ gid }) => !replaced.has(gid))];
    for (const { name, gid } of findSharedNames(network, others))
      faults.push(`${label}: ${name === network.name ? 'name' : 'aliases'}: ${name} is a name of ${gid}`);
    networks.push({ network, document });
  }
  if (faults.length > 0) throw faultsOf(faults);
  return networks;
}

/** One sentence that stops the start. */
export const faultOf = (reason: string): ConfigError => faultsOf([reason]);

const faultsOf = (reasons: readonly string[]): ConfigError =>
  new ConfigError(reasons.map((reason) => ({ name: 'NETWORKS_FILE', reason })));

function readDocuments(path: string): readonly unknown[] {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { message } = error as Error;
    throw faultOf(
      error instanceof YAMLParseError
        ? `expected YAML or JSON: ${message.split('\n', 1)[0]}`
        : `cannot be read: ${message}`,
    );
  }
  const list = Array.isArray(content) ? content : (content as { networks?: unknown } | null)?.networks;
  if (!Array.isArray(list)) throw faultOf('expected a list of networks, or one under `networks`');
  return list;
}

function labelOf(document: unknown, index: number): string {
  const gid = (document as { gid?: unknown } | null)?.gid;
  return typeof gid === 'string' ? `network ${index + 1} (${gid.slice(0, 100)})` : `network ${index + 1}`;
}
