// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

const ADDRESS = `0x${'7'.repeat(40)}`;

/** A project without data is led to its first verified event; each step ticks by itself. */
export async function takeFirstSteps(world: DashboardWorld): Promise<void> {
  const { page, harness, tenant, browser, origin } = world;
  const response = await fetch(`${harness.apiUrl}/management/projects`, {
    method: 'POST',
    headers: { 'x-api-key': tenant.keys.management, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Fresh' }),
  });
  const { id: projectId } = (await response.json()) as { id: string };
  const choose = async (from: string, to: string): Promise<void> => {
    await page.getByRole('button', { name: new RegExp(from) }).click();
    await page.getByRole('menuitemradio', { name: to }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  };
  await page.goto(`${origin}/ui/`);
  expect(await page.getByRole('list', { name: 'First steps' }).count()).toBe(0);
  await choose('Default', 'Fresh');
  await world.say('First steps · 0 of 4 done');
  // All of the page is the other project's, though it stayed the same page.
  await page.getByText('No events yet').waitFor();
  await page.getByRole('button', { name: /Fresh/ }).waitFor();
  const steps = page.getByRole('list', { name: 'First steps' });

  // The reader's own receiver, in a language of the reader's, with the keyboard alone.
  await page.getByRole('tab', { name: 'TypeScript' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
  await steps.getByRole('button', { name: 'Copy code' }).click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(
    'import SignatureError, unwrap',
  );
  await world.inspect('first-steps');
  expect(
    await page.getByRole('complementary').getByRole('link', { name: 'Documentation' }).getAttribute('href'),
  ).toBe('/docs/');

  await steps.getByRole('link', { name: 'Add address' }).click();
  await page.getByRole('dialog').getByLabel('Address', { exact: true }).fill(ADDRESS);
  await page.getByRole('dialog').getByText('Detected: EVM').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Add address' }).click();
  await page.waitForURL(`**/ui/addresses/${ADDRESS}`);
  await world.visit('Overview');
  await world.say('First steps · 1 of 4 done');

  await steps.getByRole('link', { name: 'Add channel' }).click();
  await page.getByRole('button', { name: /^Webhook/ }).click();
  await page.getByLabel('Name').fill('Mine');
  await page.getByLabel('URL').fill(harness.receiver.url);
  await page.getByRole('dialog').getByRole('button', { name: 'Add channel' }).click();
  harness.receiver.secrets.set(projectId, await world.takeSecret(/^svc_whsec_/));
  await world.visit('Overview');
  await world.say('First steps · 2 of 4 done');
  await world.press('Send test message');
  await world.say('Status 204');
  await world.visit('Overview');
  // A tile leads to what it counts.
  await page.getByRole('main').getByRole('link', { name: 'Addresses', exact: true }).waitFor();
  await page.getByRole('list', { name: 'First steps' }).waitFor({ state: 'detached' });
  await world.inspect('overview-after-first-steps');
  await page.getByRole('main').getByRole('link', { name: 'Addresses', exact: true }).click();
  await page.getByRole('heading', { name: 'Addresses', level: 1 }).waitFor();
  await choose('Fresh', 'Default');
  expect(browser.faults).toEqual([]);
}
