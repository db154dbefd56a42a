// SPDX-License-Identifier: Apache-2.0
import { toSnakeCase, type Network } from '@chainwatch/chain-core';
import { z } from 'zod';
import { listFamilies } from './families.ts';

/** What is wrong with a document. */
export interface NetworkFault {
  /** Path of the member: `native.decimals`; empty: the document as a whole. */
  readonly member: string;
  readonly message: string;
}

/** Either the network, or all that is wrong with its document. */
export type ReadNetwork =
  | { readonly network: Network; readonly faults?: undefined }
  | { readonly network?: undefined; readonly faults: readonly NetworkFault[] };

/** Checks a document by the rules of its family. */
export function readNetwork(document: unknown): ReadNetwork {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return { faults: [{ member: '', message: 'expected a network with its members' }] };
  const named = (document as { readonly family?: unknown }).family;
  const family = listFamilies().find(({ name }) => name === named);
  if (family === undefined) {
    const names = listFamilies().map(({ name }) => name);
    return { faults: [{ member: 'family', message: `expected one of ${names.join(', ')}` }] };
  }
  try {
    const network = family.catalogue.parse(document);
    const faults = findFaults(network);
    return faults.length === 0 ? { network } : { faults };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { faults: error.issues.flatMap(describeIssue) };
  }
}

/** By which a network is found beside its gid. */
export function namesOf({ name, aliases }: Network): readonly string[] {
  return [name, ...aliases];
}

/** A name means one network. Names of `others` that `network` takes, by the network that has them. */
export function findSharedNames(
  network: Network,
  others: readonly Network[],
): readonly { readonly name: string; readonly gid: string }[] {
  const own = namesOf(network);
  return others
    .filter(({ gid }) => gid !== network.gid)
    .flatMap((other) =>
      namesOf(other)
        .filter((name) => own.includes(name))
        .map((name) => ({ name, gid: other.gid })),
    );
}

function findFaults(network: Network): NetworkFault[] {
  const { gid, native, tokens = [], tokenNamespace } = network;
  const faults: NetworkFault[] = [];
  const expectOwn = (member: string, assetGid: string, prefix: string): void => {
    if (!assetGid.startsWith(prefix)) faults.push({ member, message: `expected an asset of ${prefix}` });
  };
  if (native !== undefined) expectOwn('native.gid', native.gid, `${gid}/slip44:`);
  else if (network.wrappedNative !== undefined)
    faults.push({ member: 'wrapped_native', message: 'expected a native coin that it wraps' });
  for (const [index, alias] of (native?.aliases ?? []).entries())
    expectOwn(`native.aliases.${index}`, alias, `${gid}/`);
  for (const [index, token] of tokens.entries())
    expectOwn(`tokens.${index}.gid`, token.gid, `${gid}/${tokenNamespace}:`);
  const names = namesOf(network);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  for (const name of twice)
    faults.push({ member: 'aliases', message: `expected each name once, got ${name} twice` });
  return faults;
}

function describeIssue(issue: z.core.$ZodIssue): NetworkFault[] {
  const at = issue.path.map((part) => (typeof part === 'string' ? toSnakeCase(part) : part)).join('.');
  if (issue.code !== 'unrecognized_keys') return [{ member: at, message: lower(issue.message) }];
  return issue.keys.map((key) => ({
    member: [at, toSnakeCase(key)].filter((part) => part !== '').join('.'),
    message: 'is not a member of a network',
  }));
}

/** As the rest of the sentence: "Invalid input: expected number, received string". */
function lower(text: string): string {
  const rest = text.replace(/^Invalid input: /, '');
  return rest.charAt(0).toLowerCase() + rest.slice(1);
}
