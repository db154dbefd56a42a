// SPDX-License-Identifier: Apache-2.0
import { findSharedNames, listFamilies, listNetworks, readNetwork } from '@chainwatch/chain-registry';
import type { Network } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/data/db';
import { findFixedDifferences } from './fixed-members.ts';
import {
  freeNames,
  lockNetworks,
  networkOf,
  readStoredNetworks,
  readUsedChains,
  removeNetwork,
  storeNetwork,
  type StoredNetwork,
} from './network-store.ts';
import { readFileSync } from 'node:fs';
import { ConfigError } from '@chainwatch/platform/config';
import { parse, YAMLParseError } from 'yaml';

/**
 * Puts the networks of NETWORKS_FILE in the database, where every service reads them; those that the file had before and has
 * no more go. Without a file nothing is in it.
 * @throws ConfigError where the file is wrong, or changes or drops a network that was used
 */
export async function applyNetworksFile(db: Database, path: string | undefined): Promise<void> {
  const given = path === undefined ? [] : readNetworksFile(path);
  await db.transaction(async (sql) => {
    await lockNetworks(sql);
    const stored = await readStoredNetworks(sql);
    const used = new Set((await readUsedChains(sql)).map(({ gid }) => gid));
    const builtIn = new Map(
      listFamilies().flatMap(({ catalogue }) => catalogue.builtIn.map((network) => [network.gid, network])),
    );
    const before = new Map(stored.map((row) => [row.gid, row]));
    const kept = new Set(given.map(({ network }) => network.gid as string));
    const ofApi = stored.filter(({ gid, source }) => source === 'api' && !kept.has(gid)).flatMap(toNetworks);
    const returning = stored.flatMap(({ gid, source }) =>
      source === 'file' && !kept.has(gid) ? (builtIn.get(gid as never) ?? []) : [],
    );
    const named = given.map(({ network }) => network);
    for (const network of returning) {
      const [shared] = findSharedNames(network, [...ofApi, ...named]);
      if (shared !== undefined)
        throw faultOf(
          `${network.gid} is no longer in the file, and the release's name for it, ${shared.name}, is one of ${shared.gid} now`,
        );
    }
    await freeNames(sql, [...named, ...returning]);
    for (const { network, document } of given) {
      const row = before.get(network.gid);
      const known = (row && networkOf(row)) ?? builtIn.get(network.gid);
      if (used.has(network.gid) && known !== undefined) {
        const [member] = findFixedDifferences(known, network);
        if (member !== undefined)
          throw faultOf(`${network.gid} was used, so ${member} cannot change: give it the value that it had`);
      }
      const [shared] = findSharedNames(network, ofApi);
      if (shared !== undefined)
        throw faultOf(`${network.gid}: ${shared.name} is a name of ${shared.gid}, which the API was told`);
      await storeNetwork(sql, network, { source: 'file', document });
    }
    for (const row of stored) {
      const { gid, source } = row;
      if (source !== 'file' || kept.has(gid)) continue;
      const own = builtIn.get(gid as never);
      // What the release says may differ in members that are fixed by now.
      const known = networkOf(row);
      const isKept =
        own !== undefined && (known === undefined || findFixedDifferences(known, own).length === 0);
      if (used.has(gid) && !isKept)
        throw faultOf(`${gid} was used and is no longer in the file: put it back, with the same members`);
      await removeNetwork(sql, gid, own);
    }
  });
}

function toNetworks(row: StoredNetwork): readonly Network[] {
  const network = networkOf(row);
  return network === undefined ? [] : [network];
}

/** A network of NETWORKS_FILE. */
interface FileNetwork {
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
const faultOf = (reason: string): ConfigError => faultsOf([reason]);

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
