// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  chromium,
  type Browser as Chromium,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { findBrowser } from '../../../stack/find-servers.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// What runs in the page is text: the types of a browser would be those of every tool.
const TELL_BREACHES = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('policy: ' + violatedDirective + ' refused ' + blockedURI));`;
// Chromium of Debian tells Playwright that a file comes, and not always when it is whole.
const KEEP_FILE = `const create = URL.createObjectURL;
URL.createObjectURL = (file) => create.call(URL, (globalThis.lastFile = file));`;
const SETTLE = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
const MEASURE_OVERFLOW = 'document.documentElement.scrollWidth - window.innerWidth';
const MEASURE_FIRST_LOAD = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name, startTime }) => new URL(name).pathname.startsWith('/ui') &&
    startTime < (performance.getEntriesByName('preload')[0]?.startTime ?? Infinity))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

const ARGUMENTS = [
  // Root may not use Chromium's sandbox, and containers run as root.
  '--no-sandbox',
  '--disable-gpu',
  // Letters are drawn alike on every system.
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
];

/** Compressed, all that a first page needs. */
export const FIRST_LOAD_BYTES_MAX = 250_000;

/** How long a page may take to show what is waited for: the machine may be busy. */
const PATIENCE_MS = 240_000;

/** What axe-core needs of what it found, to name it. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** Without Chromium the tests that need it are skipped, but fail where continuous integration runs. */
export const HAS_BROWSER = process.env.CI !== undefined || (await findBrowser()) !== undefined;

/** Chromium with one page. Whatever the page complains of is a fault: errors, broken requests, breaches of the policy. */
export class Browser {
  readonly faults: string[] = [];
  /** Statuses that the test provokes, which the console names as well. */
  readonly expected = new Set<number>();
  /** While the test cuts the network. */
  canLoseRequests = false;
  readonly #chromium: Chromium;
  readonly #context: BrowserContext;
  readonly page: Page;

  private constructor(browser: Chromium, context: BrowserContext, page: Page) {
    this.#chromium = browser;
    this.#context = context;
    this.page = page;
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      const isProvoked =
        [...this.expected].some((status) => message.text().includes(`status of ${status}`)) ||
        (this.canLoseRequests && /net::ERR_|dynamically imported/.test(message.text()));
      if (['error', 'warning'].includes(message.type()) && !isProvoked)
        this.faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !this.expected.has(response.status()))
        this.faults.push(`${response.status()}: ${response.url()}`);
    });
  }

  /** @throws where there is no Chromium */
  static async open(options: BrowserContextOptions = {}): Promise<Browser> {
    const executablePath = await findBrowser();
    if (executablePath === undefined) throw new Error('expected Chromium, got none');
    const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
    const context = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
      // Without a graphics card, animations cost more than all else.
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript({ content: `${TELL_BREACHES}\n${KEEP_FILE}` });
    return new Browser(browser, context, await context.newPage());
  }

  async close(): Promise<void> {
    await this.#context.close();
    await this.#chromium.close();
  }

  /**
   * What a reader with other senses could not use, in words; the page is looked at as it is now.
   * @param rules of axe-core, default all
   */
  async listBarriers(rules?: readonly string[]): Promise<string[]> {
    // From here, past the policy, which lets no script in but the page's own.
    await this.page.evaluate(AXE);
    const violations = await this.page.evaluate<Violation[]>(
      `axe.run(${JSON.stringify(rules === undefined ? {} : { runOnly: rules })}).then(({ violations }) => violations)`,
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
    );
  }

  /** How much wider the page is than its window, in pixels. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>(MEASURE_OVERFLOW);
  }

  /** What the page's own files weighed on the way. */
  firstLoadBytes(): Promise<number> {
    return this.page.evaluate<number>(MEASURE_FIRST_LOAD);
  }

  /** The text of the file that the page made last. */
  readFile(): Promise<string> {
    return this.page.evaluate<string>('lastFile.text()');
  }

  /** A picture for whoever looks, where DASHBOARD_SHOTS names a folder; what changed last has been drawn. */
  async shoot(name: string): Promise<void> {
    await this.page.evaluate(SETTLE);
    const folder = process.env.DASHBOARD_SHOTS;
    if (folder !== undefined) await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
