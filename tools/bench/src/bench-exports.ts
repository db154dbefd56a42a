// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Report } from './report.ts';
import { services } from '../../stack/services.mjs';
import { startRig, type Rig } from './rig.ts';

const CHAIN = 'eip155:31337';
const ADDRESSES = 1_000_000;
const TRANSACTIONS = 200_000;
const STEP = 20_000;
/** As the analyzer writes them: the triggers that keep totals look at each. */
const TRANSACTIONS_STEP = 1_000;
const FORMATS = ['application/x-ndjson', 'text/csv'] as const;
/** What a process may grow by while a million rows pass through it. */
const GROWTH_MAX_MIB = 128;
/**
 * Half of its container's memory, as Node takes it there. On a large machine without a limit V8 lets the heap grow to
 * four times what is in use before it collects garbage.
 */
const HEAP_MIB = readMemoryMaxMib('api-gateway') / 2;

interface Measured {
  readonly perSecond: number;
  readonly bytes: number;
}

/** Whole lists through the API, by one client that reads as fast as it can. */
export async function benchExports(report: Report): Promise<void> {
  const rig = await startRig([], { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` });
  try {
    await fill(rig);
    for (const [path, few, rows, goal] of [
      ['addresses', 'search=Customer+1234', ADDRESSES, 20_000],
      ['transactions', 'to_block=100', TRANSACTIONS, 5_000],
    ] as const) {
      // Code is compiled before the first figure.
      for (const format of FORMATS) await measureExport(rig, { path: `${path}?${few}`, accept: format });
      resetHighestRss(rig);
      const before = readRssMib(rig);
      const measured: Measured[] = [];
      for (const format of FORMATS)
        measured.push(await measureExport(rig, { path, accept: format, expected: rows }));
      const growth = readRssMib(rig, 'VmHWM') - before;
      const [lines, csv] = measured as [Measured, Measured];
      const inThousands = (count: number): string => Math.round(count).toLocaleString('en');
      report.add({
        name: `export of ${rows.toLocaleString('en')} ${path}`,
        goal: `≥ ${goal.toLocaleString('en')}/s, memory ≤ ${GROWTH_MAX_MIB} MiB above what it was`,
        isMet: measured.every(({ perSecond }) => perSecond >= goal) && growth <= GROWTH_MAX_MIB,
        measured: `NDJSON ${inThousands(lines.perSecond)}/s, CSV ${inThousands(csv.perSecond)}/s; memory +${growth} MiB`,
        detail: `${Math.round(lines.bytes / 2 ** 20)} MiB of NDJSON, ${Math.round(csv.bytes / 2 ** 20)} MiB of CSV; the highest RSS of the gateway, ${before} MiB before, with the heap of its container (${HEAP_MIB} MiB); client and servers on the same cores, load average ${loadavg()[0]!.toFixed(1)}`,
      });
    }
  } finally {
    await rig.stop();
  }
}

async function measureExport(
  rig: Rig,
  {
    path,
    accept,
    expected,
  }: { readonly path: string; readonly accept: (typeof FORMATS)[number]; readonly expected?: number },
): Promise<Measured> {
  const startedAt = performance.now();
  const response = await fetch(`${rig.apiUrl}/${path}`, { headers: { 'x-api-key': rig.apiKey, accept } });
  if (response.status !== 200)
    throw new Error(`expected 200, got ${response.status} ${await response.text()}`);
  let bytes = 0;
  let lines = accept === 'text/csv' ? -1 : 0;
  for await (const chunk of response.body!) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  if (expected !== undefined && lines !== expected)
    throw new Error(`expected ${expected} rows, got ${lines}`);
  return { perSecond: (lines * 1_000) / (performance.now() - startedAt), bytes };
}

function readMemoryMaxMib(name: string): number {
  const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(
    services.find((service) => service.name === name)!.memoryMax,
  )!;
  return Number(amount) * (unit === 'Gi' ? 1_024 : 1);
}

/** Only of what comes now (proc(5), clear_refs). */
function resetHighestRss({ services: running }: Rig): void {
  writeFileSync(`/proc/${running.pid('api-gateway')}/clear_refs`, '5');
}

function readRssMib({ services: running }: Rig, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${running.pid('api-gateway')}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1_024);
}

/** Imported addresses, each watched on a chain, and transactions with a transfer of the coin and one of a token. */
async function fill({ db, projectId, call }: Rig): Promise<void> {
  await call('POST', '/blockchains', { chain_gid: CHAIN });
  for (let from = 0; from < ADDRESSES; from += STEP)
    await db.query(
      `WITH made AS (
         INSERT INTO addresses (project_id, chain_family, address, display, kind, format, label, metadata, groups, imported_at, created_at)
         SELECT $1, 'evm', a, a, 'external', 'evm', 'Customer ' || n, jsonb_build_object('customer_id', n), ARRAY['customers'], now(), now() - make_interval(secs => n)
         FROM (SELECT n, '0x' || lpad(to_hex(n), 40, '0') AS a FROM generate_series($2::int, $2 + $3 - 1) n) s RETURNING id)
       INSERT INTO address_watches (address_id, chain_gid, from_block) SELECT id, $4, 1 FROM made`,
      [projectId, from, STEP, CHAIN],
    );
  for (let from = 0; from < TRANSACTIONS; from += TRANSACTIONS_STEP) {
    await db.query(
      `WITH made AS (
         INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, block_hash, fee_asset_gid, fee_amount_raw, detected_at)
         SELECT gen_random_uuid(), $1, $4, '0x' || lpad(to_hex(n), 64, '0'), 'confirmed', 'in', 12, n / 100, '0x' || lpad(to_hex(n / 100), 64, '0'), $4 || '/slip44:60', 21000000000000, now() - make_interval(secs => n)
         FROM generate_series($2::int, $2 + $3 - 1) n RETURNING id)
       INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses)
       SELECT id, i, $1, $4, CASE i WHEN 0 THEN 'native' ELSE 'token' END, $4 || CASE i WHEN 0 THEN '/slip44:60' ELSE '/erc20:0x' || repeat('1', 40) END,
         '0x' || md5(id::text) || '00000000', own, 10::numeric ^ 18, ARRAY[own]
       FROM made, LATERAL (SELECT '0x' || left(md5(id::text), 4) || repeat('0', 36) AS own) o, generate_series(0, 1) i`,
      [projectId, from, TRANSACTIONS_STEP, CHAIN],
    );
    if (from === 0) await db.query('ANALYZE transactions, transfers');
  }
  await db.query('VACUUM ANALYZE');
}
