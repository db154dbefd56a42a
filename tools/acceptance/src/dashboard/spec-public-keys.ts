// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

const REGTEST = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
/** At m/84'/1'/0' of the seed 000102…0f (BIP-32's first test vector). */
const ACCOUNT =
  'tpubDDNRbZGvdA33cgpY5uy2mmphT7sK4uciRjcQScSd64S5KRyZDxHcPuzs24or84Hywugb2JbEEt2jWH8fduiN9cmZzkSj8sSSx6txXkhXyZs';

export async function usePublicKeys(world: DashboardWorld): Promise<void> {
  const { page } = world;
  // Its chain first: added, with no node yet.
  await world.visit('Chains');
  await world.press('Add chain');
  await page.getByLabel('Chain', { exact: true }).selectOption(REGTEST);
  await world.inspect('chain-add');
  await world.press('Add chain');
  await world.say('No node saved here');
  await world.inspect('chain-new');

  await world.visit('Public keys');
  await world.say('No public keys yet');
  await world.inspect('public-keys-empty');
  await world.press('Add public key');
  await page.getByLabel('Extended public key', { exact: true }).fill(ACCOUNT);
  await page.getByLabel('Derivation path', { exact: true }).fill("m/84'/1'/0'");
  await page.getByLabel('Chain', { exact: true }).fill(REGTEST);
  await page.getByLabel('Label', { exact: true }).fill('Deposits');
  await world.inspect('public-key-add');
  await world.press('Add public key');
  await page.getByRole('heading', { name: 'Deposits' }).waitFor();
  await world.press('Next address');
  // Nobody follows the chain yet: it goes to no payer unnoticed.
  await world.say(
    `Saved, but not monitored. Payments to this address are not detected: ${REGTEST} is inactive.`,
  );
  await page.getByRole('progressbar', { name: '1 of 20 unused addresses in a row' }).waitFor();

  await world.press('Derive a range');
  await page.getByLabel('To index', { exact: true }).fill('30');
  await world.inspect('public-key-range');
  await world.press('Derive');
  await world.say('31 unused, wallets scan 20');
  await page.getByText('Activate the chain before you show this address to a customer.').waitFor();
  await page.getByText('Beyond the gap').first().waitFor();
  await world.inspect('public-key');
  await world.visit('Public keys');
  await page.getByRole('table', { name: 'Public keys' }).getByText('Deposits').waitFor();
  await world.inspect('public-keys');
}
