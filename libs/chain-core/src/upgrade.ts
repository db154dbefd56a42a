// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { NetworkCatalogue } from './network-catalogue.ts';
import type { Network } from './network.ts';

/** A day, or a second in UTC: calendars publish one or the other. */
const dateSchema = z.union([z.iso.date(), z.iso.datetime()]);

const common = {
  /** Name of a network of the family: `optimism`. */
  network: z.string().regex(/^[a-z0-9-]+$/),
  /** As its authors call it: `Lagoon`. */
  name: z.string().min(1).max(60),
  /** When it takes effect; null while nobody has announced it. */
  date: dateSchema.nullable(),
  /** The first block, or slot, under the new rules; null where a time decides, or nothing does yet. */
  height: z.int().nonnegative().nullable(),
  /** `verified`: two sources agree, or a client's own configuration has it. `unverified`: a roadmap or a calculation. */
  certainty: z.enum(['verified', 'one-source', 'unverified']),
  changes: z.string().min(1).max(400),
  /** Kinds of incidents that a release without this upgrade opens: `transaction-type:0x7d`. */
  explains: z.array(z.string().min(1)).default([]),
  /** What the network's nodes call it: Solana's feature account, Bitcoin's deployment, TRON's chain parameters. */
  signals: z.array(z.string().min(1)).default([]),
  /** What a reader should know of the state: which part is recorded, what is not read. */
  note: z.string().min(1).max(400).optional(),
  sources: z.array(z.url({ protocol: /^https$/ })).min(1),
};

/** A path of the repository. */
const specSchema = z.string().regex(/^(?:apps|libs|tools)\/[\w./-]+\.spec\.ts$/);

/** One planned or past change of a network's rules (`upgrades.json` of a family). */
export const upgradeSchema = z.discriminatedUnion('state', [
  z.strictObject({
    ...common,
    state: z.literal('ready'),
    spec: specSchema,
    /** The recorded block after the upgrade that the spec reads, below the folder of fixtures. */
    recorded: z.string().regex(/^[\w./-]+\.json$/),
  }),
  z.strictObject({ ...common, state: z.literal('generated'), spec: specSchema }),
  z.strictObject({
    ...common,
    state: z.literal('not'),
    /** What is missing. */
    reason: z.string().min(1).max(400),
    spec: specSchema.optional(),
  }),
]);

/**
 * A row of the calendar. `state` is that of this release: `ready` is tested with a recorded block after the upgrade,
 * `generated` with blocks generated in the published format, `not` is neither, and says why.
 */
export type Upgrade = z.infer<typeof upgradeSchema>;
export type UpgradeState = Upgrade['state'];

export const calendarSchema = z
  .strictObject({
    /** The day on which somebody last compared the file with the sources. */
    reviewed: z.iso.date(),
    upgrades: z.array(upgradeSchema),
  })
  .superRefine(({ upgrades }, ctx) => {
    const seen = new Set<string>();
    for (const [index, { network, name }] of upgrades.entries()) {
      const key = `${network} ${name}`;
      if (seen.has(key))
        ctx.addIssue({
          code: 'custom',
          path: ['upgrades', index],
          message: `expected one row for ${key}, got two`,
        });
      seen.add(key);
    }
  });

/** What a family, or an operator's file, knows of the upgrades of its networks. */
export type Calendar = z.infer<typeof calendarSchema>;

/** A family's `upgrades.json`. @throws ZodError, or an Error that names the networks that are not the family's */
export function parseCalendar(json: unknown, networks: readonly Network[]): Calendar {
  const calendar = calendarSchema.parse(json);
  const known = new Set(networks.map(({ name }) => name));
  const others = calendar.upgrades.filter(({ network }) => !known.has(network));
  if (others.length === 0) return calendar;
  throw new Error(`expected networks of the family, got ${others.map(({ network }) => network).join(', ')}`);
}

/**
 * The calendar of a family with the rows that an operator mounted for its networks. A mounted row may change when, what and
 * from where; what this release can read stays what this release says, and a row that it does not have is `not` ready.
 */
export function mergeCalendars(
  { calendar, catalogue }: { readonly calendar: Calendar; readonly catalogue: NetworkCatalogue },
  mounted: Calendar | undefined,
): Calendar {
  if (mounted === undefined) return calendar;
  const keyOf = ({ network, name }: Upgrade): string => `${network} ${name}`;
  const names = new Set(catalogue.networks.flatMap(({ gid }) => catalogue.calendarNamesOf(gid)));
  const rows = new Map(calendar.upgrades.map((row) => [keyOf(row), row]));
  for (const row of mounted.upgrades)
    if (names.has(row.network)) rows.set(keyOf(row), toOwnWord(row, rows.get(keyOf(row))));
  return {
    reviewed: mounted.reviewed > calendar.reviewed ? mounted.reviewed : calendar.reviewed,
    upgrades: [...rows.values()].sort(compareUpgrades),
  };
}

function toOwnWord(row: Upgrade, own: Upgrade | undefined): Upgrade {
  const { network, name, date, height, certainty, changes, explains, signals, sources } = row;
  const told = { network, name, date, height, certainty, changes, explains, signals, sources };
  if (own !== undefined) return { ...own, ...told };
  return {
    ...told,
    note: row.note,
    state: 'not',
    reason: 'This release does not have this upgrade in its calendar.',
  };
}

const DAY_MS = 86_400_000;
const PAST_DAYS = 90;

/** Where a chain is; both are absent while it is not followed. */
export interface ChainPace {
  readonly headNumber?: number | undefined;
  readonly blockTimeMs?: number | undefined;
}

/**
 * What a reader looks at: the upgrades of the last 90 days, and the next one, or those that are announced without a date.
 * Those with a height alone stand behind: until 90 days of blocks after it.
 */
export function selectUpgrades(
  upgrades: readonly Upgrade[],
  nowMs: number,
  { headNumber, blockTimeMs }: ChainPace = {},
): Upgrade[] {
  const times = new Map(upgrades.map((row) => [row, timeOfUpgrade(row)]));
  const dated = upgrades.filter((row) => times.get(row) !== undefined).sort(compareUpgrades);
  const past = dated.filter((row) => {
    const age = nowMs - times.get(row)!;
    return age >= 0 && age <= PAST_DAYS * DAY_MS;
  });
  const next = dated.find((row) => times.get(row)! > nowMs);
  const open = upgrades.filter(({ date, height }) => date === null && height === null);
  // Without a head, a height tells nobody whether it is past.
  const atHeights = upgrades
    .filter(({ date, height }) => {
      if (date !== null || height === null || headNumber === undefined) return false;
      return headNumber < height || (headNumber - height) * (blockTimeMs ?? 0) <= PAST_DAYS * DAY_MS;
    })
    .sort((one, other) => one.height! - other.height!);
  return [...past, ...(next === undefined ? open : [next]), ...atHeights];
}

/** The moment of a row in milliseconds: a day begins at midnight UTC. Undefined without a date. */
export function timeOfUpgrade({ date }: Pick<Upgrade, 'date'>): number | undefined {
  return date === null ? undefined : Date.parse(date);
}

/** Oldest first, without a date last, then by name and network. */
export function compareUpgrades(one: Upgrade, other: Upgrade): number {
  const [first, second] = [timeOfUpgrade(one) ?? Infinity, timeOfUpgrade(other) ?? Infinity];
  if (first !== second) return first - second;
  return one.name.localeCompare(other.name) || one.network.localeCompare(other.network);
}

/**
 * The upgrade that explains an incident: of the rows that name its kind, the latest one that is past, otherwise the next
 * one, otherwise one without a date.
 */
export function findExplanation(
  upgrades: readonly Upgrade[],
  { kind, atMs }: { readonly kind: string; readonly atMs: number },
): Upgrade | undefined {
  const named = upgrades.filter(({ explains }) => explains.includes(kind)).sort(compareUpgrades);
  return named.findLast((row) => isActiveUpgrade(row, atMs)) ?? named[0];
}

/** Whether the calendar says that the upgrade is active. */
export function isActiveUpgrade(row: Pick<Upgrade, 'date'>, nowMs: number): boolean {
  return (timeOfUpgrade(row) ?? Infinity) <= nowMs;
}

/** Rows that the day of `nowMs` finds active although this release is not ready for them. */
export function findOverdue(upgrades: readonly Upgrade[], nowMs: number): Upgrade[] {
  return upgrades.filter((row) => row.state === 'not' && isActiveUpgrade(row, nowMs));
}
