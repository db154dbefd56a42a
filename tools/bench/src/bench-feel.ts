// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { Browser } from '../../acceptance/src/dashboard/browser.ts';
import { startListStack } from './list-stack.ts';
import type { Report } from './report.ts';

const SCALE = { transactions: 100_000, addresses: 10_000, projects: 20 };
const TRIES = 9;
const LISTS = ['Transactions', 'Addresses', 'Assets', 'Channels'] as const;

type Press = 'pointerdown' | 'click';

/** When what a press changed first has been drawn, in milliseconds after it. */
const awaitFeedback = (
  press: Press,
): string => `new Promise((resolve) => addEventListener('${press}', ({ timeStamp }) => {
  const seen = new MutationObserver(() => {
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
  });
  seen.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}, { capture: true, once: true }))`;

/** When the rows of a list have been drawn after the click that leads to it. */
const AWAIT_ROWS = `new Promise((resolve) => addEventListener('click', ({ timeStamp }) => {
  const look = () => {
    if (document.querySelector('main [role=row][aria-rowindex="2"]') === null) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
  };
  const seen = new MutationObserver(look);
  seen.observe(document, { subtree: true, childList: true });
}, { capture: true, once: true }))`;

const READ_FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  const paint = list.getEntriesByName('first-contentful-paint')[0];
  if (paint !== undefined) resolve(paint.startTime);
}).observe({ type: 'paint', buffered: true }))`;

/** How the dashboard feels: its pages in Chromium, from the API gateway over a filled database. */
export async function benchFeel(report: Report, directory: string): Promise<void> {
  const stack = await startListStack(`${directory}/lists-feel`, SCALE);
  const bare = await startBarePage();
  try {
    const visitor = new Visitor(`http://127.0.0.1:${stack.port}`, stack.keys.largest);
    const paints: number[] = [];
    const floors: number[] = [];
    let bytes = 0;
    // In turns: what else the machine does falls on both.
    for (let left = TRIES; left > 0; left -= 1) {
      floors.push(await withBrowser((browser) => readFirstPaint(browser, bare.url)));
      await withBrowser(async (browser) => {
        await visitor.signIn(browser);
        paints.push(await readFirstPaint(browser, visitor.url('/ui/')));
        bytes = await browser.firstLoadBytes();
      });
    }
    addFirstLoad(report, { paints, floors, bytes });
    await withBrowser(async (browser) => {
      await visitor.signIn(browser);
      addWaits(report, await visitor.measureFeedback(browser), await visitor.measureLists(browser));
    });
  } finally {
    bare.close();
    await stack.stop();
  }
}

interface FeedbackCase {
  readonly name: string;
  readonly path: string;
  readonly press: () => Promise<void>;
  /** What the page listens for. */
  readonly on?: Press;
}

type Waits = ReadonlyMap<string, readonly number[]>;

/** Somebody who looks at the pages of one project. */
class Visitor {
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  url(path: string): string {
    return `${this.#origin}${path}`;
  }

  /** Without its pages: what they load first is measured later. */
  async signIn({ page }: Browser): Promise<void> {
    const answer = await page.request.post(this.url('/v1/session'), { headers: { 'X-Api-Key': this.#key } });
    if (!answer.ok()) throw new Error(`expected a session, got ${answer.status()}`);
  }

  /** Until something on the page answers a press. */
  async measureFeedback(browser: Browser): Promise<Waits> {
    const { page } = browser;
    const main = page.getByRole('main');
    const presses: readonly FeedbackCase[] = [
      { name: 'a page', path: '/ui/', press: () => linkTo(browser, 'Transactions').click() },
      {
        name: 'a filter',
        path: '/ui/transactions',
        press: () => main.getByRole('button', { name: 'Status' }).click(),
        on: 'pointerdown',
      },
      {
        name: 'a row',
        path: '/ui/transactions',
        press: () => main.getByRole('row').nth(1).getByRole('link').first().click(),
      },
      {
        name: 'a dialog',
        path: '/ui/addresses',
        press: () => main.getByRole('button', { name: 'Add address' }).click(),
      },
      { name: 'the search', path: '/ui/', press: () => page.locator('aside').getByText('Search').click() },
    ];
    const waits = new Map<string, number[]>(presses.map(({ name }) => [name, []]));
    for (let left = TRIES; left > 0; left -= 1)
      for (const { name, path, press, on = 'click' } of presses) {
        await this.#open(browser, path);
        waits.get(name)!.push(await measure(browser, awaitFeedback(on), press));
      }
    return waits;
  }

  /** From the click on its name until its rows stand there; the page itself was just loaded. */
  async measureLists(browser: Browser): Promise<Waits> {
    const waits = new Map<string, number[]>(LISTS.map((name) => [name, []]));
    for (let left = TRIES; left > 0; left -= 1)
      for (const name of LISTS) {
        await this.#open(browser, '/ui/');
        waits.get(name)!.push(await measure(browser, AWAIT_ROWS, () => linkTo(browser, name).click()));
      }
    return waits;
  }

  /** The page with all that it shows. */
  async #open({ page }: Browser, path: string): Promise<void> {
    await page.goto(this.url(path));
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  }
}

function linkTo({ page }: Browser, name: string) {
  return page.getByRole('navigation').getByRole('link', { name, exact: true });
}

async function measure({ page }: Browser, wait: string, click: () => Promise<void>): Promise<number> {
  const measured = page.evaluate<number>(wait);
  // It is awaited later, or not at all.
  measured.catch(() => undefined);
  await click();
  return measured;
}

async function withBrowser<T>(use: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await Browser.open();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Of a browser that has seen nothing of it before. */
async function readFirstPaint({ page }: Browser, url: string): Promise<number> {
  await page.goto(url);
  return page.evaluate<number>(READ_FIRST_PAINT);
}

/** One word, and nothing else to load: what the browser itself takes. */
async function startBarePage(): Promise<{ url: string; close(): void }> {
  const server = createServer((_, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>bare</title><h1>chainwatch</h1>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close().closeAllConnections() };
}

interface FirstLoad {
  readonly paints: readonly number[];
  readonly floors: readonly number[];
  readonly bytes: number;
}

function addFirstLoad(report: Report, { paints, floors, bytes }: FirstLoad): void {
  const [paint, floor] = [median(paints), median(floors)];
  report.add({
    name: 'dashboard: first paint',
    goal: '≤ 1 s',
    isMet: paint <= 1_000,
    measured: `${Math.round(paint)} ms (${(paint / floor).toFixed(1)} × a page of one word)`,
    detail: `first contentful paint of the overview in a Chromium that knows nothing of it, signed in; median of ${TRIES}, slowest ${Math.round(Math.max(...paints))} ms; a page of one word ${Math.round(floor)} ms, in turns; load average ${loadavg()[0]!.toFixed(1)}`,
  });
  report.add({
    name: 'dashboard: first load',
    goal: '≤ 250 kB compressed',
    isMet: bytes <= 250_000,
    measured: `${Math.round(bytes / 1_000)} kB`,
    detail: 'the page, its scripts and styles until the overview stands there, as they come over the wire',
  });
}

function addWaits(report: Report, feedback: Waits, lists: Waits): void {
  report.add({
    name: 'dashboard: feedback after a click',
    goal: '≤ 100 ms',
    isMet: worst(feedback) <= 100,
    measured: say(feedback),
    detail: `from the click until what it changed first is drawn; medians of ${TRIES}; load average ${loadavg()[0]!.toFixed(1)}`,
  });
  report.add({
    name: 'dashboard: plain lists',
    goal: '≤ 250 ms',
    isMet: worst(lists) <= 250,
    measured: say(lists),
    detail: `from the click on its name until its rows are drawn, the page just loaded; the largest project of ${SCALE.transactions.toLocaleString('en')} transactions and ${SCALE.addresses.toLocaleString('en')} addresses in ${SCALE.projects} projects; medians of ${TRIES}; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

function worst(waits: Waits): number {
  return Math.max(...[...waits.values()].map(median));
}

function say(waits: Waits): string {
  return [...waits].map(([name, times]) => `${name} ${Math.round(median(times))} ms`).join(', ');
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
