// SPDX-License-Identifier: Apache-2.0
import { findFamilyNamed } from '@chainwatch/chain-registry';
import type { Database, Sql, Statement } from '@chainwatch/data/db';
import { readCoverage } from './read-address-gaps.ts';
import { ADDRESSES_MAX, findStated } from './find-stated.ts';
import { readWindow, type ChainWindow } from './read-window.ts';
import type { StatedAddress } from './stated-address.ts';
import type { StatedChain, StatedWindow } from './stated-chain.ts';
import { StatementImpossibleError, WindowChangedError } from './statement-errors.ts';
import { gapOf, type StatementLine, type AdjustmentLine, type MovementLine } from './statement-lines.ts';
import type { ClaimedStatement, Progress } from './statement-store.ts';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { BalanceTally } from './balance-tally.ts';
import { readAccounts } from './read-accounts.ts';
import { readEntries, type Entry } from './read-entries.ts';

/** Lines that a document may have: about 3 GiB of text. */
const MOVEMENTS_MAX = 5_000_000;

/** One snapshot, for as long as the movements of one address take. */
const ONE_SNAPSHOT: readonly Statement[] = [
  { text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY' },
  { text: `SET LOCAL statement_timeout = '10min'` },
];

const NOTES = [
  'A balance is what the chain, or its node, stated in the block that is named beside it.',
  'unexplained = closing - opening - explained. Adjustments are what nothing explained when a balance was read: they are shown beside it and are never part of explained.',
  'What is not known is a gap. Tokens that are no amounts (NFTs) have no balance and are left out.',
];

interface Composition {
  readonly db: Database;
  readonly statement: ClaimedStatement;
  readonly emit: (line: StatementLine) => Promise<void>;
  readonly signal: AbortSignal;
  readonly progress: { -readonly [name in keyof Progress]: Progress[name] };
}

/**
 * Writes all lines of a statement.
 * @throws StatementImpossibleError, WindowChangedError
 */
export async function composeStatement(composition: Composition): Promise<void> {
  const { db, statement, progress } = composition;
  const { request, projectId } = statement;
  const counts = { balance: 0, adjustment: 0 };
  const emit: Composition['emit'] = async (line) => {
    composition.signal.throwIfAborted();
    if (line.type === 'movement') progress.movements += 1;
    if (line.type === 'gap') progress.gaps += 1;
    if (line.type === 'balance' && line.unexplained_raw !== null && line.unexplained_raw !== '0')
      progress.unexplained += 1;
    if (line.type === 'balance' || line.type === 'adjustment') counts[line.type] += 1;
    if (progress.movements > MOVEMENTS_MAX)
      throw new StatementImpossibleError(
        `The statement has more than ${MOVEMENTS_MAX.toLocaleString('en')} movements: ask for a shorter time or fewer addresses.`,
      );
    await composition.emit(line);
  };
  const addresses = await findStated(db, projectId, request);
  if (addresses.length > ADDRESSES_MAX)
    throw new StatementImpossibleError(
      `The statement has more than ${ADDRESSES_MAX.toLocaleString('en')} addresses: ask for fewer, by group or by name.`,
    );
  const chains = await listChains(db, request.chain_gids, addresses);
  await emit(
    headOf(
      statement,
      addresses.length,
      chains.map(({ gid }) => gid),
    ),
  );
  const windows = await stateChains(composition, chains, emit);
  if (request.addresses !== undefined && addresses.length < (request.address_ids ?? []).length)
    await emit(gapOf({ kind: 'deleted_address', reason: 'some of the addresses were deleted meanwhile' }));
  for (const address of addresses) {
    await db.transaction((sql) => stateChainsOf(sql, { address, chains, windows, emit }), ONE_SNAPSHOT);
    progress.addresses += 1;
  }
  await expectSameBlocks(db, windows);
  await emit({
    ...{ type: 'end', addresses: addresses.length, balances: counts.balance, movements: progress.movements },
    ...{ adjustments: counts.adjustment, gaps: progress.gaps },
  });
}

async function listChains(
  sql: Sql,
  wanted: readonly string[] | null,
  addresses: readonly StatedAddress[],
): Promise<StatedChain[]> {
  const { rows } = await sql.query<{ gid: string; family: string }>(
    'SELECT gid, family FROM blockchains WHERE family = ANY ($1) AND ($2::text[] IS NULL OR gid = ANY ($2)) ORDER BY gid',
    [[...new Set(addresses.map(({ chainFamily }) => chainFamily))], wanted],
  );
  return Promise.all(
    rows.map(async (row) => ({ ...row, isOfCoins: (await findFamilyNamed(row.family))?.utxo !== undefined })),
  );
}

function headOf(
  { id, projectId, request }: ClaimedStatement,
  count: number,
  chainGids: readonly string[],
): StatementLine {
  return {
    ...{ type: 'statement', version: 1, id, project_id: projectId, generated_at: new Date().toISOString() },
    ...{ from: request.from, to: request.to, address_count: count, chain_gids: chainGids, notes: NOTES },
  };
}

async function stateChains(
  { db, statement: { projectId, request } }: Composition,
  chains: readonly StatedChain[],
  emit: Composition['emit'],
): Promise<ChainWindow[]> {
  const period = { projectId, from: new Date(request.from), to: new Date(request.to) };
  const windows: ChainWindow[] = [];
  for (const { gid } of chains)
    windows.push(await db.transaction((sql) => readWindow(sql, gid, period), ONE_SNAPSHOT));
  for (const { line } of windows) await emit(line);
  for (const { gaps } of windows) for (const gap of gaps) await emit(gap);
  return windows;
}

interface StatedOnChains {
  readonly address: StatedAddress;
  readonly chains: readonly StatedChain[];
  readonly windows: readonly ChainWindow[];
  readonly emit: Composition['emit'];
}

async function stateChainsOf(sql: Sql, { address, chains, windows, emit }: StatedOnChains): Promise<void> {
  const { watchedFrom, chainGids, gaps } = await readCoverage(sql, address, windows);
  await emit({
    ...{ type: 'address', address: address.display, label: address.label },
    ...{ chain_family: address.chainFamily, watched_from: watchedFrom },
  });
  for (const gap of gaps) await emit(gap);
  for (const [place, chain] of chains.entries()) {
    if (!chainGids.has(chain.gid)) continue;
    const { openNumber, closeNumber } = windows[place]!;
    for await (const line of stateAddress(sql, address, { chain, openNumber, closeNumber })) await emit(line);
  }
}

/** @throws WindowChangedError: balances of one statement are of one chain of blocks */
async function expectSameBlocks(sql: Sql, windows: readonly ChainWindow[]): Promise<void> {
  for (const { line, closeNumber, lastHash } of windows) {
    if (lastHash === undefined) continue;
    const { rows } = await sql.query<{ hash: string }>('SELECT hash FROM canonical_blocks($1, $2, $2)', [
      line.chain_gid,
      closeNumber,
    ]);
    if (rows[0]?.hash !== lastHash) throw new WindowChangedError(line.chain_gid, closeNumber);
  }
}

/**
 * What an address did on a chain: its movements in the order of blocks, adjustments beside them, and where a reading begins
 * to differ from them; then its balances. The caller's transaction is one snapshot: movements and readings fit together.
 */
async function* stateAddress(
  sql: Sql,
  address: StatedAddress,
  window: StatedWindow,
): AsyncGenerator<StatementLine, void> {
  const { chain, openNumber, closeNumber } = window;
  const chainGid = chain.gid;
  const accounts = await readAccounts(sql, address, window);
  const owner = { address: address.display, chainGid, isOfCoins: chain.isOfCoins };
  const tallies = new Map(accounts.map((account) => [account.assetGid, new BalanceTally(account, owner)]));
  const openings = accounts.flatMap(({ assetGid, opening, isOpeningLate }) =>
    opening === undefined || isOpeningLate ? [] : [{ assetGid, number: opening.number }],
  );
  for await (const rows of readEntries(sql, address, { chainGid, openNumber, closeNumber, openings }))
    for (const entry of rows) {
      const tally = tallies.get(entry.asset_gid) ?? new BalanceTally(withoutReading(entry), owner);
      tallies.set(entry.asset_gid, tally);
      yield* takeEntry(tally, entry, owner);
    }
  for (const tally of tallies.values()) yield* tally.close();
}

/** A token that moved, and whose balance nobody has read yet. */
const withoutReading = ({ asset_gid: assetGid, symbol, decimals }: Entry): BalanceTally['account'] => ({
  ...{ assetGid, symbol, decimals, opening: undefined, isOpeningLate: false, closing: undefined },
  checkedAt: null,
});

function* takeEntry(
  tally: BalanceTally,
  entry: Entry,
  { address, chainGid }: { readonly address: string; readonly chainGid: string },
): Generator<StatementLine, void> {
  const of = { address, chain_gid: chainGid, asset_gid: entry.asset_gid };
  const amount = {
    amount: formatKnownAmount(BigInt(entry.amount_raw), entry.decimals),
    amount_raw: entry.amount_raw,
  };
  switch (entry.kind) {
    case 'reading': {
      const gap = tally.compare(entry);
      if (gap !== undefined) yield gap;
      return;
    }
    case 'adjustment':
      tally.adjust(entry);
      yield {
        ...{ type: 'adjustment', ...of, ...amount, since_block: entry.since_block! },
        ...{ until_block: entry.block_number, block_hash: entry.block_hash },
      } satisfies AdjustmentLine;
      return;
    case 'transfer':
    case 'change':
      yield {
        ...{ type: 'movement', ...of, reason: entry.reason!, ...amount },
        ...{ from: entry.from_address, to: entry.to_address },
        ...{ block_number: entry.block_number, block_hash: entry.block_hash },
        block_time: entry.block_time?.toISOString() ?? null,
        ...{ transaction_hash: entry.hash, transfer_index: entry.transfer_index, event_id: entry.event_id },
        ...{ verification: entry.verification, status: entry.status, is_counted: tally.add(entry) },
      } satisfies MovementLine;
  }
}
