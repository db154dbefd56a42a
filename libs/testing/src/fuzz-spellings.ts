// SPDX-License-Identifier: Apache-2.0
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

export type Json = string | number | boolean | null | { readonly [key: string]: Json } | readonly Json[];
type Path = readonly (string | number)[];

/** Ways to write hexadecimal digits, and what is none. */
const spellings: Readonly<Record<string, (text: string) => Json>> = {
  'upper case': (text) => text.replace(/(?<=^(?:0x)?).*/, (digits) => digits.toUpperCase()),
  'upper case throughout': (text) => text.toUpperCase(),
  'one digit in upper case': (text) => text.replace(/[a-f](?=[^a-f]*$)/, (digit) => digit.toUpperCase()),
  '0X': (text) => `0X${text.replace(/^0x/, '')}`,
  'with or without 0x': (text) => (text.startsWith('0x') ? text.slice(2) : `0x${text}`),
  'without its first zero': (text) => text.replace(/^(0x)?0/, '$1'),
  'with a zero in front': (text) => text.replace(/^(0x)?/, '$10'),
  // Of a quantity it would be another.
  'without its last digit': (text) => (text.length < 40 ? text : text.slice(0, -1)),
  'a space behind it': (text) => `${text} `,
  empty: () => '',
  'nothing but 0x': () => '0x',
  null: () => null,
};

export interface SpellingFuzz {
  /** What a node tells. */
  readonly told: Json;
  read(told: Json): Promise<unknown>;
  readonly tries: number;
  readonly seed: number;
  /** Members where this is another word, not another spelling of it. */
  isOther?(member: string, spelling: string): boolean;
}

/**
 * Reads what a node tells with one member in hexadecimal digits spelt otherwise, `tries` times: it has to be refused, or
 * read the same.
 * @returns how often it was refused
 * @throws when something else was read
 */
export async function fuzzSpellings({
  told,
  read,
  tries,
  seed,
  isOther = () => false,
}: SpellingFuzz): Promise<number> {
  const honest = await read(told);
  const paths = listPaths(told);
  let refused = 0;
  const property = fc.asyncProperty(
    fc.constantFrom(...paths),
    fc.constantFrom(...Object.keys(spellings)),
    async (path, name) => {
      fc.pre(!isOther(String(path.at(-1)), name));
      let got: unknown;
      try {
        got = await read(replaceAt(told, path, spellings[name]!));
      } catch {
        refused += 1;
        return;
      }
      if (!isDeepStrictEqual(got, honest))
        throw new Error(
          `${path.join('.')} in ${name}: expected ${inspect(honest, { depth: 6 })}, got ${inspect(got, { depth: 6 })}`,
        );
    },
  );
  await fc.assert(property, { numRuns: tries, seed });
  return refused;
}

function listPaths(json: Json, path: Path = []): Path[] {
  if (typeof json === 'string') return /^(?:0x)?[0-9a-f]*$/.test(json) ? [path] : [];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]: [string, Json]) =>
    listPaths(value, [...path, Array.isArray(json) ? Number(key) : key]),
  );
}

function replaceAt(json: Json, [key, ...rest]: Path, edit: (text: string) => Json): Json {
  if (key === undefined) return edit(json as string);
  if (Array.isArray(json))
    return (json as readonly Json[]).with(
      key as number,
      replaceAt((json as readonly Json[])[key as number]!, rest, edit),
    );
  const object = json as { readonly [key: string]: Json };
  return { ...object, [key]: replaceAt(object[key]!, rest, edit) };
}
