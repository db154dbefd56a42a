// SPDX-License-Identifier: Apache-2.0
import type { Bootstrap } from '../../../db/src/bootstrap.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { Browser, FIRST_LOAD_BYTES_MAX, HAS_BROWSER } from './browser.ts';
import { DashboardWorld } from './dashboard-world.ts';
import { includeProofs, missProof, openExplorer, verifyProof } from './spec-proofs.ts';
import { failReconciliation, refuseLedgers, useReconciliations } from './spec-reconciliations.ts';
import { failStatement, switchProject, useStatements } from './spec-statements.ts';
import { usePublicKeys } from './spec-public-keys.ts';
import { useAddresses, useAssets, useEvents } from './spec-addresses.ts';
import { useChains, usePolicy } from './spec-chains.ts';
import { editChannel } from './spec-channel-form.ts';
import { loseConnection } from './spec-connection.ts';
import { killReceiver, holdEvents, rehearse, rotateSecret } from './spec-channels.ts';
import { readCharts } from './spec-activity.ts';
import { takeFirstSteps } from './spec-first-steps.ts';
import { useGateway, usePlayground } from './spec-gateway.ts';
import { addDetected, importChecked } from './spec-imports.ts';
import { ACCOUNTS, chooseWorkspace, refuseOthers, useAsDeveloper } from './spec-oidc.ts';
import { findPayments } from './spec-payments.ts';
import { findChains, usePalette } from './spec-search.ts';
import { usePortal } from './spec-portal.ts';
import { useKeys, useMembers, useProjects } from './spec-workspace.ts';

/** The pages as a person uses them: in Chromium, against everything that runs in production. */
(HAS_BROWSER ? describe : describe.skip)('the dashboard', () => {
  const chain = new EvmChain({ epochBlocks: 4 });
  let world: DashboardWorld;
  let harness: DashboardWorld['harness'];
  let browser: Browser;
  let tenant: Bootstrap;
  let origin: string;
  const inspect = (name: string): Promise<void> => world.inspect(name);

  beforeAll(async () => {
    browser = await Browser.open();
    world = await DashboardWorld.start(browser, chain, ACCOUNTS);
    ({ harness, tenant, origin } = world);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  it('shows a payment from the block to the receiver, and sends it once more', async () => {
    const { page } = browser;
    const [payer, payee] = [chain.actor.accounts[0]!, chain.actor.accounts[1]!];

    // Signing in: a wrong key is refused in words.
    browser.expected.add(401);
    await page.goto(`${origin}/`);
    await page.waitForURL('**/ui/sign-in?**');
    await inspect('sign-in');
    await page.getByLabel('Key').fill(`${tenant.keys.management.slice(0, -1)}!`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid key').waitFor();
    await page.getByLabel('Key').fill(tenant.keys.management);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    browser.expected.delete(401);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await browser.firstLoadBytes()).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
    await inspect('overview-empty');

    // A channel, by its wizard; the secret is shown once.
    await world.visit('Channels');
    await page.getByText('No channels yet').waitFor();
    await inspect('channels-empty');
    await page.getByRole('button', { name: 'Add channel' }).click();
    await inspect('channel-kinds');
    await page.getByRole('button', { name: /Webhook/ }).click();
    await page.getByLabel('Name').fill('Orders');
    await page.getByText('Last week this channel would have had no events.').waitFor();
    await page.getByLabel('URL').fill('nonsense');
    await page.getByRole('dialog').getByRole('button', { name: 'Add channel' }).waitFor();
    browser.expected.add(400);
    await page.getByRole('dialog').getByRole('button', { name: 'Add channel' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    browser.expected.delete(400);
    await page.getByLabel('URL').fill(harness.receiver.url);
    await page.getByRole('dialog').getByRole('button', { name: 'Add channel' }).click();
    const secret = await page
      .getByRole('dialog')
      .getByText(/^svc_whsec_/)
      .textContent();
    harness.receiver.secrets.set(tenant.projectId, secret!);
    await inspect('channel-secret');
    await page.getByRole('button', { name: "I've saved it" }).click();
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('Status 204').waitFor();
    await inspect('delivery');

    // An address, and a payment to it.
    await world.visit('Addresses');
    await page.getByText('No addresses yet').waitFor();
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Address' }).fill(payee);
    await page.getByRole('dialog').getByRole('textbox', { name: 'Label' }).fill('Customer 42');
    await inspect('address-add');
    await page.getByRole('dialog').getByRole('button', { name: 'Add address' }).click();
    await page.getByRole('heading', { name: 'Customer 42' }).waitFor();
    await chain.actor.sendEther(payer, payee, 1_234_567_890_123_456_789n);
    await chain.actor.mine();
    await harness.waitForCursor();

    // Found by a part of its label, then by its hash, with the keyboard alone.
    const { rows } = await harness.db.query<{ id: string; hash: string }>(
      'SELECT id, hash FROM transactions WHERE project_id = $1',
      [tenant.projectId],
    );
    const { id, hash } = rows[0]!;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('tomer 4');
    await page.getByRole('option', { name: /Customer 42/ }).waitFor();
    await inspect('search');
    await page.getByRole('combobox', { name: 'Search' }).fill(hash);
    await page.getByRole('option', { name: /Detected/i }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/transactions/${id}`);

    // Its whole way, while it goes on.
    const way = page.getByRole('list', { name: 'Steps of this payment' });
    await way.getByText('1.234567890123456789').first().waitFor();
    await way.getByText(/Confirmations \d+ of \d+/).waitFor();
    await way.getByText('transaction.detected', { exact: true }).waitFor();
    await way.getByText('Delivered').first().waitFor();
    await chain.finalize();
    await harness.waitForCursor();
    await way.getByText('Confirmed', { exact: true }).first().waitFor();
    await way.getByText('transaction.confirmed', { exact: true }).waitFor();
    await inspect('trace');

    // Attempts, as a command line, and once more to the receiver.
    const event = [...harness.receiver.events.values()].find(
      ({ type, transactionHash }) => type === 'transaction.detected' && transactionHash === hash,
    )!;
    const deliveries = way.getByRole('list', { name: 'Deliveries of transaction.detected' });
    await deliveries.getByRole('button', { name: /attempts to Orders/ }).click();
    await deliveries.getByText('Status 204').waitFor();
    await deliveries.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`curl -X POST '${harness.receiver.url}'`);
    expect(copied).toContain(event.eventId);
    await inspect('trace-attempts');
    const before = event.deliveryIds.length;
    await deliveries.getByRole('button', { name: 'Redeliver' }).click();
    await harness.until('the event to come again', 60_000, async () => event.deliveryIds.length > before);
    await deliveries
      .getByRole('button', { name: /^2\d\d/ })
      .nth(1)
      .waitFor();
    expect(harness.receiver.faults).toEqual([]);

    // The pages that list it.
    for (const [link, text] of [
      ['Overview', 'transaction.confirmed'],
      ['Transactions', 'Confirmed'],
      ['Addresses', 'Customer 42'],
      ['Channels', 'Orders'],
      ['Chains', 'Following'],
      ['Keys', 'Management'],
    ] as const) {
      await world.visit(link);
      await page.getByRole('main').getByText(text).first().waitFor();
      await inspect(link.toLowerCase());
    }
    await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    await inspect('channel');
    await page.goto(`${origin}/ui/addresses/${payee}`);
    await page.getByText('Balances').waitFor();
    const wei = BigInt(await chain.rpc<string>('eth_getBalance', [payee, 'latest']));
    await page.getByRole('main').getByText(toEther(wei)).first().waitFor();
    await inspect('address');
    await page.goto(`${origin}/ui/events/${event.eventId}`);
    await page.getByRole('heading', { name: 'transaction.detected' }).waitFor();
    await inspect('event');
  });

  it.each<readonly [string, (world: DashboardWorld) => Promise<void>]>([
    ['says that the API is away, and goes on by itself', loseConnection],
    ['rotates the secret of a channel, and both sign meanwhile', rotateSecret],
    ['shows why a channel was given up, and delivers or discards what it held', holdEvents],
    ['rehearses with a sandbox channel', rehearse],
    ['redelivers to a receiver that was killed and came back', killReceiver],
    ['draws charts over a period', readCharts],
    ['lists events and takes them along as a file', useEvents],
    ['groups an address, reads its past and pauses it', useAddresses],
    ['archives a token and brings it back', useAssets],
    ['sets a node, draws a reorg and accepts an incident', useChains],
    ['derives addresses from a public key', usePublicKeys],
    ['verifies the proof of a payment in the browser', verifyProof],
    ['says why there is no proof', missProof],
    ['leads to the explorer of the network', openExplorer],
    ['makes a channel whose events have proofs', includeProofs],
    ['has a statement written, checks and downloads it', useStatements],
    ['says why a statement failed, and deletes it', failStatement],
    ['shows a project nothing of another one', switchProject],
    ['refuses what is no ledger', refuseLedgers],
    ['reconciles a ledger, and takes the differences along', useReconciliations],
    ['says how far a reconciliation is, and why it failed', failReconciliation],
    ['makes a key and rolls it', useKeys],
    ['adds, renames and deletes a project', useProjects],
    ['adds, changes and removes a member, all of it recorded', useMembers],
    ['tries a call of the gateway and shows it among the usage', useGateway],
    ['sends a coin in the playground and watches it', usePlayground],
    ['mends the URL of a channel and gives it a filter, and payments arrive by both', editChannel],
    ['says whose payment it is, and finds it by group and label', findPayments],
    ['asks for other confirmations on a chain, and the trace says it', usePolicy],
    ['detects the family of an address, and asks before it adds a burn address', addDetected],
    ['checks a file before it is imported, and hands back the rejected lines', importChecked],
    ['goes to pages and payments from the search box alone', usePalette],
    ['finds chains by their names', findChains],
    ['leads a fresh project to its first verified event', takeFirstSteps],
    ["shows a customer the deliveries of its own channel, in a frame of the customer's page", usePortal],
  ])('%s', async (_name, use) => {
    // Whatever the one before left open.
    await browser.page.goto(`${origin}/ui/`);
    await use(world);
  });

  it('imports a file, and offers nothing that the key may not do', async () => {
    const { page } = browser;
    const [, , one, two] = chain.actor.accounts as string[];
    browser.faults.splice(0);
    browser.expected.clear();
    await page.goto(`${origin}/ui/addresses`);
    await page.getByRole('button', { name: 'Import' }).click();
    const buffer = Buffer.from(`address,label,family\n${one},"Smith, Ann"\n${two},\nx,,nonsense\n`);
    await page.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await page.getByText('Line 4: unknown family nonsense').waitFor();
    await inspect('import');
    await page.getByRole('button', { name: 'Import 2 addresses' }).click();
    await page.getByText('2 imported and monitored').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Smith, Ann').waitFor();

    // A reader, in the same browser.
    await page.evaluate(() => fetch('/v1/session', { method: 'DELETE' }));
    const reader = await fetch(`${harness.apiUrl}/management/keys`, {
      method: 'POST',
      headers: { 'x-api-key': tenant.keys.management, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'api',
        name: 'reader',
        project_id: tenant.projectId,
        permissions: ['api:address:read', 'api:transaction:read', 'api:event:read'],
      }),
    });
    const { key, id } = (await reader.json()) as { key: string; id: string };
    browser.expected.add(401);
    await page.goto(`${origin}/ui/addresses`);
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Smith, Ann').waitFor();
    browser.expected.delete(401);
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Overview',
      'Transactions',
      'Events',
      'Addresses',
    ]);
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /Import|Add/ })
        .count(),
    ).toBe(0);
    await inspect('reader');
    for (const [path, permission] of [
      ['statements', 'api:statement:read'],
      ['reconciliations', 'api:reconciliation:read'],
    ]) {
      await page.goto(`${origin}/ui/${path}`);
      await page.getByText('Permission missing').waitFor();
      await page.getByText(permission!).waitFor();
    }
    await inspect('permission-missing');

    // The key ends, and the page with it.
    browser.expected.add(401);
    await harness.db.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
    await page.waitForURL('**/ui/sign-in?**');
    expect(browser.faults).toEqual([]);
  });

  it.each<readonly [string, (world: DashboardWorld) => Promise<void>]>([
    ['lets nobody in through their issuer who is no member', refuseOthers],
    ['lets a member in through their issuer, as far as the role goes', useAsDeveloper],
    ['lets a member of two workspaces choose, and go from one to the other', chooseWorkspace],
  ])('%s', async (_name, use) => {
    // The page of before still asks who is signed in.
    await browser.page.goto('about:blank');
    browser.faults.splice(0);
    browser.expected.clear();
    await use(world);
    expect(browser.faults).toEqual([]);
  });
});

/** `10001234567890123456789` → `10,001.234567890123456789`: every digit. */
function toEther(wei: bigint): string {
  const [whole, fraction] = [wei / 10n ** 18n, wei % 10n ** 18n];
  const decimals = fraction.toString().padStart(18, '0').replace(/0+$/, '');
  return `${whole.toLocaleString('en')}${decimals === '' ? '' : `.${decimals}`}`;
}
