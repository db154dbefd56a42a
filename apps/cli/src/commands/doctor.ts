// SPDX-License-Identifier: Apache-2.0
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { ProblemError, type Chainwatch, type components } from '@chainwatch/sdk';
import { CliError, EXIT } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { paint } from '../output.ts';
import { parseId, urlOf } from '../parse-options.ts';
import { describeChain } from './chains.ts';
import { ANSWER_MS_MAX, examineHealth, findOddPace, type Finding } from './examine-health.ts';

interface Options {
  readonly channel?: string;
  readonly health?: string[];
}

/** Signatures are refused beyond 300 s; a clock that far wrong is on its way there. */
const SKEW_SECONDS_MAX = 30;
const TEST_MS_MAX = 20_000;

const parseHealthUrl = urlOf('http://127.0.0.1:9464', 'http', 'https');

const CHAIN_ADVICE: Readonly<Record<string, string>> = {
  unknown: 'one of its services has not reported for 30 s: look at ingestor, analyzer and balance-service',
  stalled: 'the reason says what it waits for; most often its node: chainwatch chains set-node',
  recovering: 'a deep reorg is being followed: wait',
  degraded: 'blocks hold what this release does not know: GET /blockchains/{gid}/incidents, and update',
  catching_up: 'it is behind and goes on: wait',
  starting: 'wait',
};

export function addDoctor(program: Command, act: Act): void {
  program
    .command('doctor')
    .description('Look at everything that can be wrong, and say what to do')
    .option('--channel <id>', 'send a test message through this channel and see it arrive', parseId)
    .option(
      '--health <url...>',
      'health ports of services, such as http://127.0.0.1:9464: database, NATS, Redis',
      (text: string, before: readonly string[] = []) => [...before, parseHealthUrl(text)],
    )
    .addHelpText(
      'after',
      showExamples({
        notes: `Exit code 4: something is not right.`,
        examples: `chainwatch doctor
chainwatch doctor --channel 0199a1b2-… --health http://127.0.0.1:9464`,
      }),
    )
    .action(act(examine));
}

async function examine(context: Context, { channel, health = [] }: Options): Promise<void> {
  const { client, output } = context;
  const api = client();
  const findings: Finding[] = [...(await examineApi(context))];
  if (findings.every(({ ok }) => ok)) {
    findings.push(...(await guard('chains', () => examineChains(api))));
    findings.push(...(await guard('addresses', () => examineAddresses(api))));
    findings.push(...(await guard('channels', () => examineChannels(api))));
    if (channel !== undefined)
      findings.push(...(await guard('webhook', () => examineDelivery(context, channel))));
  }
  for (const url of health) findings.push(...(await guard(url, () => examineHealth(url))));
  for (const finding of findings) {
    const mark = finding.ok ? paint(output, 'green', '✓') : paint(output, 'red', '✗');
    const advice = finding.advice === undefined ? '' : `\n  ${paint(output, 'yellow', finding.advice)}`;
    output.print(finding, `${mark} ${finding.what}: ${finding.found}${advice}`);
  }
  if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.notRight;
}

async function guard(what: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const advice =
      error instanceof ProblemError && error.status === 403
        ? 'the key may not read it: make one that may'
        : undefined;
    return [{ what, ok: false, found: (error as Error).message, advice }];
  }
}

async function examineApi(context: Context): Promise<Finding[]> {
  const { apiUrl, key, source } = context.access();
  const started = performance.now();
  const response = await fetch(`${apiUrl}/version`, {
    headers: { 'x-api-key': key },
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error: unknown) => error as Error);
  if (response instanceof Error) {
    const found = response.cause instanceof Error ? response.cause.message : response.message;
    return [
      {
        what: 'API',
        ok: false,
        found: `${apiUrl}: ${found}`,
        advice: 'is it running, and is the address right?',
      },
    ];
  }
  const ms = Math.round(performance.now() - started);
  const skew = Math.round((Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1_000);
  const { version } = (await response.json().catch(() => ({}))) as { version?: string };
  return [
    { what: 'API', ok: true, found: `${apiUrl} answered in ${ms} ms` },
    response.ok
      ? { what: 'key', ok: true, found: `taken, from ${source}; version ${version}` }
      : {
          what: 'key',
          ok: false,
          found: `${response.status}, from ${source}`,
          advice: 'log in with another one: chainwatch login',
        },
    {
      what: 'clock',
      ok: Math.abs(skew) <= SKEW_SECONDS_MAX,
      found: `${Math.abs(skew)} s from that of the API`,
      ...(Math.abs(skew) > SKEW_SECONDS_MAX && {
        advice: 'webhooks are refused from 300 s on: run NTP on both machines',
      }),
    },
  ];
}

async function examineChains(api: Chainwatch): Promise<Finding[]> {
  const findings: Finding[] = [];
  const gids: string[] = [];
  for await (const chain of api.blockchains.list({ is_active: true, limit: 100 })) {
    gids.push(chain.gid);
    const { status, lag, reason } = describeChain(chain);
    const ok = status === 'following' || status === 'starting' || status === 'catching_up';
    findings.push({
      what: chain.gid,
      ok,
      found: [status, lag ? `${lag} blocks behind` : undefined, reason].filter(Boolean).join(', '),
      advice: status === 'following' ? undefined : CHAIN_ADVICE[status],
    });
    const pace = findOddPace(chain.sync ?? {});
    if (pace !== undefined) findings.push({ ...pace, what: `${chain.gid} block time` });
  }
  const details = await Promise.all(gids.map((gid) => api.blockchains.get(gid)));
  return findings.length > 0
    ? [...findings, ...examineUpgrades(details, Date.now())]
    : [
        {
          what: 'chains',
          ok: false,
          found: 'none is active',
          advice: 'chainwatch chains activate <chain_gid>',
        },
      ];
}

const NEWEST = 100;

/** The newest addresses, and the newest derived ones: a payer may have one that no followed chain knows. */
async function examineAddresses(api: Chainwatch): Promise<Finding[]> {
  const query = { is_monitored: true, limit: NEWEST, sort_by: '-created_at' } as const;
  const [all, derived] = await Promise.all([api.addresses.list(query), api.addresses.listHd(query)]);
  const addresses = [...all.items, ...derived.items];
  if (addresses.length === 0) return [{ what: 'addresses', ok: true, found: 'none is monitored' }];
  const counts = new Map<string, Set<string>>();
  for (const { address, warnings } of addresses)
    for (const warning of warnings) counts.set(warning, (counts.get(warning) ?? new Set()).add(address));
  if (counts.size === 0)
    return [{ what: 'addresses', ok: true, found: 'the newest ones are on active chains' }];
  return [...counts].map(([warning, those]) => ({
    what: `addresses (${those.size})`,
    ok: false,
    found: `${[...those][0]}: ${warning}`,
    advice:
      'add and activate the chain: chainwatch chains activate <chain_gid>; show the address to nobody before',
  }));
}

async function examineChannels(api: Chainwatch): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const channel of api.notificationChannels.list({ is_archived: false, limit: 100 })) {
    const { id, name, kind, status, failure_reason: reason } = channel;
    const ok = status === 'active';
    findings.push({
      what: `${kind} ${name}`,
      ok,
      found: [status, reason].filter(Boolean).join(', '),
      ...(!ok && {
        advice: `chainwatch deliveries list ${id} says what went wrong; when it is mended: chainwatch doctor --channel ${id}`,
      }),
    });
  }
  return findings;
}

/** A test message makes one attempt. */
async function examineDelivery({ client, signal }: Context, channel: string): Promise<Finding[]> {
  const api = client();
  const { id } = await api.notificationChannels.test(channel);
  const deadline = Date.now() + TEST_MS_MAX;
  while (Date.now() < deadline && !signal.aborted) {
    const { status, last_error: error, attempts } = await api.notificationChannels.getDelivery(channel, id);
    if (status === 'delivered') return [{ what: 'webhook', ok: true, found: 'the test message arrived' }];
    if (attempts.length > 0)
      return [
        {
          what: 'webhook',
          ok: false,
          found: error ?? status,
          advice: `what was answered: GET /notification_channels/${channel}/deliveries/${id}`,
        },
      ];
    await setTimeout(250);
  }
  throw new CliError('no attempt was made: is the notifier running?', EXIT.failed);
}

type Chain = Pick<
  components['schemas']['BlockchainDetails'],
  'gid' | 'upgrades' | 'upgrades_reviewed' | 'sync'
>;
type Upgrade = Chain['upgrades'][number];

const DAY_MS = 86_400_000;
const AHEAD_DAYS = 30;
/** As old as the release that knows nothing of what was announced since. */
const REVIEWED_DAYS_MAX = 60;

/** Upgrades of active chains: those of the next 30 days, and past ones that the service does not support. */
export function examineUpgrades(chains: readonly Chain[], nowMs: number): Finding[] {
  const findings = chains.flatMap(({ gid, upgrades, sync }) =>
    upgrades.flatMap((upgrade) =>
      describe(upgrade, { nowMs, sync }).map((finding) => ({ ...finding, what: `${gid} upgrade` })),
    ),
  );
  const oldest = chains
    .flatMap(({ upgrades_reviewed: day }) => day ?? [])
    .sort()
    .at(0);
  if (oldest === undefined) return findings;
  const age = Math.floor((nowMs - Date.parse(oldest)) / DAY_MS);
  const isOld = age > REVIEWED_DAYS_MAX;
  // Not a fault of this installation, so it does not change the exit code.
  return [
    ...findings,
    {
      what: 'calendar',
      ok: true,
      found: `reviewed on ${oldest}${isOld ? `, ${age} days ago` : ''}`,
      ...(isOld && {
        advice: 'upgrades announced since are missing: update, or mount a newer UPGRADES_FILE',
      }),
    },
  ];
}

interface Now {
  readonly nowMs: number;
  readonly sync: Chain['sync'];
}

function describe(upgrade: Upgrade, now: Now): Omit<Finding, 'what'>[] {
  const { name, date, height, state, reason } = upgrade;
  const atMs = findTime(upgrade, now);
  if (atMs === undefined) return [];
  const days = Math.ceil((atMs - now.nowMs) / DAY_MS);
  const isPast = atMs <= now.nowMs;
  const ok = state !== 'not';
  if (days > AHEAD_DAYS || (isPast && ok)) return [];
  const at = date ?? `block ${height}`;
  const ahead = `${date === null ? 'at' : 'on'} ${at}, in ${date === null ? 'about ' : ''}${days} ${days === 1 ? 'day' : 'days'}`;
  const when = isPast ? `active since ${at}` : ahead;
  const how = {
    ready: 'tested with a recorded block',
    generated: 'tested with generated blocks',
    not: reason ?? '',
  };
  return [{ ok, found: `${name} ${when}: ${how[state]}`, ...(!ok && { advice: 'update the service' }) }];
}

/** Where a height alone is known, it is reached by the pace of the chain. */
function findTime({ date, height }: Upgrade, { nowMs, sync }: Now): number | undefined {
  if (date !== null) return Date.parse(date);
  const head = sync?.head_number;
  const blockTimeMs = sync?.block_time_ms ?? sync?.configured_block_time_ms;
  if (height === null || typeof head !== 'number' || typeof blockTimeMs !== 'number') return undefined;
  return nowMs + (height - head) * blockTimeMs;
}
