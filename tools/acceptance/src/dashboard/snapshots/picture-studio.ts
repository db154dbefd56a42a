// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import type { Page } from 'playwright-core';
import { bundleServices } from '../../../../stack/bundle.mjs';
import { serveDashboard } from '../../../../../apps/api-gateway/src/ui/serve-dashboard.ts';
import { Browser } from '../browser.ts';
import { networks } from './chains.ts';
import { fixedAnswers } from './fixed-answers.ts';
import { FixedApi } from './fixed-api.ts';
import { NOW_MS } from './make-record.ts';
import type { ShownPage } from './shown-pages.ts';
import { RPC_URL } from './workspace.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const WINDOW = { width: 1_280, height: 800 };
const require = createRequire(import.meta.url);
/** Those that the pages name first; without them every system would draw others. */
const FONTS = {
  'inter.woff2': require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  'mono.woff2': require.resolve(
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  ),
};
const BRING_FONTS = `for (const [family, file] of [['Inter', 'inter'], ['JetBrains Mono', 'mono']])
  document.fonts.add(new FontFace(family, 'url(/fonts/' + file + '.woff2)', { weight: '100 900' }));`;
/** What is left of a page that changes still after so many pictures is a fault of it. */
const TRIES = 20;

/** Every page with the same data at the same time in the same fonts: its own files, and an API that is fixed. */
export class PictureStudio {
  readonly browser: Browser;
  readonly #server: Server;
  readonly #api: FixedApi;
  readonly #origin: string;

  private constructor(browser: Browser, server: Server, api: FixedApi) {
    this.browser = browser;
    this.#server = server;
    this.#api = api;
    this.#origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @throws where there is no Chromium */
  static async open(): Promise<PictureStudio> {
    const browser = await Browser.open({ viewport: WINDOW, locale: 'en-US', timezoneId: 'UTC' });
    const api = new FixedApi(fixedAnswers);
    const dashboard = join(await bundleServices(), 'dashboard');
    const app = express()
      .use('/v1', api.handler)
      .use(serveDashboard(dashboard, { called: [RPC_URL], findFrameOrigins: async () => undefined }));
    for (const [name, path] of Object.entries(FONTS))
      app.get(`/fonts/${name}`, (_, res) => res.sendFile(path));
    const server = createServer(app);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { page } = browser;
    await page.clock.setFixedTime(NOW_MS);
    await page.addInitScript({ content: BRING_FONTS });
    const headers = { 'access-control-allow-origin': '*' };
    await page.route(`${RPC_URL}/**`, (route) => route.fulfill({ json: { networks }, headers }));
    return new PictureStudio(browser, server, api);
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  /** What went wrong since it was asked last, of the pages and of the fixed answers. */
  takeFaults(): string[] {
    return [...this.browser.faults.splice(0), ...this.#api.faults.splice(0)];
  }

  async show({ path, ready, width = WINDOW.width, isSignedOut = false, prepare }: ShownPage): Promise<void> {
    const { page } = this.browser;
    this.#api.isSignedIn = !isSignedOut;
    if (isSignedOut) this.browser.expected.add(401);
    else this.browser.expected.delete(401);
    await page.setViewportSize({ width, height: WINDOW.height });
    await page.goto(`${this.#origin}${path}`);
    await page.getByRole('main').getByText(ready).first().waitFor();
    await prepare?.(page);
    if (!isSignedOut)
      await page.locator('aside').getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  }

  /** The page that is shown, from top to end, when it is as expected or nothing of it changes any more. */
  async take(theme: Theme, isExpected?: (picture: Buffer) => Promise<boolean>): Promise<Buffer> {
    const { page } = this.browser;
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    await page.evaluate('document.fonts.ready');
    for (let left = TRIES; left > 0; left -= 1) {
      const height = await this.#fitWindow();
      const picture = await this.#rest();
      if ((await isExpected?.(picture)) || (await this.#fitWindow()) === height) return picture;
    }
    throw new Error(`expected ${page.url()} to come to rest, got another height each of ${TRIES} times`);
  }

  /** Two pictures that are the same. */
  async #rest(): Promise<Buffer> {
    const { page } = this.browser;
    let last = await shoot(page);
    for (let left = TRIES; left > 0; left -= 1) {
      const next = await shoot(page);
      if (next.equals(last)) return next;
      last = next;
    }
    throw new Error(`expected ${page.url()} to come to rest, got another picture each of ${TRIES} times`);
  }

  /** As high as the page, which it returns: what stands still while it scrolls reaches from top to end too. */
  async #fitWindow(): Promise<number> {
    const { page } = this.browser;
    const { width } = page.viewportSize()!;
    const resize = async (height: number): Promise<void> => {
      await page.setViewportSize({ width, height });
      await page.waitForFunction(`innerHeight === ${height}`);
    };
    await resize(WINDOW.height);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    await resize(height);
    return height;
  }
}

function shoot(page: Page): Promise<Buffer> {
  return page.screenshot({ animations: 'disabled', caret: 'hide' });
}
