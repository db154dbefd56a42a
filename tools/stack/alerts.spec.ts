// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { findDebianTool } from './find-debian-tool.ts';
import { BOARDS } from './boards.mjs';
import { OBJECTIVES } from './objectives.mjs';
import { ofInstallation } from './render-dashboards.mjs';
import { serviceNames, services } from './services.mjs';
import { applySettings, readSettings } from './settings.mjs';

const settings = readSettings();
const PROMETHEUS = join(repoDir, 'deploy/prometheus');
const RULES = join(repoDir, 'deploy/prometheus/rules.yaml');
const RUNBOOKS = join(repoDir, 'docs/guides/runbooks');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
interface Recorded {
  readonly record: string;
  readonly expr: string;
}
const allRules = (
  parse(readFileSync(RULES, 'utf8')) as { groups: { rules: (Rule | Recorded)[] }[] }
).groups.flatMap((group) => group.rules);
const rules = allRules.filter((rule): rule is Rule => 'alert' in rule);

type Series = Readonly<Record<string, string>>;
interface Case {
  readonly name: string;
  /** Besides the healthy world, whose series they replace. */
  readonly series?: Series;
  /** Between samples and evaluations; default 15 s. */
  readonly interval?: string;
  readonly since?: string;
  /** Without the healthy world. */
  readonly isAlone?: boolean;
  /** What fires at each time: `alert`, or `alert what` with the chain or service. With `since`: whatever fired since then. */
  readonly fires: Readonly<Record<string, readonly string[]>>;
}

/** Samples: `count` of a value, one that grows, none. */
const flat = (value: number, count = 960): string => `${value}x${count}`;
const rising = (from: number, step: number, count = 960): string =>
  `${from}${step < 0 ? '' : '+'}${step}x${count}`;
const GONE = 'stale _x960';

const ETHEREUM = '{chain_gid="eip155:1",instance="a"}';
const BITCOIN = '{chain_gid="bip122:000000000019d6689c085ae165831e93",instance="a"}';
const SOLANA = '{chain_gid="solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",instance="a"}';
const gidOf = (labels: string): string => /chain_gid="([^"]+)"/.exec(labels)![1]!;
const build = (service: string): string =>
  `chainwatch_build_info{service="${service}",version="0.1.0",commit="abc"}`;

const STAGES = ['outbox', 'balances', 'positions', 'dispatch', 'deliveries_due', 'deliveries_held'] as const;
const backlogAge = (stage: string): string => `chainwatch_backlog_age_seconds{stage="${stage}",instance="a"}`;
const sharesOf = (kind: string, instance: string): string =>
  `chainwatch_shares{kind="${kind}",instance="${instance}"}`;
const ownedBy = (kind: string, instance: string): string =>
  `chainwatch_owned_shares{kind="${kind}",instance="${instance}"}`;
const RETENTION = 'chainwatch_retention_finished_timestamp_seconds{kind="events",instance="a"}';

const ofChain = (labels: string, blockSeconds: number): Series => ({
  [`chainwatch_ingestor_head_number${labels}`]: rising(1, 1),
  [`chainwatch_chain_block_time_seconds${labels}`]: flat(blockSeconds),
  [`chainwatch_chain_block_time_configured_seconds${labels}`]: flat(blockSeconds),
  [`chainwatch_chain_head_pause_seconds${labels}`]: flat(Math.ceil(blockSeconds / 2)),
  [`chainwatch_chain_head_age_seconds${labels}`]: flat(Math.ceil(blockSeconds / 2)),
  [`chainwatch_chain_stalled_status${labels}`]: flat(0),
  [`chainwatch_analyzer_lag_blocks${labels}`]: flat(0),
  [`chainwatch_rpc_upstream_serving${labels.replace('}', ',upstream="one",interface="jsonrpc"}')}`]: flat(1),
});
const HEALTHY: Series = {
  ...Object.fromEntries(serviceNames.map((name) => [build(name), flat(1)])),
  ...ofChain(ETHEREUM, 12),
  ...ofChain(BITCOIN, 600),
  ...ofChain(SOLANA, 0.4),
  'chainwatch_active_chains{family="evm",instance="g"}': flat(1),
  'chainwatch_active_chains{family="bitcoin",instance="g"}': flat(1),
  'chainwatch_active_chains{family="solana",instance="g"}': flat(1),
  'chainwatch_active_chains{family="tron",instance="g"}': flat(0),
  'chainwatch_database_connections{job="notifier",pool="plain"}': flat(8),
  'chainwatch_database_connections_max{job="notifier",pool="plain"}': flat(8),
  'chainwatch_database_waiting_requests{job="notifier",pool="plain"}': flat(0),
  ...Object.fromEntries(
    STAGES.map((stage) => [backlogAge(stage), flat(stage === 'deliveries_held' ? 90_000 : 1)]),
  ),
  [sharesOf('channels', 'a')]: flat(32),
  [ownedBy('channels', 'a')]: flat(16),
  [sharesOf('channels', 'b')]: flat(32),
  [ownedBy('channels', 'b')]: flat(16),
  // A chain that no node is reached of: ChainStandsStill tells of it.
  [sharesOf('analyzer', 'c')]: flat(3),
  [ownedBy('analyzer', 'c')]: flat(2),
  [RETENTION]: rising(0, 15),
  'chainwatch_nats_connected{instance="a"}': flat(1),
  'chainwatch_redis_connected{instance="g"}': flat(1),
  [build('notifier').replace('{', '{instance="a",')]: flat(1),
  'nodejs_eventloop_lag_p99_seconds{instance="a"}': `${'0 0.9 0 '.repeat(300)}0`,
  // A program that is none of ours.
  'nodejs_eventloop_lag_p99_seconds{instance="z"}': flat(3),
};
/** The same for as long as any case goes on, whatever its interval. */
const LASTING: Series = {
  // Of another release than `b`, for good.
  ...Object.fromEntries(
    Object.entries(HEALTHY).map(([name, values]) => [
      name.replace('version="0.1.0"', 'version="0.0.9"'),
      values,
    ]),
  ),
  [RETENTION]: flat(1e9),
};
/** Every replica of the service. */
const gone = (service: string, values: string): Series =>
  Object.fromEntries(
    Object.keys(HEALTHY)
      .filter((name) => name.startsWith('chainwatch_build_info') && name.includes(`"${service}"`))
      .map((name) => [name, values]),
  );
/** Every series of the chain, one value of which is replaced. */
const none = (labels: string): Series =>
  Object.fromEntries(
    Object.keys(ofChain(labels, 1))
      .filter((name) => name.endsWith(labels))
      .map((name) => [name, `${HEALTHY[name]!.replace(/x\d+$/, 'x19')} ${GONE}`]),
  );

/** What the pause is every two minutes of a week whose blocks come as they do: at random, ten minutes apart on average. */
function bitcoinWeek(): number[] {
  let state = 20_260_101;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  let pause = 0;
  return Array.from({ length: 7 * 24 * 30 }, () => {
    pause = random() < 0.2 ? 0 : pause + 120;
    return pause;
  });
}
const week = bitcoinWeek();

const SCRAPELESS = 'nothing is scraped';

const CASES: readonly Case[] = [
  { name: 'all is well', fires: { '1m': [], '1h': [], '2h': [] } },
  {
    name: 'Bitcoin, healthy for a week',
    interval: '2m',
    since: '1w',
    isAlone: true,
    series: Object.fromEntries([
      ...[...serviceNames.map(build), ...Object.keys(ofChain(BITCOIN, 600)), backlogAge('dispatch')].map(
        (name) => [name, HEALTHY[name]!.replace('x960', 'x5040')] as const,
      ),
      [`chainwatch_chain_head_pause_seconds${BITCOIN}`, week.join(' ')] as const,
      [`chainwatch_chain_head_age_seconds${BITCOIN}`, week.join(' ')] as const,
    ]),
    fires: { '168h': [] },
  },
  {
    name: 'Solana halts after ten minutes',
    series: { [`chainwatch_chain_head_pause_seconds${SOLANA}`]: `${flat(1, 39)} ${rising(1, 15)}` },
    fires: { '10m45s': [], '12m': [`ChainHasNoNewBlocks ${gidOf(SOLANA)}`] },
  },
  {
    name: 'Ethereum halts after ten minutes',
    series: { [`chainwatch_chain_head_pause_seconds${ETHEREUM}`]: `${flat(6, 39)} ${rising(6, 15)}` },
    fires: { '12m': [], '13m': [`ChainHasNoNewBlocks ${gidOf(ETHEREUM)}`] },
  },
  {
    name: 'Bitcoin halts',
    series: { [`chainwatch_chain_head_pause_seconds${BITCOIN}`]: rising(0, 15) },
    fires: { '1h55m': [], '2h2m': [`ChainHasNoNewBlocks ${gidOf(BITCOIN)}`] },
  },
  {
    name: 'two replicas tell of one chain: the newer one counts',
    series: {
      [`chainwatch_chain_head_pause_seconds${ETHEREUM}`]: rising(0, 15),
      'chainwatch_chain_head_pause_seconds{chain_gid="eip155:1",instance="b"}': flat(5),
    },
    fires: { '30m': [] },
  },
  {
    name: 'an ingestor hangs: Prometheus loses it, the gateway reads in the database that it writes no more',
    series: {
      ...none(ETHEREUM),
      [build('block-ingestor-evm')]: `${flat(1, 19)} ${GONE}`,
      [`chainwatch_chain_stalled_status${ETHEREUM}`]: `${flat(0, 19)} ${GONE}`,
      'chainwatch_chain_stalled_status{chain_gid="eip155:1",instance="g"}': `${flat(0, 21)} ${flat(1)}`,
    },
    fires: {
      '5m': [],
      '7m30s': [`ChainStandsStill ${gidOf(ETHEREUM)}`, 'ServiceIsAbsent block-ingestor-evm'],
      '12m': [
        'ChainIsNotFollowed',
        `ChainStandsStill ${gidOf(ETHEREUM)}`,
        'ServiceIsAbsent block-ingestor-evm',
      ],
    },
  },
  {
    name: 'the history of a chain does nothing but fail',
    series: { 'chainwatch_worker_stalled_status{worker="history",chain_gid="eip155:1"}': flat(1) },
    fires: { '4m': [], '6m': ['WorkerStandsStill eip155:1'] },
  },
  {
    name: 'the ingestor of a family without active chains is not there',
    series: { [build('block-ingestor-tron')]: GONE },
    fires: { '30m': [] },
  },
  {
    name: 'the notifier is not there',
    series: gone('notifier', `${flat(1, 19)} ${GONE}`),
    fires: { '6m': [], '8m': ['ServiceIsAbsent notifier'] },
  },
  {
    name: 'a service restarts',
    series: gone('notifier', `${flat(1, 19)} stale _x3 ${flat(1)}`),
    fires: { '5m30s': [], '6m': [], '8m': [] },
  },
  {
    name: 'one of two replicas goes',
    series: { [build('notifier')]: `${flat(1, 19)} ${GONE}` },
    fires: { '30m': [] },
  },
  {
    name: SCRAPELESS,
    series: Object.fromEntries(Object.keys(HEALTHY).map((name) => [name, GONE])),
    fires: {
      '10m': serviceNames
        .filter((name) => !name.startsWith('block-ingestor-'))
        .map((name) => `ServiceIsAbsent ${name}`)
        .sort(),
    },
  },
  {
    name: 'the day of events that began last goes on',
    interval: '10m',
    isAlone: true,
    series: {
      ...Object.fromEntries(serviceNames.map((name) => [build(name), flat(1)])),
      'chainwatch_backlog_age_seconds{stage="outbox",instance="a"}': flat(0),
      'chainwatch_event_day_began_timestamp_seconds{instance="a"}': flat(0),
      'chainwatch_event_days_ahead{instance="a"}': flat(4),
    },
    fires: { '49h': [], '52h': ['EventDaysStandStill'] },
  },
  {
    name: 'no day of events is there ahead',
    series: {
      'chainwatch_event_day_began_timestamp_seconds{instance="a"}': flat(0),
      'chainwatch_event_days_ahead{instance="a"}': `${flat(4, 20)} ${flat(0)}`,
    },
    fires: { '1h': [], '1h10m': ['EventDaysStandStill'] },
  },
  {
    name: 'a chain is deactivated',
    series: {
      ...none(BITCOIN),
      'chainwatch_active_chains{family="bitcoin",instance="g"}': `${flat(1, 20)} ${flat(0)}`,
    },
    fires: { '10m': [], '1h': [] },
  },
  {
    name: 'a chain moves to another replica, which begins to count anew',
    series: {
      ...none(BITCOIN),
      ...Object.fromEntries(
        Object.entries(ofChain(BITCOIN.replace('"a"', '"b"'), 600)).map(([name, values]) => [
          name,
          `_x20 ${values}`,
        ]),
      ),
    },
    fires: { '5m30s': [], '30m': [], '1h': [] },
  },
  {
    name: 'one of three active chains is followed by nobody',
    series: {
      ...none(SOLANA),
    },
    fires: { '9m': [], '11m': ['ChainIsNotFollowed'] },
  },
  {
    name: 'no chain is followed',
    series: { ...none(ETHEREUM), ...none(BITCOIN), ...none(SOLANA) },
    fires: { '11m': ['ChainIsNotFollowed'] },
  },
  {
    name: 'a node goes on an hour behind its network',
    series: { [`chainwatch_chain_head_age_seconds${ETHEREUM}`]: flat(3_600) },
    fires: { '4m': [], '6m': [`ChainHeadIsOld ${gidOf(ETHEREUM)}`] },
  },
  {
    name: "a block's own time is nine minutes off",
    series: {
      [`chainwatch_chain_head_age_seconds${SOLANA}`]: flat(540),
      [`chainwatch_chain_head_age_seconds${BITCOIN}`]: flat(7_000),
    },
    fires: { '1h': [] },
  },
  {
    name: 'blocks become ten times as fast, and on another chain somewhat slower',
    series: {
      [`chainwatch_chain_block_time_seconds${ETHEREUM}`]: `${flat(12, 39)} ${flat(1.2)}`,
      [`chainwatch_chain_block_time_seconds${BITCOIN}`]: flat(1_100),
    },
    fires: { '1h5m': [], '1h15m': [`BlockTimeDiffers ${gidOf(ETHEREUM)}`] },
  },
  {
    name: 'blocks take twice as long as configured',
    series: { [`chainwatch_chain_block_time_seconds${SOLANA}`]: flat(0.8) },
    fires: { '50m': [], '1h5m': [`BlockTimeDiffers ${gidOf(SOLANA)}`] },
  },
  {
    name: 'an upgrade comes that the release does not support, and one that it does',
    series: {
      'chainwatch_upgrade_seconds{network="base",name="Everest",state="not",instance="a"}': rising(
        -1_212_000,
        15,
      ),
      'chainwatch_upgrade_seconds{network="bsc",name="Jenner",state="generated",instance="a"}': rising(
        -3_600,
        15,
      ),
    },
    fires: { '30m': [], '1h': ['UpgradeComes Everest'] },
  },
  {
    name: 'an upgrade becomes active that the release does not support, then the release is replaced',
    series: {
      'chainwatch_upgrade_seconds{network="base",name="Everest",state="not",instance="a"}': `${rising(-3_600, 15, 360)} ${GONE}`,
    },
    fires: { '30m': ['UpgradeComes Everest'], '1h10m': ['UpgradeIsUnsupported Everest'], '2h': [] },
  },
  {
    name: 'a node tells of an upgrade that nobody knows',
    series: { [`chainwatch_unknown_upgrades${ETHEREUM}`]: `${flat(0, 39)} ${flat(1)}` },
    fires: { '12m': [], '20m': [`UpgradeIsUnknown ${gidOf(ETHEREUM)}`] },
  },
  {
    name: 'a local chain has no block time',
    series: {
      [`chainwatch_chain_block_time_seconds${ETHEREUM}`]: GONE,
      [`chainwatch_chain_block_time_configured_seconds${ETHEREUM}`]: GONE,
    },
    fires: { '2h': [] },
  },
  {
    name: 'a pause of Bitcoin after a day of fast blocks',
    series: {
      [`chainwatch_chain_block_time_seconds${BITCOIN}`]: flat(350),
      [`chainwatch_chain_head_pause_seconds${BITCOIN}`]: rising(0, 15),
    },
    fires: { '1h55m': [], '2h2m': [`ChainHasNoNewBlocks ${gidOf(BITCOIN)}`] },
  },
  {
    name: 'the analyzer is 100 blocks behind on Solana, and one on Bitcoin',
    series: {
      [`chainwatch_analyzer_lag_blocks${SOLANA}`]: flat(100),
      [`chainwatch_analyzer_lag_blocks${BITCOIN}`]: flat(1),
    },
    fires: { '1h': [] },
  },
  {
    name: 'the analyzer falls behind',
    series: { [`chainwatch_analyzer_lag_blocks${SOLANA}`]: rising(0, 30) },
    fires: { '5m': [], '25m': [`AnalyzerLags ${gidOf(SOLANA)}`] },
  },
  {
    name: 'the analyzer catches up from far behind',
    series: { [`chainwatch_analyzer_lag_blocks${SOLANA}`]: rising(100_000, -20) },
    fires: { '1h': [] },
  },
  {
    name: 'the first reorg below finality, and the second',
    series: { [`chainwatch_finality_violations_total${ETHEREUM}`]: `_x40 ${flat(1, 320)} ${flat(2)}` },
    fires: {
      '9m': [],
      '10m30s': [`ReorgBelowFinality ${gidOf(ETHEREUM)}`],
      '1h20m': [],
      '1h31m': [`ReorgBelowFinality ${gidOf(ETHEREUM)}`],
    },
  },
  {
    name: 'a replica that had counted one restarts',
    series: { [`chainwatch_finality_violations_total${ETHEREUM}`]: `${flat(1, 280)} ${GONE}` },
    fires: { '1h5m': [], '1h20m': [] },
  },
  {
    name: 'a block holds what this release does not know',
    series: { [`chainwatch_chain_incidents_open${ETHEREUM}`]: flat(1) },
    fires: { '2m': [`ChainHoldsTheUnknown ${gidOf(ETHEREUM)}`] },
  },
  {
    name: 'most attempts fail',
    series: {
      'chainwatch_delivery_attempts_total{outcome="delivered"}': rising(0, 4),
      'chainwatch_delivery_attempts_total{outcome="timeout"}': rising(0, 6),
    },
    fires: { '10m': [], '20m': ['DeliveriesFail'] },
  },
  {
    name: 'a third of the attempts fail',
    series: {
      'chainwatch_delivery_attempts_total{outcome="delivered"}': rising(0, 6),
      'chainwatch_delivery_attempts_total{outcome="timeout"}': rising(0, 3),
    },
    fires: { '1h': [] },
  },
  {
    name: 'one of two nodes serves nothing, then both',
    series: {
      'chainwatch_rpc_upstream_serving{chain_gid="eip155:1",instance="a",upstream="one",interface="jsonrpc"}': `${flat(1, 79)} ${flat(0)}`,
      'chainwatch_rpc_upstream_serving{chain_gid="eip155:1",instance="a",upstream="two",interface="jsonrpc"}':
        flat(0),
    },
    fires: {
      '5m': [],
      '15m': [`NodeServesNothing ${gidOf(ETHEREUM)}`],
      '22m': [`ChainHasNoNode ${gidOf(ETHEREUM)}`, `NodeServesNothing ${gidOf(ETHEREUM)}`],
    },
  },
  {
    name: 'a node that served nothing is taken away',
    series: {
      'chainwatch_rpc_upstream_serving{chain_gid="eip155:1",instance="a",upstream="two",interface="jsonrpc"}': `${flat(0, 20)} ${GONE}`,
    },
    fires: { '30m': [] },
  },
  {
    name: '2 % of the requests end with 5xx',
    series: {
      'chainwatch_http_request_seconds_count{status="200"}': rising(0, 980),
      'chainwatch_http_request_seconds_count{status="503"}': rising(0, 20),
    },
    fires: { '4m': [], '11m': ['RequestsFail'] },
  },
  {
    name: 'five in a thousand do, and each client error',
    series: {
      'chainwatch_http_request_seconds_count{status="200"}': rising(0, 495),
      'chainwatch_http_request_seconds_count{status="422"}': rising(0, 500),
      'chainwatch_http_request_seconds_count{status="503"}': rising(0, 5),
    },
    fires: { '30m': [] },
  },
  {
    name: 'statements wait for a full pool',
    series: { 'chainwatch_database_waiting_requests{job="notifier",pool="plain"}': flat(12) },
    fires: { '2m': [], '8m': ['PoolIsExhausted'] },
  },
  {
    name: 'a full pool is used in bursts',
    series: {
      'chainwatch_database_waiting_requests{job="notifier",pool="plain"}': `${'12 0 3 0 '.repeat(200)}0`,
    },
    fires: { '30m': [] },
  },
  {
    name: 'events are dispatched late for a minute, then for good',
    series: {
      [backlogAge('dispatch')]: `${flat(1, 19)} ${rising(15, 15, 8)} ${flat(1, 19)} ${rising(15, 15)}`,
    },
    fires: { '8m': [], '14m': [], '17m30s': ['EventsWait dispatch'] },
  },
  {
    name: 'NATS is away, events are not published',
    series: {
      [backlogAge('outbox')]: rising(0, 15),
      'chainwatch_nats_connected{instance="a"}': flat(0),
    },
    fires: { '2m': [], '4m': ['EventsWait outbox', 'NatsIsAway'] },
  },
  {
    name: 'a service connects to NATS again, and a gateway to Redis',
    series: {
      'chainwatch_nats_connected{instance="a"}': `${flat(0, 9)} ${flat(1)}`,
      'chainwatch_redis_connected{instance="g"}': `${flat(0, 15)} ${flat(1)}`,
    },
    fires: { '2m': [], '3m30s': [], '10m': [] },
  },
  {
    name: 'Redis is away',
    series: { 'chainwatch_redis_connected{instance="g"}': flat(0) },
    fires: { '4m': [], '6m': ['RedisIsAway'] },
  },
  {
    name: 'deliveries are due and nobody takes them; those of failing channels wait for days',
    series: { [backlogAge('deliveries_due')]: rising(0, 15) },
    fires: { '4m': [], '6m': ['DeliveriesWait deliveries_due'] },
  },
  {
    name: 'balances are not read',
    series: { [backlogAge('balances')]: rising(0, 15) },
    fires: { '24m': [], '26m': ['BalancesWait balances'] },
  },
  {
    name: 'the balances of one chain are read again every minute, those of another are not',
    series: {
      [`chainwatch_balance_reading_age_seconds${ETHEREUM}`]: flat(90),
      [`chainwatch_balance_reading_age_seconds${SOLANA}`]: rising(6_600, 15),
    },
    fires: { '15m': [], '25m': [`BalanceRoundIsSlow ${gidOf(SOLANA)}`] },
  },
  {
    name: 'what waits moves to another notifier, then nobody tells it any more',
    series: Object.fromEntries([
      ...STAGES.map((stage) => [backlogAge(stage), `${flat(1, 19)} ${GONE}`] as const),
      [backlogAge('dispatch').replace('"a"', '"b"'), `_x20 ${flat(1, 59)} ${GONE}`] as const,
    ]),
    fires: { '20m': [], '29m': [], '31m': ['BacklogIsUnknown'] },
  },
  {
    name: 'a notifier dies, and the other one has its shares in ten seconds; then one share is free for good',
    series: {
      [sharesOf('channels', 'a')]: `${flat(32, 19)} ${GONE}`,
      [ownedBy('channels', 'a')]: `${flat(16, 19)} ${GONE}`,
      [ownedBy('channels', 'b')]: `${flat(16, 21)} ${flat(32, 39)} ${flat(31)}`,
    },
    fires: { '6m': [], '14m': [], '18m': ['SharesHaveNoOwner channels'] },
  },
  {
    name: 'the last pass of the retention ended an hour ago',
    series: { [RETENTION]: flat(0), [RETENTION.replace('"a"', '"b"')]: `${rising(0, 15, 120)} ${GONE}` },
    fires: { '1h5m': [], '1h35m': ['RetentionStandsStill events'] },
  },
  {
    name: 'an event loop is late for ten minutes',
    series: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': flat(0.7) },
    fires: { '9m': [], '11m': ['EventLoopIsBusy'] },
  },
  {
    name: "PostgreSQL's volume fills up, and the disk of a host",
    series: {
      'kubelet_volume_stats_available_bytes{persistentvolumeclaim="data-postgres-0"}': `${rising(50, -1, 45)} ${flat(5, 200)}`,
      'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="data-postgres-0"}': flat(100),
      'node_filesystem_avail_bytes{mountpoint="/",fstype="ext4"}': flat(10),
      'node_filesystem_size_bytes{mountpoint="/",fstype="ext4"}': flat(100),
      'node_filesystem_avail_bytes{mountpoint="/run",fstype="tmpfs"}': flat(0),
      'node_filesystem_size_bytes{mountpoint="/run",fstype="tmpfs"}': flat(100),
    },
    fires: { '5m': [], '11m': ['DiskFillsUp /'], '19m30s': ['DiskFillsUp /', 'DiskFillsUp data-postgres-0'] },
  },
  {
    name: 'a rollout takes half an hour, then one does not end',
    interval: '1m',
    series: {
      ...Object.fromEntries(serviceNames.map((name) => [build(name), flat(1)])),
      [RETENTION]: rising(0, 60),
      [`${build('notifier').replace('0.1.0', '0.2.0')}`]: `${flat(1, 29)} stale _x100 ${flat(1, 300)}`,
    },
    fires: { '29m': [], '2h5m': [], '4h20m': ['SeveralVersionsRun'] },
  },
  {
    name: 'the RPC gateway fails every call, of strangers too',
    series: {
      'chainwatch_rpc_answers_total{status="5xx"}': rising(0, 5),
      'chainwatch_rpc_answers_total{status="2xx"}': flat(1_000),
      'chainwatch_rpc_answers_total{status="4xx"}': rising(0, 500),
    },
    fires: { '1m': [], '10m': ['ObjectiveBurnsFast rpc', 'RpcCallsFail'] },
  },
  {
    name: 'every call of one chain fails, and those of others do not',
    series: {
      'chainwatch_rpc_requests_total{chain_gid="eip155:1"}': rising(0, 2),
      'chainwatch_rpc_failures_total{chain_gid="eip155:1"}': rising(0, 2),
      'chainwatch_rpc_requests_total{chain_gid="eip155:10"}': rising(0, 900),
    },
    fires: { '4m': [], '11m': ['RpcCallsFail eip155:1'] },
  },
  {
    name: 'a chain has three calls in an hour, and all of them fail; another one has few failures',
    series: {
      'chainwatch_rpc_requests_total{chain_gid="eip155:1"}': `0x40 1x40 2x40 ${flat(3)}`,
      'chainwatch_rpc_failures_total{chain_gid="eip155:1"}': `0x40 1x40 2x40 ${flat(3)}`,
      'chainwatch_rpc_requests_total{chain_gid="eip155:10"}': rising(0, 10),
      'chainwatch_rpc_failures_total{chain_gid="eip155:10"}': rising(0, 1),
    },
    fires: { '11m': [], '31m': [], '1h': [] },
  },
  {
    name: 'clients are refused, and one answer in 2,000 is 5xx',
    series: {
      'chainwatch_rpc_answers_total{status="2xx"}': rising(0, 1_999),
      'chainwatch_rpc_answers_total{status="4xx"}': rising(0, 9_000),
      'chainwatch_rpc_answers_total{status="5xx"}': rising(0, 1),
    },
    fires: { '2h': [] },
  },
  {
    name: 'one delivery in five takes more than 5 s',
    series: {
      'chainwatch_event_delivered_seconds_count{instance="a"}': rising(0, 100),
      'chainwatch_event_delivered_seconds_bucket{instance="a",le="5"}': rising(0, 80),
      'chainwatch_event_delivered_seconds_bucket{instance="a",le="10"}': rising(0, 100),
    },
    fires: { '1m': [], '10m': ['ObjectiveBurnsFast deliveries'] },
  },
  {
    name: 'the same, as Prometheus 3 names the bucket, until it is mended',
    series: {
      'chainwatch_event_delivered_seconds_count{instance="a"}': rising(0, 100),
      'chainwatch_event_delivered_seconds_bucket{instance="a",le="5.0"}': `${rising(0, 80, 80)} ${rising(6_480, 100, 200)}`,
    },
    fires: { '15m': ['ObjectiveBurnsFast deliveries'], '55m': [] },
  },
  {
    name: 'one event in twenty is made late, for hours',
    interval: '1m',
    isAlone: true,
    series: {
      ...Object.fromEntries(serviceNames.map((name) => [build(name), flat(1)])),
      [backlogAge('dispatch')]: flat(1),
      'chainwatch_event_made_seconds_count{chain_gid="eip155:1"}': rising(0, 400),
      'chainwatch_event_made_seconds_bucket{chain_gid="eip155:1",le="5"}': rising(0, 380),
    },
    fires: { '50m': [], '1h30m': ['ObjectiveBurnsSlowly events'] },
  },
  {
    name: 'one of the few events of a quiet installation is late',
    series: {
      'chainwatch_event_made_seconds_count{chain_gid="eip155:1"}': `${flat(0, 20)} ${flat(1, 100)} ${flat(2, 400)}`,
      'chainwatch_event_made_seconds_bucket{chain_gid="eip155:1",le="5"}': `${flat(0, 120)} ${flat(1, 400)}`,
      'chainwatch_event_delivered_seconds_count{instance="a"}': `${flat(0, 20)} ${flat(1, 400)}`,
      'chainwatch_event_delivered_seconds_bucket{instance="a",le="5"}': flat(0),
    },
    fires: { '6m': [], '20m': [], '1h30m': [] },
  },
  {
    name: 'one standby falls behind, the slot of another one has nobody',
    series: {
      'pg_replication_lag_seconds{instance="primary"}': flat(0),
      'pg_replication_lag_seconds{instance="one"}': `${flat(8, 39)} ${rising(10, 15)}`,
      'pg_replication_slot_slot_is_active{instance="primary",slot_name="one"}': flat(1),
      'pg_replication_slot_slot_is_active{instance="primary",slot_name="two"}': `${flat(1, 119)} ${flat(0)}`,
    },
    fires: { '10m': [], '17m': ['StandbyLags'], '36m': ['StandbyLags', 'StandbyLags two'] },
  },
  {
    name: 'one gateway does not read the standby, then none does',
    series: {
      'chainwatch_standby_age_seconds{instance="a"}': rising(0, 15),
      'chainwatch_standby_age_seconds{instance="b"}': `${flat(1, 79)} ${rising(1, 15)}`,
    },
    fires: { '20m': [], '35m': [], '38m': ['StandbyIsNotRead'] },
  },
  {
    name: 'WAL is not archived any more',
    series: {
      'pg_stat_archiver_last_archive_age{instance="primary"}': `${'3 18 33 48 '.repeat(20)}${rising(0, 15)}`,
      'pg_stat_archiver_failed_count{instance="primary"}': flat(2),
      'pg_replication_is_replica{instance="primary"}': flat(0),
    },
    fires: { '30m': [], '42m': ['WalIsNotArchived'] },
  },
  {
    name: 'the command that archives has never worked; one of a day ago that did, on what is a standby now',
    series: {
      'pg_stat_archiver_failed_count{instance="primary"}': rising(0, 1),
      'pg_stat_archiver_last_archive_age{instance="one"}': rising(90_000, 15),
      'pg_replication_is_replica{instance="one"}': flat(1),
    },
    fires: { '1m': [], '15m': ['WalIsNotArchived'] },
  },
  {
    name: 'an archive command fails twice',
    series: {
      'pg_stat_archiver_failed_count{instance="primary"}': `${flat(0, 40)} ${flat(2)}`,
      'pg_stat_archiver_last_archive_age{instance="primary"}': flat(50),
    },
    fires: { '12m': [], '30m': [] },
  },
  {
    name: 'KEDA restarts, then it is gone',
    series: {
      'keda_build_info{instance="a"}': `${flat(1, 39)} ${GONE}`,
      'keda_build_info{instance="b"}': `_x44 ${flat(1, 79)} ${GONE}`,
    },
    fires: { '28m': [], '50m': ['ScalerStandsStill'] },
  },
  {
    name: 'KEDA does not get at what it scales by, and not at what others scale by',
    series: {
      'keda_scaled_object_errors_total{scaledObject="notifier"}': `${flat(3, 40)} ${rising(3, 1)}`,
      'keda_scaled_object_errors_total{scaledObject="another"}': rising(0, 1),
    },
    fires: { '10m': [], '30m': ['ScalerStandsStill notifier'] },
  },
  {
    name: 'an autoscaler has no metrics',
    series: {
      'kube_horizontalpodautoscaler_status_condition{horizontalpodautoscaler="keda-hpa-tx-analyzer",condition="ScalingActive",status="false"}':
        flat(1),
      'kube_horizontalpodautoscaler_status_condition{horizontalpodautoscaler="rpc-proxy",condition="ScalingActive",status="false"}':
        flat(0),
      'kube_horizontalpodautoscaler_status_condition{horizontalpodautoscaler="another",condition="ScalingActive",status="false"}':
        flat(1),
    },
    fires: { '10m': [], '20m': ['ScalerStandsStill keda-hpa-tx-analyzer'] },
  },
];

/** The series of an installation, with its label. */
const ofInstallationNamed = (installation: string, series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => {
      const [metric, labels = ''] = name.replace('}', '').split('{');
      const matchers = [
        `${settings.installationLabel}="${installation}"`,
        ...(labels === '' ? [] : [labels]),
      ];
      return [`${metric}{${matchers.join(',')}}`, values];
    }),
  );

/** As promtool reads it: the case as installation `b`, beside a healthy one; `nothing is scraped` is the one that is alone. */
function printCase({ name, series = {}, interval = '15s', since, isAlone = false, fires }: Case): object {
  const isBeside = name !== SCRAPELESS;
  const own = { ...(isAlone ? {} : HEALTHY), ...series };
  const firing = 'ALERTS{alertstate="firing"}';
  const fired = since === undefined ? firing : `max_over_time(${firing}[${since}])`;
  return {
    name,
    interval,
    input_series: Object.entries(
      isBeside
        ? { ...ofInstallationNamed('b', own), ...ofInstallationNamed('a', isAlone ? {} : LASTING) }
        : own,
    ).map(([each, values]) => ({ series: each, values })),
    promql_expr_test: Object.entries(fires).map(([evalTime, alerts]) => ({
      expr: `sum by (${settings.installationLabel}, alertname, what) (
        label_join(${fired}, "what", "", "chain_gid", "name", "service", "stage", "kind", "persistentvolumeclaim", "mountpoint", "objective", "slot_name", "scaledObject", "horizontalpodautoscaler")) > bool 0`,
      eval_time: evalTime,
      exp_samples: alerts.map((alert) => {
        const [alertname, what] = alert.split(' ');
        const labels = [
          `alertname="${alertname}"`,
          ...(what === undefined ? [] : [`what="${what}"`]),
          ...(isBeside ? [`${settings.installationLabel}="b"`] : []),
        ];
        return { labels: `{${labels.join(',')}}`, value: 1 };
      }),
    })),
  };
}

const promtool = await findDebianTool('promtool', 'prometheus');

describe('alerts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** @throws with what promtool says of what failed */
  function test(cases: readonly Case[]): void {
    const file = join(folder, 'test.yaml');
    const tests = cases.map(printCase);
    writeFileSync(
      file,
      stringify({ rule_files: [RULES], evaluation_interval: cases[0]!.interval ?? '15s', tests }),
    );
    execFileSync(promtool!, ['test', 'rules', file], { stdio: 'pipe', encoding: 'utf8' });
  }

  const withPromtool = promtool === undefined ? it.skip : it;
  withPromtool.each(CASES.map((each) => [each.name, each] as const))('%s', (_name, each) => test([each]));

  withPromtool('a case that is wrong fails', () => {
    expect(() => test([{ name: 'wrong', fires: { '1h': ['DeliveriesFail'] } }])).toThrow();
    expect(() => test([{ name: 'wrong', series: gone('notifier', GONE), fires: { '1h': [] } }])).toThrow();
  });

  const tests = readdirSync(PROMETHEUS).filter((name) => name.endsWith('.test.yaml'));
  withPromtool.each(tests)('%s passes, as an operator runs it', (name) => {
    execFileSync(promtool!, ['test', 'rules', join(PROMETHEUS, name)], { stdio: 'pipe', encoding: 'utf8' });
  });

  it('keeps installations apart: each aggregation and each match has their label', () => {
    const faults = allRules.flatMap((rule) => findMixes(rule.expr).map((fault) => [rule, fault]));
    expect(faults).toEqual([]);
    expect(findMixes('max(a) - sum by (chain_gid) (b) > on (namespace) absent(c)')).toEqual([
      'max(',
      'by (chain_gid)',
      'absent(',
    ]);
    const queries = BOARDS.flatMap(({ panels }) => panels.flatMap(([, , each]) => Object.values(each)));
    for (const query of queries) {
      const rendered = ofInstallation(query, settings.installationLabel);
      const series = rendered.match(/(?<![\w":])(chainwatch|nodejs|process)[_:][\w:]+|ALERTS/g)!;
      expect([rendered, rendered.split(`${settings.installationLabel}="$installation"`).length - 1]).toEqual([
        rendered,
        series.length,
      ]);
    }
  });

  withPromtool('has another label where the settings name one, in rules and their tests', () => {
    for (const name of ['rules.yaml', ...tests]) {
      const text = readFileSync(join(PROMETHEUS, name), 'utf8');
      const other = applySettings(text, {
        ...settings,
        installationLabel: 'cluster',
        runbookUrl: 'https://x.example/r',
      });
      expect(other).not.toMatch(/\bnamespace\b(?!\/)/);
      expect(other).not.toContain(settings.runbookUrl);
      expect(applySettings(other, settings)).toBe(text);
      writeFileSync(join(folder, name), other);
    }
    for (const name of tests)
      execFileSync(promtool!, ['test', 'rules', join(folder, name)], { stdio: 'pipe', encoding: 'utf8' });
  });

  withPromtool('KEDA has an analyzer more for each further chain of its installation that lags', () => {
    const text = readFileSync(join(repoDir, 'deploy/kubernetes/addons/keda/scaling.yaml'), 'utf8');
    const query = parseAllDocuments(text)
      .map((document) => document.toJS() as { spec?: { triggers?: { metadata: { query?: string } }[] } })
      .flatMap(({ spec }) => spec?.triggers ?? [])
      .flatMap(({ metadata }) => metadata.query ?? [])
      .find((each) => each.includes('chainwatch_analyzer'))!;
    const { installationLabel: label, installation } = settings;
    const lag = (who: string, chain: string, seconds: number): object => ({
      series: `chainwatch_analyzer_lag_seconds{${label}="${who}",chain_gid="${chain}",instance="a"}`,
      values: flat(seconds, 20),
    });
    const others = ['1', '2', '3', '4'].map((chain) => lag('other', chain, 9_000));
    const cases: readonly (readonly [readonly object[], number])[] = [
      [others, 1],
      [[...others, lag(installation, '1', 10), lag(installation, '2', 59)], 1],
      [[...others, lag(installation, '1', 1_000_000), lag(installation, '2', 0)], 2],
      [['1', '2', '3'].map((chain) => lag(installation, chain, 120)), 4],
    ];
    const file = join(folder, 'keda.yaml');
    const tests = cases.map(([input_series, value]) => ({
      interval: '15s',
      input_series,
      promql_expr_test: [{ expr: `sum(${query})`, eval_time: '2m', exp_samples: [{ labels: '{}', value }] }],
    }));
    writeFileSync(file, stringify({ rule_files: [], tests }));
    execFileSync(promtool!, ['test', 'rules', file], { stdio: 'pipe', encoding: 'utf8' });
  });

  it('says of each objective what it is, and where to look when it is missed', () => {
    const page = readFileSync(join(repoDir, 'docs/guides/alerts.md'), 'utf8');
    const runbook = readFileSync(join(RUNBOOKS, 'ObjectiveBurnsFast.md'), 'utf8');
    for (const { name, all } of OBJECTIVES) {
      expect(page).toContain(`| \`${name}\` |`);
      expect(page).toContain(all.replace(/_count$|\{.*$/, ''));
      expect([name, runbook.split(`\`${name}\``).length - 1]).toEqual([name, 3]);
    }
  });

  it('watches the scalers that there are', () => {
    const { expr } = rules.find(({ alert }) => alert === 'ScalerStandsStill')!;
    const named = [...expr.matchAll(/(?:scaledObject|horizontalpodautoscaler)=~"([^"]+)"/g)].map(
      ([, names]) => names!.split('|'),
    );
    const scaled = services.filter(({ isScaled }) => isScaled);
    const byLoad = scaled.filter(({ component }) => component === 'worker').map(({ name }) => name);
    const byCpu = scaled.filter(({ component }) => component === 'gateway').map(({ name }) => name);
    expect(named).toEqual([byLoad, [...byCpu, ...byLoad.map((name) => `keda-hpa-${name}`)]]);
  });

  it('has a case in which each rule fires, and a week in which the rule of 45 minutes would have', () => {
    const fired = new Set(
      CASES.flatMap(({ fires }) => Object.values(fires).flat()).map((alert) => alert.split(' ')[0]),
    );
    expect([...fired].sort()).toEqual([...new Set(rules.map(({ alert }) => alert))].sort());
    expect(CASES.length).toBeGreaterThan(20);
    expect(Math.max(...week)).toBeGreaterThan(45 * 60);
  });

  it('has a page for each alert, which says what it means, what to look at and what to do', () => {
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
    expect([...new Set(rules.map(({ alert }) => `${alert}.md`))].sort()).toEqual(pages.sort());
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook_url).toBe(`${settings.runbookUrl}/${alert}.html`);
      expect(['page', 'ticket']).toContain(labels.severity);
      const text = readFileSync(join(RUNBOOKS, `${alert}.md`), 'utf8');
      expect(text.split('\n')[0]).toBe(`# ${alert}`);
      expect([alert, text.match(/^## .*$/gm)]).toEqual([alert, ['## Meaning', '## Look', '## Do']]);
    }
    const index = readFileSync(join(RUNBOOKS, 'README.md'), 'utf8');
    for (const { alert, labels } of rules)
      expect(index).toContain(`| [${alert}](${alert}.md) | ${labels.severity} | `);
  });
});

/** Parts of an expression that mix the series of several installations. The absence of all there are is meant. */
function findMixes(expr: string): string[] {
  const aggregation =
    /\b(?:sum|min|max|count|avg|group|topk|quantile|absent)\s?\((?!\))|\b(?:by|on|ignoring) \(([^)]*)\)/g;
  return [...expr.replace(/or on \(\) absent\([^)]*\)/g, '').matchAll(aggregation)].flatMap(
    ([part, labels]) => (labels?.split(', ').includes(settings.installationLabel) ? [] : [part]),
  );
}
