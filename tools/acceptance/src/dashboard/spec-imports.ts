// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SEGWIT = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const BURN = '0x000000000000000000000000000000000000dEaD';
const ZERO = '0x0000000000000000000000000000000000000000';

/** The family is detected; what is wrong stands beside its field before anything is sent. */
export async function addDetected(world: DashboardWorld): Promise<void> {
  const { page, chain, harness } = world;
  const dialog = page.getByRole('dialog');
  const address = dialog.getByLabel('Address', { exact: true });
  const count = async (): Promise<number> =>
    (await harness.db.query('SELECT FROM addresses WHERE project_id = $1', [world.tenant.projectId])).rows
      .length;
  const before = await count();
  await world.visit('Addresses');
  await world.press('Add address');
  await address.fill(SEGWIT);
  await dialog.getByText('Detected: Bitcoin').waitFor();
  await address.fill(`${SEGWIT}x`);
  await dialog.getByLabel('Label', { exact: true }).focus();
  await dialog.getByText('No chain family reads this address').waitFor();
  await dialog.getByLabel('Family').selectOption('bitcoin');
  await dialog.getByText(/checksum is wrong/).waitFor();
  await world.inspect('address-invalid');
  await dialog.getByLabel('Family').selectOption('Detect');
  await address.fill(chain.actor.accounts[1]!);
  await dialog.getByText('This project already has the address.').waitFor();

  await address.fill(BURN);
  await dialog.getByText('This is a burn address. Confirm below that you mean it.').waitFor();
  await dialog.getByRole('button', { name: 'Add address' }).click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  expect(await count()).toBe(before);
  await world.inspect('address-burn');
  await dialog.getByLabel('This is on purpose').check();
  await dialog.getByRole('button', { name: 'Add address' }).click();
  await page.waitForURL(`**/ui/addresses/${BURN}`);
  expect(await count()).toBe(before + 1);
}

/** A file is checked before it is sent; its rejected lines are a file that can be mended. */
export async function importChecked(world: DashboardWorld): Promise<void> {
  const { page, chain, harness } = world;
  const dialog = page.getByRole('dialog');
  const lines = [
    'label,address',
    `=1+1,0x${'5'.repeat(40)}`,
    `,${chain.actor.accounts[1]}`,
    `Tron,${TRON}`,
    `Burn,${ZERO}`,
    '"Smith, Bob",0x1',
    `Twice,0x${'5'.repeat(40)}`,
  ];
  await world.visit('Addresses');
  await world.press('Import');
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
  await dialog.getByText('2 new · 2 already registered').waitFor();
  await dialog.getByText('Families: 3 EVM, 1 TRON').waitFor();
  await dialog.getByText('2 lines rejected').waitFor();
  await dialog.getByRole('button', { name: 'Import 4 addresses' }).waitFor();
  await world.inspect('import-checked');
  const save = async (): Promise<[string, string[]]> => {
    const coming = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download rejected rows' }).click();
    const name = (await coming).suggestedFilename();
    return [name, (await world.browser.readFile()).trim().split('\r\n')];
  };
  const [name, rejected] = await save();
  expect([name, rejected.slice(0, 1)]).toEqual(['customers-rejected.csv', ['label,address,line,reason']]);
  expect(rejected[1]).toMatch(new RegExp(`^Burn,${ZERO},5,.*burn address`));
  expect(rejected[2]).toMatch(/^"Smith, Bob",0x1,6,/);
  // Nothing has been sent yet.
  const find = (address: string): Promise<{ rows: { label: string | null }[] }> =>
    harness.db.query('SELECT label FROM addresses WHERE project_id = $1 AND address = $2', [
      world.tenant.projectId,
      address,
    ]);
  expect((await find(TRON)).rows).toEqual([]);

  await dialog.getByLabel(/this is on purpose/).check();
  await dialog.getByText('1 line rejected').waitFor();
  await dialog.getByRole('button', { name: 'Import 5 addresses' }).click();
  await dialog.getByText('3 imported and monitored · 2 already registered').waitFor();
  expect((await save())[1].slice(1)).toEqual(rejected.slice(2));
  await world.inspect('import-done');
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect((await find(TRON)).rows).toEqual([{ label: 'Tron' }]);
  expect((await find(ZERO)).rows).toEqual([{ label: 'Burn' }]);
  expect((await find(`0x${'5'.repeat(40)}`)).rows).toEqual([{ label: '=1+1' }]);
  // Those are nobody's: what is minted or burned later is none of these tests'.
  await harness.db.query('UPDATE addresses SET is_monitored = false WHERE address = ANY ($1)', [
    [ZERO, BURN.toLowerCase()],
  ]);
}
