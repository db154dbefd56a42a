// SPDX-License-Identifier: Apache-2.0
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ChainNotation, ParsedAddress } from '@chainwatch/chain-core';
import { findNotationNamed, loadFamilies } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { ProblemError } from '@chainwatch/common/problem';
import { chooseSpelling } from './choose-spelling.ts';
import { parseWith, refuseBurnAddress } from './parse-address.ts';

/** Addresses that are parsed in one go: the event loop has others to serve. */
const AT_ONCE = 25;

interface AskedAddress {
  readonly value: string;
  readonly chain_family?: string | undefined;
  readonly chain_gids?: readonly string[] | undefined;
}

interface CheckedAddress {
  readonly value: string;
  readonly status: 'new' | 'exists' | 'invalid' | 'ambiguous' | 'burn';
  readonly chain_family: string | null;
  readonly address: string | null;
  readonly problem: string | null;
}

/** An address that its family reads. */
interface Read {
  readonly family: ChainNotation;
  readonly parsed: ParsedAddress;
}

/** An item for each entry: whether an import would create it. Nothing is written. */
export async function checkAddresses(
  sql: Sql,
  projectId: string,
  entries: readonly AskedAddress[],
): Promise<CheckedAddress[]> {
  const items: (CheckedAddress | undefined)[] = [];
  const found = new Map<number, Read>();
  for (const [place, entry] of entries.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    const answer = await readEntry(entry);
    if ('family' in answer) found.set(place, answer);
    else items[place] = { ...answer, value: entry.value };
  }
  const taken = await findTaken(sql, projectId, [...found.values()]);
  for (const [place, read] of found) {
    const key = keyOf(read);
    items[place] = {
      ...{ value: entries[place]!.value, status: taken.has(key) ? 'exists' : 'new', problem: null },
      ...{ chain_family: read.family.name, address: read.parsed.display },
    };
    // As in an import, a later entry of the same address exists.
    taken.add(key);
  }
  return items as CheckedAddress[];
}

async function readEntry(entry: AskedAddress): Promise<Read | Omit<CheckedAddress, 'value'>> {
  try {
    const read = entry.chain_family === undefined ? await guessFamily(entry) : await readAs(entry);
    if (!('family' in read)) return read;
    const { family, parsed } = read;
    try {
      refuseBurnAddress(family, parsed);
      return read;
    } catch (error) {
      const answer = { chain_family: family.name, address: parsed.display };
      return { ...answer, status: 'burn', problem: reasonOf(error) };
    }
  } catch (error) {
    return {
      ...{ status: 'invalid', chain_family: entry.chain_family ?? null, address: null },
      problem: reasonOf(error),
    };
  }
}

/** @throws ProblemError where the family does not read it */
async function readAs({ value, chain_family, chain_gids }: AskedAddress): Promise<Read> {
  const family = await findNotationNamed(chain_family!);
  return { family: family!, parsed: chooseSpelling(parseWith(family!, value, 'value'), chain_gids) };
}

/** The only family that reads the text, or the only one that writes it so. */
async function guessFamily({
  value,
  chain_gids,
}: AskedAddress): Promise<Read | Omit<CheckedAddress, 'value'>> {
  const readers: Read[] = [];
  for (const family of await loadFamilies()) {
    try {
      readers.push({ family, parsed: parseWith(family, value, 'value') });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }
  const text = value.toLowerCase();
  const writers = readers.filter(({ parsed }) => parsed.canonical.toLowerCase() === text);
  const [read] = readers.length === 1 ? readers : writers;
  const none = { chain_family: null, address: null };
  if (readers.length === 0)
    return {
      ...{ ...none, status: 'invalid' },
      problem: 'No chain family reads this address. Set chain_family to see the reason.',
    };
  if (read === undefined || (readers.length > 1 && writers.length > 1))
    return {
      ...{ ...none, status: 'ambiguous' },
      problem: `Several chain families read this address (${readers.map(({ family }) => family.name).join(', ')}). Set chain_family.`,
    };
  return { ...read, parsed: chooseSpelling(read.parsed, chain_gids) };
}

async function findTaken(sql: Sql, projectId: string, reads: readonly Read[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ chain_family: string; address: string }>(
    `SELECT a.chain_family, a.address FROM unnest($2::text[], $3::text[]) AS f (family, address)
     JOIN addresses a ON a.project_id = $1 AND a.chain_family = f.family AND a.address = f.address`,
    [projectId, reads.map(({ family }) => family.name), reads.map(({ parsed }) => parsed.canonical)],
  );
  return new Set(rows.map(({ chain_family, address }) => `${chain_family} ${address}`));
}

function keyOf({ family, parsed }: Read): string {
  return `${family.name} ${parsed.canonical}`;
}

/** @throws what is no problem of the address */
function reasonOf(error: unknown): string {
  if (!(error instanceof ProblemError)) throw error;
  return error.fields?.[0]?.reason ?? error.publicMessage;
}
