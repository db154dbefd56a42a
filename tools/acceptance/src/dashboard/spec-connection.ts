// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

const AWAY = 'No connection. Retrying…';

/** While the API does not answer, pages say so over what they show, and go on by themselves once it does. */
export async function loseConnection(world: DashboardWorld): Promise<void> {
  const { page, browser, harness } = world;
  const notice = page.getByText(AWAY);
  const gone = (): Promise<void> => notice.waitFor({ state: 'detached' });
  browser.canLoseRequests = true;
  browser.expected.add(503);
  await world.visit('Channels');
  await page.getByRole('link', { name: 'Orders' }).waitFor();

  // Requests are refused.
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Orders' }).click();
  await notice.waitFor();
  // What was read is still shown.
  await page.goBack();
  await page.getByRole('link', { name: 'Orders' }).waitFor();
  await notice.waitFor();
  await world.inspect('connection-away');
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.unroute('**/v1/**');
  await page.getByRole('table', { name: 'Deliveries' }).waitFor();
  await gone();

  // Nothing answers, but the connection stands. What was read stays.
  await world.visit('Channels');
  await page.getByRole('link', { name: 'Orders' }).waitFor();
  harness.services.signal('api-gateway', 'SIGSTOP');
  try {
    await page.getByRole('navigation').getByRole('link', { name: 'Chains' }).click();
    await notice.waitFor();
  } finally {
    harness.services.signal('api-gateway', 'SIGCONT');
  }
  await gone();
  await page.getByRole('main').getByText('Following').first().waitFor();

  // A proxy answers in the place of the API.
  await page.route('**/v1/**', (route) => route.fulfill({ status: 503, body: 'no upstream' }));
  await page.getByRole('navigation').getByRole('link', { name: 'Addresses' }).click();
  await notice.waitFor();
  await page.unroute('**/v1/**');
  await gone();
  await page.getByRole('heading', { name: 'Addresses', level: 1 }).waitFor();

  // No network at all: the code of a page cannot be read either.
  await page.reload();
  await page.getByRole('heading', { name: 'Addresses', level: 1 }).waitFor();
  await page.route('**/assets/**', (route) => route.abort());
  await page.context().setOffline(true);
  await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click();
  await notice.waitFor();
  await page.context().setOffline(false);
  await page.unroute('**/assets/**');
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  await gone();
  await page.getByText('Live', { exact: true }).waitFor();
  browser.canLoseRequests = false;
  browser.expected.delete(503);
}
