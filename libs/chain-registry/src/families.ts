// SPDX-License-Identifier: Apache-2.0
import type { ChainFamily, ChainNotation, FamilyManifest } from '@chainwatch/chain-core';
import { entries } from './entries.ts';

/** Every family of this build. */
export function listFamilies(): readonly FamilyManifest[] {
  return entries;
}

/** How the family of a CAIP-2 namespace writes its chains, addresses and assets; undefined when no family here does. */
export async function findNotation(namespace: string): Promise<ChainNotation | undefined> {
  return entries.find((family) => family.namespace === namespace)?.load();
}

/** The same, of the family with this name. */
export async function findNotationNamed(name: string): Promise<ChainNotation | undefined> {
  return entries.find((family) => family.name === name)?.load();
}

/** Every family of this build with its code, in the order of lists. */
export function loadFamilies(): Promise<readonly ChainNotation[]> {
  return Promise.all(entries.map((family) => family.load()));
}

/** The family that follows the chains of a CAIP-2 namespace; undefined when no family here does. */
export async function findFamily(namespace: string): Promise<ChainFamily | undefined> {
  return asFollowed(await findNotation(namespace));
}

/** The same, of the family with this name. */
export async function findFamilyNamed(name: string): Promise<ChainFamily | undefined> {
  return asFollowed(await findNotationNamed(name));
}

function asFollowed(notation: ChainNotation | undefined): ChainFamily | undefined {
  return notation !== undefined && isFollowed(notation) ? notation : undefined;
}

function isFollowed(notation: ChainNotation): notation is ChainFamily {
  return 'createClient' in notation;
}
