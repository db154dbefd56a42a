// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

/** One by address and one by group: created, checked against its signature, downloaded, and deleted. */
export async function useStatements(world: DashboardWorld): Promise<void> {
  const { page, chain, browser, harness } = world;
  await world.visit('Statements');
  await world.say('No statements yet');
  expect(await page.getByRole('link', { name: 'Public signing keys' }).getAttribute('href')).toBe(
    '/.well-known/chainwatch-keys',
  );
  await world.inspect('statements-empty');
  await world.press('Create statement');
  await page.getByLabel('Addresses', { exact: true }).fill(`0x${'99'.repeat(20)}`);
  await page.getByLabel('To', { exact: true }).fill(dayAt(-2));
  browser.expected.add(400);
  await world.press('Create statement');
  await world.say('expected a time that is not in the future');
  browser.expected.delete(400);
  await world.inspect('statement-create');

  // What the project does not have is named.
  await page.getByLabel('From', { exact: true }).fill(dayAt(1));
  await page.getByLabel('To', { exact: true }).fill(dayAt(0));
  browser.expected.add(422);
  await world.press('Create statement');
  await world.say(/expected addresses of the project, got 0x9999/);
  browser.expected.delete(422);
  await page.getByLabel('Addresses', { exact: true }).fill(`${chain.actor.accounts[1]!}\n`);
  await world.press('Create statement');
  await page.waitForURL('**/ui/statements/*-*');
  await page.getByRole('heading', { level: 1 }).getByText('Completed', { exact: true }).waitFor();
  await page.getByText('Key ID (kid)').waitFor();
  await world.press('Check document');
  await world.say('Signature valid');
  await page
    .getByRole('list', { name: 'What the lines say' })
    .getByText(/unexplained part/)
    .waitFor();
  await world.inspect('statement');
  const id = page.url().split('/').at(-1)!;
  const { rows } = await harness.db.query<{ sha256: string; gaps: number }>(
    'SELECT sha256, gap_count::int AS gaps FROM statements WHERE id = $1',
    [id],
  );
  await page.getByText(rows[0]!.sha256).waitFor();
  await page.getByText(gapsText(rows[0]!.gaps)).first().waitFor();

  const coming = page.waitForEvent('download');
  await world.press('Download NDJSON');
  expect((await coming).suggestedFilename()).toBe(`statement-${id}.ndjson`);
  const document = await browser.readFile();
  expect(document.trim().split('\n').at(-1)).toContain('"type":"signature"');

  // A document that somebody changed on the way.
  await page.route('**/download', (route) =>
    route.fulfill({ body: document.replace('"type":"address"', '"type": "address"') }),
  );
  await world.press('Check document');
  await world.say('Not valid');
  await page.unroute('**/download');

  await world.visit('Statements');
  await page.getByRole('table', { name: 'Statements' }).getByText('Completed').waitFor();
  await world.inspect('statements');
}

/** What failed says why; what is deleted is gone. */
export async function failStatement(world: DashboardWorld): Promise<void> {
  const { page, harness } = world;
  await world.visit('Statements');
  // A stand-in for a failure of the worker.
  await harness.db.query(
    "UPDATE statements SET status = 'failed', reason = 'it has more than 5,000,000 movements', signature = NULL, sha256 = NULL, kid = NULL, size = NULL",
  );
  await page.reload();
  const table = page.getByRole('table', { name: 'Statements' });
  await table.getByText('it has more than 5,000,000 movements').waitFor();
  await table.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Failed', exact: true, level: 2 }).waitFor();
  expect(await page.getByRole('button', { name: /^Download/ }).count()).toBe(0);
  await world.inspect('statement-failed');
  await world.confirm('Delete');
  await world.say('No statements yet');
}

/** Another project has nothing of this one, and says so as if it did not exist. */
export async function switchProject(world: DashboardWorld): Promise<void> {
  const { page, harness, tenant, browser, origin } = world;
  const manage = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${harness.apiUrl}/management${path}`, {
      method,
      headers: { 'x-api-key': tenant.keys.management, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { id: projectId } = (await (await manage('POST', '/projects', { name: 'Elsewhere' })).json()) as {
    id: string;
  };
  const { rows } = await harness.db.query<{ id: string }>(
    `INSERT INTO statements (project_id, request, format, address_count, status, reason)
     VALUES ($1, '{"group": "mine", "chain_gids": null, "from": "2026-01-01T00:00:00.000Z", "to": "2026-02-01T00:00:00.000Z"}', 'csv', 1, 'failed', 'a stand-in')
     RETURNING id`,
    [tenant.projectId],
  );
  await page.goto(`${origin}/ui/statements`);
  await page.getByText('Group mine').waitFor();
  await page.getByRole('link', { name: 'Jan 1, 2026 – Feb 1, 2026' }).click();
  await page.getByText('a stand-in').waitFor();
  const choose = async (from: string, to: string): Promise<void> => {
    await page.getByRole('button', { name: new RegExp(from) }).click();
    await page.getByRole('menuitemradio', { name: to }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  };
  // The page that is left reads once more, of the other project.
  browser.expected.add(404);
  await choose('Default', 'Elsewhere');
  await world.visit('Statements');
  await world.say('No statements yet');
  await world.visit('Reconciliation');
  await world.say('No reconciliations yet');
  await page.goto(`${origin}/ui/statements/${rows[0]!.id}`);
  await page.getByRole('alert').getByText('There is no statement').waitFor();
  await choose('Elsewhere', 'Default');
  browser.expected.delete(404);
  await world.visit('Statements');
  await page.getByText('Group mine').waitFor();
  await harness.db.query('DELETE FROM statements');
  expect((await manage('DELETE', `/projects/${projectId}`)).status).toBe(204);
}

/** `2026-11-28` */
function dayAt(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
}

function gapsText(gaps: number): string {
  return gaps === 0 ? 'No declared gaps' : `${gaps} declared gap${gaps === 1 ? '' : 's'}`;
}
