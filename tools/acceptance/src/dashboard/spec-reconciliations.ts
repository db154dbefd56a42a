// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

const ASSET = 'eip155:31337/slip44:60';

interface Payments {
  readonly items: readonly {
    readonly hash: string;
    readonly transfers: readonly { readonly amount: string }[];
  }[];
}

/** The two last payments that are confirmed, of which the first is new. */
async function payTwice(world: DashboardWorld): Promise<Payments['items']> {
  const { harness, tenant, chain } = world;
  const hash = await world.pay(7n);
  await chain.finalize();
  await harness.waitForCursor();
  const read = async (): Promise<Payments['items']> => {
    const answer = await fetch(`${harness.apiUrl}/transactions?statuses=confirmed&limit=2`, {
      headers: { 'x-api-key': tenant.keys.api },
    });
    return ((await answer.json()) as Payments).items;
  };
  await harness.until('the payment to be confirmed', 60_000, async () => (await read())[0]?.hash === hash);
  return read();
}

/** A ledger with a row of each class but those of what is not confirmed. */
async function writeLedger(world: DashboardWorld): Promise<string> {
  const [second, first] = await payTwice(world);
  const payee = world.chain.actor.accounts[1]!;
  const amount = first!.transfers[0]!.amount;
  return [
    'reference,hash,address,asset_gid,amount,time',
    `INV-1,${first!.hash},${payee},${ASSET},${amount},2020-01-01T00:00:00Z`,
    `INV-1 again,${first!.hash},${payee},${ASSET},${amount},`,
    `INV-2,${second!.hash},${payee},${ASSET},7,`,
    `INV-3,0x${'ab'.repeat(32)},${payee},${ASSET},1,`,
    `INV-4,${second!.hash},${payee},${ASSET},a lot,2999-01-01T00:00:00Z`,
  ].join('\n');
}

function chooseFile({ page }: DashboardWorld, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
  return page.getByLabel('Ledger file').setInputFiles(file);
}

/** What is no ledger is refused, in words. */
export async function refuseLedgers(world: DashboardWorld): Promise<void> {
  const { page, browser } = world;
  await world.visit('Reconciliation');
  await world.say('No reconciliations yet');
  await world.inspect('reconciliations-empty');
  await world.press('Upload ledger');
  await chooseFile(world, 'empty.csv', '');
  await world.say('The file is empty.');
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Upload ledger' }).isDisabled()).toBe(
    true,
  );

  // A header that is none: the API says which columns it expected.
  await chooseFile(world, 'wrong.csv', 'when,what\n1,2\n');
  browser.expected.add(400);
  await world.press('Upload ledger');
  await page.getByRole('alert').waitFor();
  await world.inspect('reconciliation-refused');
  browser.expected.delete(400);
}

/** A ledger with a row of each class, looked at by class, and as a file. */
export async function useReconciliations(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('Reconciliation');
  await world.press('Upload ledger');
  const ledger = await writeLedger(world);
  await chooseFile(world, 'october.csv', ledger);
  await page.getByLabel('Name', { exact: true }).fill('October');
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2999-01-02');
  await world.inspect('reconciliation-upload');
  await world.press('Upload ledger');
  await page.waitForURL('**/ui/reconciliations/*-*');
  await page.getByRole('heading', { level: 1 }).getByText('Completed', { exact: true }).waitFor();
  const tiles = page.getByRole('group', { name: 'Rows by class' });
  for (const tile of ['Matched1', 'Amount differs1', 'Duplicate1', 'Missing on chain1', 'Invalid1'])
    await tiles.getByRole('button', { name: new RegExp(`^${tile.replace(/(\d)$/, '\\s*$1')}`) }).waitFor();
  const table = page.getByRole('table', { name: 'Rows' });
  await table.getByText('Same as line 2').waitFor();
  await world.inspect('reconciliation');

  await tiles.getByRole('button', { name: /^Amount differs/ }).click();
  await page.waitForURL('**classes=*');
  await table.getByText('INV-2', { exact: true }).waitFor();
  await table.getByText('INV-1', { exact: true }).waitFor({ state: 'detached' });
  await world.inspect('reconciliation-class');
  const { name, lines } = await world.export('CSV');
  expect([name, lines.length, lines[0], lines[1]]).toEqual([
    'October.csv',
    2,
    expect.stringContaining('difference'),
    expect.stringContaining('INV-2'),
  ]);
  await table.getByRole('link').first().click();
  await page.waitForURL('**/ui/transactions/*');
  await page.goBack();

  // The same as JSON lines.
  await world.visit('Reconciliation');
  await page.getByRole('table', { name: 'Reconciliations' }).getByText('October').waitFor();
  await world.inspect('reconciliations');
  await world.press('Upload ledger');
  const [, , , row] = ledger.split('\n');
  const [reference, hash, address, asset_gid, amount] = row!.split(',');
  await chooseFile(
    world,
    'october.ndjson',
    `${JSON.stringify({ reference, hash, address, asset_gid, amount })}\n`,
  );
  expect(await page.getByLabel('Format of the file').inputValue()).toBe('application/x-ndjson');
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2020-01-02');
  await world.press('Upload ledger');
  await page.getByRole('heading', { level: 1 }).getByText('Completed', { exact: true }).waitFor();
  await tiles.getByRole('button', { name: /^Amount differs\s*1/ }).waitFor();
  await world.confirm('Delete');
  await page.getByRole('table', { name: 'Reconciliations' }).getByText('October').waitFor();
  await page.getByRole('row').nth(1).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
}

/** What failed says why, what is under way says how far it is. */
export async function failReconciliation(world: DashboardWorld): Promise<void> {
  const { page, harness } = world;
  // Stand-ins for what a worker writes; none takes it up again within the hour.
  const set = (text: string) => harness.db.query(`UPDATE reconciliations SET ${text}`);
  await set(
    "status = 'matching', phase = 'rows', row_count = 1000, failure_count = 1, served_at = now() + interval '1 hour'",
  );
  await world.visit('Reconciliation');
  const table = page.getByRole('table', { name: 'Reconciliations' });
  await table.getByText(/Matching rows: \d+ of 1,000/).waitFor();
  await table.getByRole('link').first().click();
  await page.getByRole('progressbar', { name: 'Matched rows' }).waitFor();
  await world.inspect('reconciliation-matching');
  await set("status = 'failed', error = 'its rows could not be matched'");
  await page.getByRole('heading', { name: 'Failed', exact: true, level: 2 }).waitFor();
  await world.inspect('reconciliation-failed');
  await world.confirm('Delete');
  await world.say('No reconciliations yet');
}
