// SPDX-License-Identifier: Apache-2.0
import { check, interpret, UncheckedClaimError, type Check } from './check.ts';
import { demand } from './demand.ts';
import type { Endpoint } from './send-sample.ts';
import { expectRefused } from './fields.ts';
import type { Ground } from './ground.ts';
import { valueOf } from './list-values.ts';
import { codesOf } from './read-tables.ts';
import { listAll, type Sample } from './samples.ts';
import { enumOf, sayingOf } from './specification.ts';

interface Parameter extends Endpoint {
  readonly name: string;
}

type Phrase = readonly [RegExp, (match: RegExpExecArray, parameter: Parameter) => Check | readonly Check[]];

const PHRASES: readonly Phrase[] = [
  [/(?:integer )?(\d+)\.\.(\d+)/, ([, min, max], parameter) => bounds(parameter, Number(min), Number(max))],
  [/(?:integer )?>= (\d+)/, ([, min], parameter) => bounds(parameter, Number(min), undefined)],
  [
    /integer/,
    (_, parameter) =>
      check(`${parameter.name} is an integer`, async (ground) => {
        for (const text of ['x', '1.5', '']) await refuse(ground, parameter, text);
      }),
  ],
  [
    /default (.+)/,
    ([, initial], parameter) =>
      check(`${parameter.name} is ${initial} when it is left out`, async (ground) => {
        const [without, given] = [
          await ask(ground, parameter, undefined),
          await ask(ground, parameter, codesOf(initial!)[0] ?? initial!),
        ];
        demand(
          textOf(without) === textOf(given),
          `the same answer as with ${parameter.name}=${initial}`,
          without,
        );
        if (parameter.name in without.meta)
          demand(
            without.meta[parameter.name] === Number(initial),
            `meta.${parameter.name} of ${initial}`,
            without.meta,
          );
      }),
  ],
  [
    /string (\d+)\.\.(\d+)/,
    ([, min, max], parameter) =>
      check(`${parameter.name} has ${min} to ${max} characters`, async (ground) => {
        for (const length of [Number(min), Number(max)]) await ask(ground, parameter, 'a'.repeat(length));
        for (const length of [Number(min) - 1, Number(max) + 1])
          await refuse(ground, parameter, 'a'.repeat(length));
      }),
  ],
  // Anything is a string; what else is said of it has checks of its own.
  [
    /string/,
    (_, parameter) =>
      check(
        `${parameter.name} is text`,
        async (ground) => void (await ask(ground, parameter, sampleText(parameter))),
      ),
  ],
  [
    /`-` prefix means descending/,
    (_, parameter) =>
      check('- turns the order around', (ground) => proveOrder(ground, parameter, sampleText(parameter))),
  ],
  [
    /(?:the )?sample(?: uses)? `(\w+)`/,
    ([, field], parameter) => check(`sorts by ${field}`, (ground) => proveOrder(ground, parameter, field!)),
  ],
  [/enum ((?:`[^`]+`(?:, )?)+)/, ([, list], parameter) => enumeration(parameter, codesOf(list!))],
  [/boolean/, (_, parameter) => enumeration(parameter, ['true', 'false'])],
  [
    /omitted means both/,
    (_, parameter) =>
      check('left out means both', (ground) => provePartition(ground, parameter, ['true', 'false'])),
  ],
  [
    /comma-separated chain families/,
    (_, parameter) =>
      check('takes families', async (ground) => {
        const families = codesOf(sayingOf(ground.specification, 'Chain families named in the interface:'));
        await proveEnumeration(ground, parameter, families);
        await provePartition(ground, parameter, families);
        await proveLists(ground, parameter, families);
      }),
  ],
  [
    /comma-separated block statuses/,
    (_, parameter) =>
      check('takes statuses of blocks', async (ground) => {
        const statuses = enumOf(ground.specification, 'Block', 'status');
        await proveEnumeration(ground, parameter, statuses);
        await provePartition(ground, parameter, statuses);
        await proveLists(ground, parameter, statuses);
      }),
  ],
  [
    /(?:comma-separated CAIP-2 list|array of CAIP-2)/,
    (_, parameter) =>
      check('takes chains', async (ground) => {
        const chains = (await listAll(ground, '/blockchains')).map(({ gid }) => String(gid));
        for (const gid of chains) await expectMatches(ground, parameter, gid);
        await provePartition(ground, parameter, chains);
        await proveLists(ground, parameter, chains);
        await refuse(ground, parameter, 'no chain');
      }),
  ],
  [
    /array/,
    (_, parameter) =>
      check('is an array: repeated, or with commas', async (ground) => {
        const known = KNOWN_ITEMS[parameter.name];
        if (known === undefined) throw new UncheckedClaimError(`array ${parameter.name}`);
        await proveLists(ground, parameter, known);
      }),
  ],
  [
    /partial/,
    (_, parameter) =>
      check('finds parts of names', (ground) =>
        proveSearch(ground, { parameter, change: (text) => text.slice(1, -1) }),
      ),
  ],
  [
    /case-insensitive (?:partial )?match on (name(?: or short name)?)/,
    ([, fields], parameter) =>
      check(`finds ${fields} in any case`, async (ground) => {
        for (const change of [
          (text: string) => text.toUpperCase(),
          (text: string) => text.slice(1).toLowerCase(),
        ])
          await proveSearch(ground, {
            parameter,
            change,
            fields: fields!.split(' or ').map((field) => field.replace(' ', '_')),
          });
      }),
  ],
];

/** Two of the values, for arrays whose enumeration is checked by itself. */
const KNOWN_ITEMS: Readonly<Record<string, readonly string[]>> = {
  namespaces: ['erc20', 'slip44'],
  statuses: ['active', 'invalid'],
  chain_gids: ['eip155:1', 'eip155:31337'],
};
/** Of parameters that the row names without saying more. */
const BARE: Readonly<Record<string, string>> = { page: '1', limit: '100' };

/** What a cell says about query parameters: `name` (what of it), … */
export function parameterChecks(endpoint: Endpoint, text: string): Check[] {
  const parameters = [...text.matchAll(/`(\w+)`(?: \(((?:[^()`]|`[^`]*`)*)\))?(?:, |$)/g)];
  if (parameters.map(([whole]) => whole).join('') !== text) throw new UncheckedClaimError(text);
  const checks = parameters.flatMap(([, name, notes]) => {
    const parameter = { ...endpoint, name: name! };
    if (notes === undefined)
      return [check(`knows ${name}`, async (ground) => void (await ask(ground, parameter, BARE[name!]!)))];
    return splitNotes(notes)
      .flatMap((phrase) => interpret(phrase, PHRASES, parameter))
      .concat(rangeChecks(parameter));
  });
  return [
    ...checks,
    check('refuses a parameter that is not listed', (ground) =>
      refuse(ground, { ...endpoint, name: 'no_such_parameter' }, '1'),
    ),
  ];
}

/** Enumerations hold commas themselves. */
function splitNotes(notes: string): string[] {
  const [enumeration = ''] = /enum (?:`[^`]+`(?:, )?)+/.exec(notes) ?? [];
  const rest = notes
    .replace(enumeration, '')
    .split(/[;,] ?/)
    .map((phrase) => phrase.trim());
  return [...rest, enumeration.replace(/, $/, '')].filter((phrase) => phrase !== '');
}

/** `from_block`, `to_block`: both ends belong to the range. */
function rangeChecks(parameter: Parameter): Check[] {
  const [, end, field] = /^(from|to)_(\w+)$/.exec(parameter.name) ?? [];
  if (end === undefined || field !== 'block') return [];
  return [
    check(`${parameter.name} is one end of a range`, async (ground) => {
      const all = (await listAll(ground, parameter.path)).map(({ number }) => Number(number));
      const middle = all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
      const found = (await listAll(ground, `${parameter.path}?${parameter.name}=${middle}`)).map(
        ({ number }) => Number(number),
      );
      const expected = all.filter((number) => (end === 'from' ? number >= middle : number <= middle));
      demand(
        found.length === expected.length && found.every((number) => expected.includes(number)),
        `the ${expected.length} blocks ${end} ${middle}`,
        found,
      );
    }),
  ];
}

function bounds(parameter: Parameter, min: number, max: number | undefined): Check {
  return check(`${parameter.name} is ${min}..${max ?? ''}`, async (ground) => {
    for (const value of [min, ...(max === undefined ? [min + 1_000] : [max])]) {
      const { meta } = await ask(ground, parameter, String(value));
      if (parameter.name in meta)
        demand(meta[parameter.name] === value, `meta.${parameter.name} of ${value}`, meta);
    }
    for (const value of [min - 1, -1, ...(max === undefined ? [] : [max + 1, max * 1_000])])
      await refuse(ground, parameter, String(value));
    for (const text of ['x', '1.5', '']) await refuse(ground, parameter, text);
  });
}

function enumeration(parameter: Parameter, values: readonly string[]): Check[] {
  return [
    check(`${parameter.name} is one of ${values.join(', ')}`, async (ground) => {
      await proveEnumeration(ground, parameter, values);
      if (parameter.name !== 'sort_by') await provePartition(ground, parameter, values);
    }),
    ...(parameter.name === 'sort_by'
      ? values
          .filter((value) => !value.startsWith('-'))
          .map((field) =>
            check(`sorts by ${field}, and by -${field}`, (ground) => proveOrder(ground, parameter, field)),
          )
      : []),
  ];
}

async function proveEnumeration(
  ground: Ground,
  parameter: Parameter,
  values: readonly string[],
): Promise<void> {
  for (const value of values) await expectMatches(ground, parameter, value);
  for (const value of ['no_such_value', values[0]!.toUpperCase(), '']) await refuse(ground, parameter, value);
}

/** Every item has what was asked for, as far as an item shows it. */
async function expectMatches(ground: Ground, parameter: Parameter, value: string): Promise<void> {
  const { items } = await ask(ground, parameter, value);
  if (parameter.name === 'sort_by') return;
  for (const item of items) {
    const got = valueOf(item, parameter.name);
    demand(got === undefined || String(got) === value, `items with ${parameter.name} of ${value}`, item);
  }
}

/** Each item has one of the values, and none has two. */
async function provePartition(
  ground: Ground,
  parameter: Parameter,
  values: readonly string[],
): Promise<void> {
  const totals = await Promise.all(
    values.map(async (value) => Number((await ask(ground, parameter, value)).meta['total'])),
  );
  const { meta } = await ask(ground, parameter, undefined);
  demand(
    totals.reduce((sum, total) => sum + total, 0) === meta['total'] &&
      totals.filter((total) => total > 0).length > 0,
    `totals that add up to ${String(meta['total'])}`,
    totals,
  );
}

/** Repeated, with commas, and mixed: the items of all of them. */
async function proveLists(
  ground: Ground,
  { path, name }: Parameter,
  values: readonly string[],
): Promise<void> {
  const [first, second] = values as [string, string];
  const totalOf = async (query: string): Promise<number> =>
    (await listAll(ground, `${path}?${query}`)).length;
  const expected = (await totalOf(`${name}=${first}`)) + (await totalOf(`${name}=${second}`));
  for (const query of [`${name}=${first},${second}`, `${name}=${first}&${name}=${second}`]) {
    const total = await totalOf(query);
    demand(total === expected, `${expected} items of ${query}`, total);
  }
}

/** Whatever collation the order has, the descending one is its reverse; numbers and times count as such. */
async function proveOrder(ground: Ground, parameter: Parameter, field: string): Promise<void> {
  const values = async (sort: string): Promise<unknown[]> =>
    (await listAll(ground, `${parameter.path}?${parameter.name}=${sort}`)).map((item) =>
      valueOf(item, field),
    );
  const [up, down] = [await values(field), await values(`-${field}`)];
  demand(up.length > 1 && up.every((value) => value !== undefined), `items with ${field}`, up);
  demand(JSON.stringify([...down].reverse()) === JSON.stringify(up), `-${field} as the reverse of ${field}`, [
    up,
    down,
  ]);
  const ascends = (compare: (one: never, other: never) => number): boolean =>
    up.every((value, index) => index === 0 || compare(up[index - 1] as never, value as never) <= 0);
  demand(ORDERS.some(ascends), `${field} in ascending order`, up);
}

/** Text by the alphabet or by code points: the specification does not say which. */
const ORDERS: readonly ((one: never, other: never) => number)[] = [
  (one: string | number, other: string | number) => (one < other ? -1 : Number(one > other)),
  (one: unknown, other: unknown) => String(one).localeCompare(String(other), 'en', { sensitivity: 'base' }),
];

async function proveSearch(
  ground: Ground,
  {
    parameter,
    change,
    fields = ['name'],
  }: {
    readonly parameter: Parameter;
    readonly change: (text: string) => string;
    readonly fields?: readonly string[];
  },
): Promise<void> {
  const all = (await listAll(ground, parameter.path)).filter((item) => String(item['name']).length < 100);
  for (const field of fields) {
    const sample = all.find((item) => String(item[field]).length > 2)!;
    const text = change(String(sample[field]));
    const found = await listAll(ground, `${parameter.path}?${parameter.name}=${encodeURIComponent(text)}`);
    demand(
      found.some((item) => JSON.stringify(item) === JSON.stringify(sample)),
      `${String(sample[field])} for ${text}`,
      found,
    );
    demand(
      found.every((item) =>
        fields.concat('name', 'short_name').some((one) =>
          String(item[one] ?? '')
            .toLowerCase()
            .includes(text.toLowerCase()),
        ),
      ),
      `only what has ${text}`,
      found,
    );
  }
}

/** A cursor is sealed anew for each answer: only whether there is one can be compared. */
function textOf({ items, meta }: { items: Sample[]; meta: Sample }): string {
  return JSON.stringify({ items, meta: { ...meta, next_cursor: typeof meta['next_cursor'] } });
}

async function ask(
  { api }: Ground,
  { path, name }: Parameter,
  value: string | undefined,
): Promise<{ items: Sample[]; meta: Sample }> {
  const { status, body } = await api(
    'GET',
    value === undefined ? path : `${path}?${name}=${encodeURIComponent(value)}`,
  );
  demand(status === 200, `200 for ${name}=${value}`, { status, body });
  return body as { items: Sample[]; meta: Sample };
}

function refuse({ api }: Ground, { path, name }: Parameter, value: string): Promise<void> {
  return expectRefused(api, {
    path: `${path}?${name}=${encodeURIComponent(value)}`,
    field: name,
    method: 'GET',
  });
}

function sampleText({ name }: Parameter): string {
  return name === 'sort_by' ? 'name' : 'a';
}
