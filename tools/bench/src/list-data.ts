// SPDX-License-Identifier: Apache-2.0
/** Real chains with their native coin, and how many of a hundred transactions are theirs. */
export const CHAINS = [
  { gid: 'eip155:1', family: 'evm', share: 45, native: 'slip44:60', decimals: 18, head: 24_000_000 },
  { gid: 'eip155:56', family: 'evm', share: 17, native: 'slip44:9006', decimals: 18, head: 70_000_000 },
  { gid: 'eip155:137', family: 'evm', share: 8, native: 'slip44:966', decimals: 18, head: 80_000_000 },
  {
    gid: 'bip122:000000000019d6689c085ae165831e93',
    family: 'bitcoin',
    share: 15,
    native: 'slip44:0',
    decimals: 8,
    head: 930_000,
  },
  { gid: 'tron:0x2b6653dc', family: 'tron', share: 10, native: 'slip44:195', decimals: 6, head: 78_000_000 },
  {
    gid: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    family: 'solana',
    share: 5,
    native: 'slip44:501',
    decimals: 9,
    head: 380_000_000,
  },
] as const;

export interface ListScale {
  readonly transactions: number;
  readonly addresses: number;
  readonly projects: number;
}

/** A year of traffic. Everything is drawn from hashes of row numbers, so that two runs make the same rows. */
const START = `timestamptz '2025-11-01T00:00:00Z'`;
const YEAR_SECONDS = 31_536_000;
const MONTH_SECONDS = 2_592_000;

/** A number in [0, 1) that `row` always gets; `seed` tells draws of one row apart. */
const draw = (row: string, seed: number): string =>
  `((hashint8extended(${row}, ${seed}) & 1073741823) / 1073741824.0::float8)`;
/** Of version 4, as those that the database makes. */
const idOf = (prefix: string, row: string): string =>
  `overlay(overlay(md5('${prefix}' || ${row}) placing '4' from 13) placing '8' from 17)::uuid`;

/** What the draws are made from: projects by rank, with their parts of the whole, and chains. */
export function dimensionSteps({ projects, addresses }: ListScale): string[] {
  const chains = CHAINS.map(
    (chain, index) =>
      `(${index}, '${chain.gid}', '${chain.family}', ${chain.share}, '${chain.gid}/${chain.native}', ${chain.decimals}, ${chain.head}::bigint)`,
  ).join(', ');
  return [
    `CREATE UNLOGGED TABLE bench_chains (no, gid, family, share, native, decimals, head) AS VALUES ${chains}`,
    // Zipf: the second project is half of the first, the third a third of it.
    `CREATE UNLOGGED TABLE bench_projects AS
     SELECT no, id, weight, sum(weight) OVER (ORDER BY no) - weight AS first_weight, greatest(60, round(weight * ${addresses}))::int AS address_count,
       greatest(1, round(weight * 1500))::int AS key_count
     FROM (SELECT no, ${idOf('project', 'no')} AS id, 1.0::float8 / no / sum(1.0::float8 / no) OVER () AS weight FROM generate_series(1, ${projects}) AS no) p`,
    `INSERT INTO projects (id, workspace_id, name, created_at) SELECT id, (SELECT id FROM workspaces ORDER BY created_at LIMIT 1), 'Project ' || no, ${START} + no * interval '1 minute' FROM bench_projects`,
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) SELECT gid, family, gid, left(gid, 12), 'https://example.com/' || no || '.png', true FROM bench_chains`,
    `INSERT INTO ingestor_states (chain_gid, head_number, status) SELECT gid, head, 'following' FROM bench_chains`,
    `INSERT INTO analyzer_states (chain_gid, cursor_number, status) SELECT gid, head, 'following' FROM bench_chains`,
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, source, created_at)
     SELECT native, gid, 'slip44', split_part(native, ':', 3), 'native', 'active', gid, 'N' || no, decimals, 'registry', ${START} FROM bench_chains`,
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, created_at)
     SELECT c.gid || '/' || ns.name || ':' || r.reference, c.gid, ns.name, r.reference, 'fungible', s.status, 'Token ' || n || ' ' || left(md5(n::text), 6), upper(left(md5(n::text), 4)),
       CASE s.status WHEN 'active' THEN 6 + 12 * (n % 2) END, ${START} + n * interval '10 minutes'
     FROM generate_series(1, 30000) AS n JOIN bench_chains c ON c.no = CASE WHEN n % 5 < 3 THEN n % 5 ELSE n % 5 + 1 END,
       LATERAL (SELECT CASE c.family WHEN 'tron' THEN 'trc20' WHEN 'solana' THEN 'token' ELSE CASE c.no WHEN 1 THEN 'bep20' ELSE 'erc20' END END AS name) ns,
       LATERAL (SELECT '0x' || md5('asset' || n) || left(md5(n::text), 8) AS reference) r,
       LATERAL (SELECT CASE WHEN n > 300 AND n % 11 = 0 THEN 'unknown' WHEN n > 300 AND n % 13 = 0 THEN 'invalid' ELSE 'active' END AS status) s`,
    // The largest project has them all on its lists, every other one one of them.
    `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, name, symbol, status, archived_at, created_at, updated_at)
     SELECT p.id, a.gid, a.chain_gid, a.namespace, a.reference, a.type, a.name, a.symbol, CASE WHEN h.n % 97 = 0 THEN 'invalid' ELSE a.status END, CASE WHEN h.n % 97 = 0 THEN ${START} END, a.created_at, a.created_at
     FROM assets a, LATERAL (SELECT hashtext(a.gid) & 1023 AS n) h JOIN bench_projects p ON p.no = 1 OR p.no = h.n WHERE a.type = 'fungible'`,
    // The tokens that are used, the popular ones first.
    `CREATE UNLOGGED TABLE bench_tokens AS SELECT c.no AS chain_no, a.gid, a.decimals, row_number() OVER (PARTITION BY c.no ORDER BY a.created_at) - 1 AS no
     FROM assets a JOIN bench_chains c ON c.gid = a.chain_gid WHERE a.type = 'fungible' AND a.status = 'active'`,
    `CREATE UNIQUE INDEX ON bench_tokens (chain_no, no)`,
    `INSERT INTO public_keys (id, project_id, label, extended_public_key, fingerprint, derivation_path, purpose, account_index, chain_family, chain_gid, address_format, created_at)
     SELECT ${idOf('key', `p.no || '/' || k`)}, p.id, 'Wallet ' || k, 'zpub' || md5(p.no || 'x' || k) || md5(p.no || 'y' || k) || md5(k::text) || left(md5(k || 'z'), 11), left(md5(k::text), 8), 'm/84''/0''/' || k || '''', 84, k,
       'bitcoin', '${CHAINS[3].gid}', 'p2wpkh', ${START} + k * interval '1 minute'
     FROM bench_projects p, generate_series(0, p.key_count - 1) AS k`,
  ];
}

/** Addresses: seven of ten on EVM chains, those on Bitcoin derived from keys. */
export function addressSteps(): string[] {
  return [
    `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, label, is_monitored, imported_at, created_at, updated_at, public_key_id, derivation_change, derivation_index, is_used)
     SELECT x.id, p.id, f.family, x.address, x.address, CASE f.family WHEN 'bitcoin' THEN 'hd' ELSE 'external' END, CASE f.family WHEN 'bitcoin' THEN 'p2wpkh' ELSE f.family END,
       CASE WHEN a % 5 < 3 THEN 'Customer ' || a || ' ' || left(md5(a::text), 5) END, a % 50 <> 7, CASE f.family WHEN 'bitcoin' THEN NULL ELSE x.at END, x.at, x.at,
       CASE f.family WHEN 'bitcoin' THEN ${idOf('key', `p.no || '/' || a % p.key_count`)} END, CASE f.family WHEN 'bitcoin' THEN 0 END, CASE f.family WHEN 'bitcoin' THEN a / p.key_count END, f.family = 'bitcoin' AND a % 3 = 0
     FROM bench_projects p, generate_series(0, p.address_count - 1) AS a, LATERAL (SELECT ${familyOf('p.no', 'a')} AS family) f,
       LATERAL (SELECT ${idOf('address', `p.no || '/' || a`)} AS id, ${START} + ${draw('a', 3)} * ${YEAR_SECONDS} * interval '1 second' AS at,
         CASE f.family WHEN 'evm' THEN '0x' || md5(p.no || 'a' || a) || left(md5(a::text), 8) WHEN 'bitcoin' THEN 'bc1q' || md5(p.no || 'b' || a) || left(md5(a::text), 6)
           WHEN 'tron' THEN 'T' || md5(p.no || 't' || a) || 'z' ELSE md5(p.no || 's' || a) || left(md5(a::text), 12) END AS address) x`,
    `INSERT INTO address_watches (address_id, chain_gid, from_block) SELECT a.id, c.gid, c.head / 2 FROM addresses a JOIN bench_chains c ON c.family = a.chain_family WHERE c.no IN (0, 3, 4, 5)`,
    `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, is_confirmed)
     SELECT a.id, c.native, c.gid, (${draw(`('x' || left(md5(a.address), 15))::bit(60)::bigint`, 1)} * 1000000)::bigint, c.head, '0x' || md5(c.gid), true
     FROM addresses a JOIN bench_chains c ON c.family = a.chain_family WHERE c.no IN (0, 3, 4, 5)`,
  ];
}

const familyOf = (
  project: string,
  address: string,
): string => `CASE WHEN ${draw(`${project}::bigint * 10000000 + ${address}`, 2)} < 0.70 THEN 'evm' WHEN ${draw(`${project}::bigint * 10000000 + ${address}`, 2)} < 0.85 THEN 'bitcoin'
  WHEN ${draw(`${project}::bigint * 10000000 + ${address}`, 2)} < 0.95 THEN 'tron' ELSE 'solana' END`;

/** Draws of every transaction, in the order of time: few addresses of a project make most of its transactions. */
export function drawSteps({ transactions }: ListScale): string[] {
  const chain = `CASE f.family WHEN 'evm' THEN CASE WHEN ${draw('i', 5)} < 0.64 THEN 0 WHEN ${draw('i', 5)} < 0.88 THEN 1 ELSE 2 END WHEN 'bitcoin' THEN 3 WHEN 'tron' THEN 4 ELSE 5 END`;
  return [
    `CREATE UNLOGGED TABLE bench_draws AS
     SELECT i, p.no AS project_no, p.id AS project_id, d.address_no,
       CASE WHEN d.other_no <> d.address_no AND ${familyOf('p.no', 'd.other_no')} = f.family THEN d.other_no END AS second_address_no, (${chain})::int AS chain_no, ${idOf('tx', 'i')} AS id,
       ${START} + i * (${YEAR_SECONDS}::float8 / ${transactions}) * interval '1 second' AS at,
       CASE WHEN i % 4 = 0 THEN (ARRAY[1, 5, 10, 25, 50, 100, 500, 1000])[1 + (i / 4) % 8]::numeric ELSE ((10 ^ (${draw('i', 6)} * 6 - 2))::numeric(20, 4)) END AS amount,
       CASE WHEN i % 5 = 0 THEN ((10 ^ (${draw('i', 7)} * 4 - 3))::numeric(20, 4)) END AS second_amount
     FROM generate_series(1::bigint, ${transactions}) AS i
       JOIN bench_projects p ON p.no = width_bucket(${draw('i', 1)}, (SELECT array_agg(first_weight ORDER BY no) FROM bench_projects)),
       LATERAL (SELECT floor(p.address_count * ${draw('i', 4)} ^ 4)::int AS address_no, CASE WHEN i % 4 = 1 THEN floor(p.address_count * ${draw('i', 9)} ^ 4)::int END AS other_no) d,
       LATERAL (SELECT ${familyOf('p.no', 'd.address_no')} AS family) f`,
  ];
}

/** Each list fills one table from the draws; they do not wait for each other. */
export function transactionSteps({ transactions }: ListScale): string[][] {
  // The head of a chain, a hundred and some blocks deep, is not final.
  const status = `CASE WHEN d.i > ${transactions} * 0.9999 THEN 'pending' WHEN d.i % 200 = 3 THEN 'failed' WHEN d.i % 500 = 7 THEN 'reorged' WHEN d.i > ${transactions} * 0.998 THEN 'detected' ELSE 'confirmed' END`;
  const block = `(c.head - (${transactions} - d.i) * (c.head / 20) / ${transactions})`;
  const token = `LEFT JOIN bench_tokens t ON t.chain_no = d.chain_no AND d.i % 2 = 0 AND t.no = floor((SELECT count(*) FROM bench_tokens x WHERE x.chain_no = 0) * ${draw('d.i', 8)} ^ 6)`;
  const transfer = (
    index: number,
    {
      type,
      asset,
      decimals,
      amount,
    }: { readonly type: string; readonly asset: string; readonly decimals: string; readonly amount: string },
  ) => `SELECT d.id, ${index}, d.project_id, c.gid, ${type}, ${asset},
    '0x' || md5('from' || d.i) || '00000000', '0x' || md5('to' || d.i) || '00000000', trunc(${amount} * 10::numeric ^ ${decimals}), ARRAY['0x' || md5('to' || d.i) || '00000000'], d.at`;
  const transferColumns =
    'transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses, detected_at';
  return [
    [
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, is_failed, block_number, block_hash, block_timestamp, tx_index, required_confirmations, fee_asset_gid, fee_amount_raw, detected_at, confirmed_at, amount_max)
       SELECT d.id, d.project_id, c.gid, '0x' || md5('hash' || d.i) || md5(d.i::text), s.status, CASE WHEN d.i % 100 = 9 THEN 'self' WHEN d.i % 3 = 0 THEN 'out' ELSE 'in' END, s.status = 'failed',
         b.number, '0x' || md5(c.gid || b.number) || md5(b.number::text), CASE WHEN b.number IS NOT NULL THEN d.at END, CASE WHEN b.number IS NOT NULL THEN (d.i % 150)::int END, 12, c.native, (d.i % 1000000) * 1000,
         d.at, CASE s.status WHEN 'confirmed' THEN d.at + interval '3 minutes' END, trim_scale(greatest(d.amount, d.second_amount))
       FROM bench_draws d JOIN bench_chains c ON c.no = d.chain_no, LATERAL (SELECT ${status} AS status) s, LATERAL (SELECT CASE WHEN s.status <> 'pending' THEN ${block} END AS number) b`,
    ],
    [
      // One in eight is between two addresses of the project.
      `INSERT INTO transaction_addresses (address_id, transaction_id, detected_at, block_position, public_key_id)
       SELECT ${idOf('address', `d.project_no || '/' || a.no`)}, d.id, d.at, CASE WHEN s.status <> 'pending' THEN ${block} ELSE 9007199254740991 END,
         CASE WHEN d.chain_no = 3 THEN ${idOf('key', `d.project_no || '/' || a.no % p.key_count`)} END
       FROM bench_draws d JOIN bench_projects p ON p.no = d.project_no JOIN bench_chains c ON c.no = d.chain_no, LATERAL (SELECT ${status} AS status) s,
         LATERAL (SELECT d.address_no AS no UNION ALL SELECT d.second_address_no WHERE d.second_address_no IS NOT NULL) a`,
      `INSERT INTO transfers (${transferColumns}) ${transfer(0, { type: `CASE WHEN t.gid IS NULL THEN 'native' ELSE 'token' END`, asset: 'COALESCE(t.gid, c.native)', decimals: 'COALESCE(t.decimals, c.decimals)', amount: 'd.amount' })}
       FROM bench_draws d JOIN bench_chains c ON c.no = d.chain_no ${token}
       UNION ALL ${transfer(1, { type: `'native'`, asset: 'c.native', decimals: 'c.decimals', amount: 'd.second_amount' })} FROM bench_draws d JOIN bench_chains c ON c.no = d.chain_no WHERE d.second_amount IS NOT NULL`,
    ],
  ];
}

/** Blocks, channels with a month of events and deliveries until today, coins, usage, and what management lists. */
export function otherSteps({ transactions }: ListScale): string[] {
  const events = Math.round(transactions / 10);
  const eventType = `CASE WHEN i % 500 = 0 THEN 'transaction.failed' WHEN i % 2 = 0 THEN 'transaction.detected' ELSE 'transaction.confirmed' END`;
  return [
    `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status)
     SELECT c.gid, c.head - n, '0x' || md5(c.gid || (c.head - n)) || md5((c.head - n)::text), '0x' || md5(c.gid || (c.head - n - 1)) || md5((c.head - n - 1)::text), now() - n * interval '12 seconds',
       CASE WHEN n < 3 THEN 'new' WHEN n < 100 THEN 'processed' ELSE 'confirmed' END FROM generate_series(${Math.round(transactions / 20)}, 0, -1) AS n, bench_chains c`,
    `INSERT INTO blocks (chain_gid, number, hash, status) SELECT c.gid, c.head - n * 777, '0x' || md5('orphan' || c.gid || n) || md5(n::text), 'reorged' FROM generate_series(0, ${Math.round(transactions / 20_000)}) AS n, bench_chains c`,
    `INSERT INTO notification_channels (id, project_id, kind, name, config, is_archived, created_at, updated_at)
     SELECT ${idOf('channel', `p.no || '/' || n`)}, p.id, 'webhook', 'Channel ' || n, '{"url": "https://example.com/hook", "headers": {}, "auth": {"type": "none"}, "event_types": ["transaction.detected"], "filters": {}, "throttle_per_second": null}'::jsonb, n % 10 = 9,
       ${START} + n * interval '1 minute', ${START} + n * interval '1 hour'
     FROM bench_projects p, generate_series(0, CASE p.no WHEN 1 THEN 3000 ELSE 3 END) AS n`,
    `CREATE UNLOGGED TABLE bench_events AS SELECT d.i, d.project_id, d.project_no, d.id AS transaction_id, c.gid AS chain_gid,
       now() - (${transactions} - d.i) * (${MONTH_SECONDS}::float8 / ${events}) * interval '1 second' AS at FROM bench_draws d JOIN bench_chains c ON c.no = d.chain_no WHERE d.i > ${transactions - events}`,
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, payload, created_at)
     SELECT ${idOf('event', 'i')}, project_id, chain_gid, ${eventType}, i, transaction_id, 'tx.detected', json_build_object('event_id', ${idOf('event', 'i')}, 'type', ${eventType}, 'created_at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', repeat(md5(i::text), 12))::text, at FROM bench_events`,
    'INSERT INTO event_keys (event_id, row_id) SELECT event_id, id FROM event_log',
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, attempt_count, created_at, updated_at, delivered_at)
     SELECT ${idOf('delivery', 'i')}, project_id, ${idOf('channel', `project_no || '/0'`)}, ${idOf('event', 'i')}, ${eventType}, CASE WHEN i % 100 = 0 THEN 'failed' WHEN i % 100 = 1 THEN 'held' WHEN i % 1000 = 2 THEN 'discarded' ELSE 'delivered' END, 1, at, at, at FROM bench_events`,
    `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number, block_hash)
     SELECT '${CHAINS[3].gid}', md5('coin' || a.id || n) || md5(n::text), n, a.address, 1000 + n, 900000 + n, md5(n::text) FROM addresses a, generate_series(0, CASE WHEN a.id = ${idOf('address', `'1/' || (SELECT min(x) FROM generate_series(0, 50) AS x WHERE ${familyOf('1', 'x')} = 'bitcoin')`)} THEN 20000 ELSE 1 END) AS n WHERE a.chain_family = 'bitcoin'`,
    `INSERT INTO members (workspace_id, email, role) SELECT w.id, 'member' || n || '@example.com', (ARRAY['owner', 'admin', 'developer', 'viewer'])[1 + n % 4] FROM (SELECT id FROM workspaces ORDER BY created_at LIMIT 1) w, generate_series(1, 3000) AS n`,
    `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions, revoked_at, created_at)
     SELECT 'api', w.id, p.id, 'Key ' || n, 'svc_api_' || left(md5(n::text), 4), decode(md5(p.no || 'k' || n) || md5(n || 'k'), 'hex'), ARRAY['api:address:read'], CASE WHEN n % 4 = 0 THEN now() END, ${START} + n * interval '1 hour'
     FROM (SELECT id FROM workspaces ORDER BY created_at LIMIT 1) w, bench_projects p, generate_series(1, 20) AS n`,
    `INSERT INTO rpc_usage (key_id, workspace_id, chain_gid, method, hour, requests, failures, cached, bytes_in, bytes_out)
     SELECT ${idOf('rpc', 'k')}, w.id, c.gid, m.name, date_trunc('hour', now()) - h * interval '1 hour', 100 + h, h % 3, h % 50, 20000, 90000
     FROM (SELECT id FROM workspaces ORDER BY created_at LIMIT 1) w, generate_series(1, 50) AS k, generate_series(0, ${Math.round((transactions * 720) / 10_000_000)}) AS h, bench_chains c,
       unnest(ARRAY['eth_call', 'eth_getLogs', 'eth_blockNumber']) AS m (name) WHERE c.no < 3`,
    `INSERT INTO audit_logs (workspace_id, actor_key_id, actor_name, actor_mask, action, target_type, target_id, changes, request_id, created_at)
     SELECT w.id, ${idOf('actor', 'n % 50')}, 'Key ' || n % 50, 'svc_mgt_' || left(md5((n % 50)::text), 4), (ARRAY['project.updated', 'member.created', 'key.created', 'key.revoked'])[1 + n % 4], (ARRAY['project', 'member', 'key', 'key'])[1 + n % 4],
       ${idOf('target', 'n % 5000')}, '{}', 'request-' || n, ${START} + n * interval '5 minutes' FROM (SELECT id FROM workspaces ORDER BY created_at LIMIT 1) w, generate_series(1, 50000) AS n`,
  ];
}

export const dropSteps = ['bench_draws', 'bench_events', 'bench_tokens', 'bench_chains'].map(
  (table) => `DROP TABLE ${table}`,
);
