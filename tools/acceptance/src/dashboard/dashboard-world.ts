// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Page } from 'playwright-core';
import { startIssuer, type Accounts, type IssuerHandle } from '@chainwatch/testing';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { startPlayground } from '../../../stack/src/playground/start-playground.ts';
import type { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import { freePort } from '../services.ts';
import type { Browser } from './browser.ts';

const IS_SOAK = process.env.SOAK !== undefined;
const CLIENT = { id: 'dashboard', secret: 'a secret of the client' };

/** Everything that the pages speak with, and the browser that shows them. */
export class DashboardWorld {
  readonly harness: Harness<EvmChain>;
  readonly browser: Browser;
  readonly chain: EvmChain;
  readonly tenant: Bootstrap;
  readonly origin: string;
  /** Through whom members sign in; undefined where nobody has an account. */
  readonly issuer: IssuerHandle | undefined;
  readonly #playground: Server;

  private constructor(
    parts: Pick<DashboardWorld, 'harness' | 'browser' | 'tenant' | 'issuer'>,
    playground: Server,
  ) {
    this.harness = parts.harness;
    this.browser = parts.browser;
    this.tenant = parts.tenant;
    this.issuer = parts.issuer;
    this.chain = parts.harness.chain;
    this.origin = new URL(parts.harness.apiUrl).origin;
    this.#playground = playground;
  }

  static async start(browser: Browser, chain: EvmChain, accounts?: Accounts): Promise<DashboardWorld> {
    const issuer = accounts && (await startIssuer({ client: CLIENT, accounts }));
    const [rpcPort, playgroundPort] = [await freePort(), await freePort()];
    const harness = new Harness(chain, {
      env: {
        RATE_LIMIT_PUBLIC: '1000000',
        RATE_LIMIT_MANAGEMENT: '1000000',
        WEBHOOK_PROBE_INTERVAL: '1s',
        STATEMENT_KEY: randomBytes(32).toString('base64'),
        RPC_URL: `http://127.0.0.1:${rpcPort}`,
        PLAYGROUND_URL: `http://127.0.0.1:${playgroundPort}`,
        ...(issuer && {
          // A host may know its own name by both.
          OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
          OIDC_ISSUER: issuer.url,
          OIDC_CLIENT_ID: CLIENT.id,
          OIDC_CLIENT_SECRET: CLIENT.secret,
        }),
      },
    });
    await harness.start();
    const { origin } = new URL(harness.apiUrl);
    await issuer?.redirectTo(`${origin}/ui/oidc/callback`);
    await harness.services.start(['rpc-proxy'], { PORT: String(rpcPort), CORS_ORIGINS: origin });
    const nodeUrls = { [chain.gid]: { endpoint_url: chain.url } };
    const playground = await startPlayground({ port: playgroundPort, origin, nodeUrls });
    const tenant = await bootstrap(harness.db, { label: 'svc' });
    return new DashboardWorld({ harness, browser, tenant, issuer }, playground);
  }

  get page(): Page {
    return this.browser.page;
  }

  async stop(): Promise<void> {
    this.#playground.close();
    await this.harness.stop();
    await this.issuer?.stop();
  }

  /**
   * No barrier, no fault, nothing beside the window: on a large screen, in the dark, and on the smallest phone. What asks for
   * barriers in the two others is `npm run soak -- dashboard`: axe-core takes most of the time.
   */
  async inspect(name: string): Promise<void> {
    const { page, browser } = this;
    const looks = [
      { size: { width: 1_280, height: 900 }, theme: 'light', rules: undefined },
      // Colors alone are others, then places alone.
      { size: { width: 1_280, height: 900 }, theme: 'dark', rules: ['color-contrast'] },
      { size: { width: 320, height: 700 }, theme: 'light', rules: ['region', 'scrollable-region-focusable'] },
    ] as const;
    for (const { size, theme, rules } of looks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await browser.shoot(`${name}-${theme}-${size.width}`);
      const barriers = rules === undefined || IS_SOAK ? await browser.listBarriers(rules) : [];
      expect([name, theme, size.width, barriers]).toEqual([name, theme, size.width, []]);
      expect([name, size.width, await browser.overflow()]).toEqual([name, size.width, 0]);
    }
    await page.setViewportSize(looks[0].size);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    expect([name, browser.faults]).toEqual([name, []]);
  }

  /** A page by its name in the navigation. */
  async visit(name: string): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(await this.page.title()).toMatch(new RegExp(`^${name}\\b.* · chainwatch$`));
  }

  /** Presses a button of the page, or of the open dialog. */
  async press(name: string): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    const place = (await dialog.count()) > 0 ? dialog : this.page.getByRole('main');
    await place.getByRole('button', { name, exact: true }).first().click();
  }

  /** Presses a button that asks first, and says yes. */
  async confirm(name: string): Promise<void> {
    await this.press(name);
    await this.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  }

  async say(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** What a dialog shows once, which is then closed. */
  async takeSecret(pattern: RegExp): Promise<string> {
    const dialog = this.page.getByRole('dialog');
    await dialog.getByRole('button', { name: "I've saved it", exact: true }).waitFor();
    const secret = await dialog.getByText(pattern).textContent();
    await this.press("I've saved it");
    return secret!;
  }

  /** The text of the file that the page offers. */
  async export(type: 'CSV' | 'JSON lines'): Promise<{ name: string; lines: string[] }> {
    const coming = this.page.waitForEvent('download');
    await this.press('Export');
    await this.page.getByRole('menuitem', { name: type }).click();
    const name = (await coming).suggestedFilename();
    return { name, lines: (await this.browser.readFile()).trim().split(/\r?\n/) };
  }

  /** Pays the address that the tests monitor, or another one. @returns the hash */
  async pay(wei = 1n, to = this.chain.actor.accounts[1]!): Promise<string> {
    const { actor } = this.chain;
    const hash = await actor.sendEther(actor.accounts[0]!, to, wei);
    await actor.mine();
    await this.harness.waitForCursor();
    return hash;
  }

  /** Waits until the receiver was told of a transaction. */
  async untilTold(hash: string): Promise<void> {
    const { receiver } = this.harness;
    await this.harness.until(`the receiver to be told of ${hash}`, 60_000, async () =>
      [...receiver.events.values()].some(({ transactionHash }) => transactionHash === hash),
    );
    expect(receiver.faults).toEqual([]);
  }
}
