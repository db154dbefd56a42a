// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrameLocator, Request } from 'playwright-core';
import { FIRST_LOAD_BYTES_MAX } from './browser.ts';
import type { DashboardWorld } from './dashboard-world.ts';

const TITLE = 'Notifications of your shop';

/** All that a browser keeps of a page; in a frame of another site it may keep nothing, and denies to look. */
const READ_KEPT = `JSON.stringify(Object.fromEntries([
  ...['localStorage', 'sessionStorage'].map((name) => {
    try { return [name, { ...window[name] }]; } catch { return [name, 'denied']; }
  }),
  ['cookie', document.cookie], ['address', location.href], ['state', history.state], ['referrer', document.referrer],
]))`;

interface Session {
  readonly id: string;
  readonly url: string;
}

/** A page of a customer on an origin of its own, with the portal in a frame. */
class Shop {
  url: string | undefined;
  readonly #server: Server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html');
    res.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
      <main><h1>Shop</h1><iframe title="${TITLE}" src="${this.url}" width="900" height="700"></iframe></main></html>`);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, 'localhost', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }
}

/** A customer's own endpoint; how often each event came. */
class Endpoint {
  readonly bodies: string[] = [];
  readonly #server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      this.bodies.push(Buffer.concat(chunks).toString('utf8'));
      res.end('thank you');
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  countOf(text: string): number {
    return this.bodies.filter((body) => body.includes(text)).length;
  }
}

/** What a customer sees of its channel, on its own page; and that it sees nothing else. */
export async function usePortal(world: DashboardWorld): Promise<void> {
  const [shop, stranger, endpoint] = [new Shop(), new Shop(), new Endpoint()];
  await Promise.all([shop.start(), stranger.start(), endpoint.start()]);
  const made: string[] = [];
  const make = async (name: string): Promise<string> => {
    const { id } = await ask<{ id: string }>(world, {
      method: 'POST',
      path: '/channels',
      body: { name, url: endpoint.url },
    });
    made.push(id);
    return id;
  };
  try {
    const channelId = await make('Shop of Ann');
    await make('Shop of Bob');
    const hash = await world.pay();
    await world.harness.until('a channel to be told', 60_000, async () => endpoint.countOf(hash) > 0);
    const { event_id: eventId } = JSON.parse(endpoint.bodies.find((body) => body.includes(hash))!);
    await world.harness.until('both to be told', 60_000, async () => endpoint.countOf(eventId) === 2);
    const session = await ask<Session>(world, {
      method: 'POST',
      path: '/portal_sessions',
      body: {
        channel_ids: [channelId],
        ttl_seconds: 600,
        permissions: [
          ...['api:notification_channel:read', 'api:notification_channel:write', 'api:delivery:read'],
          ...['api:delivery:replay', 'api:event:read'],
        ],
        frame_origins: [shop.origin],
      },
    });
    shop.url = session.url;
    stranger.url = session.url;
    // The dashboard's page asks again after each event, as long as it is open.
    await world.page.goto('about:blank');
    const checkCalls = watchCalls(world, session.url.split('#')[1]!);
    await seeInFrame(world, { shop, endpoint, eventId, session });
    await seeAlone(world, session);
    await checkCalls();
    await beBlocked(world, stranger);
    await seeItEnd(world, { shop, session });
  } finally {
    for (const id of made) await ask(world, { method: 'DELETE', path: `/channels/${id}` });
    await Promise.all([shop.stop(), stranger.stop(), endpoint.stop()]);
  }
}

async function ask<T>(
  { harness, tenant }: DashboardWorld,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: object },
): Promise<T> {
  const response = await fetch(`${harness.apiUrl}${path}`, {
    method,
    headers: { 'x-api-key': tenant.keys.api, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect([method, path, response.status]).toEqual([method, path, method === 'DELETE' ? 204 : 201]);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

interface Framed {
  readonly shop: Shop;
  readonly endpoint: Endpoint;
  readonly eventId: string;
  readonly session: Session;
}

async function seeInFrame(
  world: DashboardWorld,
  { shop, endpoint, eventId, session }: Framed,
): Promise<void> {
  const { page, browser, harness } = world;
  const token = session.url.split('#')[1]!;
  await page.goto(shop.origin);
  const frame = page.frameLocator(`iframe[title="${TITLE}"]`);
  // The one channel of the session needs no list.
  await frame.getByRole('heading', { name: 'Shop of Ann' }).waitFor();
  await frame.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').first().waitFor();
  await browser.shoot('portal-framed');
  expect(await textOf(frame)).not.toContain('Bob');

  // What was sent, what came back, and once more.
  await frame.getByRole('link', { name: 'transaction.detected' }).click();
  await frame.getByText('Status 200').waitFor();
  await frame.getByText('thank you').waitFor();
  await frame.getByRole('region', { name: 'Request' }).locator('pre', { hasText: eventId }).waitFor();
  await browser.shoot('portal-framed-delivery');
  const before = endpoint.countOf(eventId);
  await frame.getByRole('button', { name: 'Redeliver' }).click();
  await harness.until(
    'the event to come again',
    60_000,
    async () => endpoint.countOf(eventId) === before + 1,
  );
  await frame.getByRole('button', { name: /^200/ }).nth(1).waitFor();
  const inner = page.frames().find((one) => one !== page.mainFrame())!;
  expect(inner.url()).toContain(`/ui/portal/${session.id}`);
  expect(await inner.evaluate<string>(READ_KEPT)).not.toContain(token);
  expect(browser.faults).toEqual([]);
}

/** Keeps what the page asks for; whoever calls the answer says that it was as it has to be. */
function watchCalls({ page }: DashboardWorld, token: string): () => Promise<void> {
  const requests: Request[] = [];
  const note = (request: Request): void => void requests.push(request);
  page.on('request', note);
  return async () => {
    page.off('request', note);
    const calls = requests.filter((request) => new URL(request.url()).pathname.startsWith('/v1/'));
    expect(calls.length).toBeGreaterThan(10);
    // The token goes with each call, and stands nowhere else; the dashboard's cookie, which this browser has, does not.
    for (const request of calls) {
      const { authorization, cookie } = await request.allHeaders();
      expect([request.url(), authorization, cookie]).toEqual([request.url(), `Bearer ${token}`, undefined]);
    }
    const told = requests.filter((request) => request.url().includes(token));
    expect(told.filter((request) => !request.isNavigationRequest())).toEqual([]);
  };
}

async function textOf(frame: FrameLocator): Promise<string> {
  return (await frame.locator('body').textContent()) ?? '';
}

/** As a page of its own: for everybody's eyes and hands. */
async function seeAlone(world: DashboardWorld, { url }: Session): Promise<void> {
  const { page } = world;
  await page.goto(url);
  await page.getByRole('table', { name: 'Deliveries' }).waitFor();
  expect(new URL(page.url()).hash).toBe('');
  const bytes = await world.browser.firstLoadBytes();
  expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
  // Scripts and styles are among them.
  expect(bytes).toBeGreaterThan(FIRST_LOAD_BYTES_MAX / 10);
  await page.getByText(/^This page is open for another [1-9] min\.$/).waitFor();
  const kept = await page.evaluate<string>(READ_KEPT);
  expect(kept).toContain('"sessionStorage":{');
  expect(kept).not.toContain(url.split('#')[1]);
  await world.inspect('portal');
  await page.getByRole('button', { name: 'Send test message' }).click();
  await page.getByText('Status 200').waitFor();
  await world.inspect('portal-delivery');
  await page.getByRole('link', { name: 'Shop of Ann' }).click();
  await page.getByRole('button', { name: 'Recover' }).click();
  await world.inspect('portal-recover');
  await world.press('Retry deliveries');
  await page.getByText(/deliveries are being resent/).waitFor();
  // The colors that the page around it wants.
  await page.goto('about:blank');
  await page.goto(`${url}&theme=dark`);
  await page.locator('html[data-theme=dark]').waitFor();
  expect(world.browser.faults).toEqual([]);
}

/** A page that the session does not name frames nothing. */
async function beBlocked({ page, browser }: DashboardWorld, stranger: Shop): Promise<void> {
  const said = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(stranger.origin);
  await said;
  const inner = page.frames().find((one) => one !== page.mainFrame());
  expect(inner?.url() ?? '').toMatch(/^(?:chrome-error:\/\/.*)?$/);
  expect(browser.faults.filter((fault) => !fault.includes('frame-ancestors'))).toEqual([]);
  browser.faults.splice(0);
}

async function seeItEnd(
  world: DashboardWorld,
  { shop, session }: Pick<Framed, 'shop' | 'session'>,
): Promise<void> {
  const { page, browser, harness } = world;
  await page.goto(shop.origin);
  const frame = page.frameLocator(`iframe[title="${TITLE}"]`);
  await frame.getByRole('table', { name: 'Deliveries' }).waitFor();
  browser.expected.add(401).add(404);
  await harness.db.query('UPDATE portal_sessions SET expires_at = now() WHERE id = $1', [session.id]);
  await frame.getByText('This page has expired').waitFor();
  expect(await textOf(frame)).not.toContain('Ann');
  await page.goto(session.url);
  await world.say('This page has expired');
  await world.inspect('portal-ended');
  browser.expected.delete(401);
  browser.expected.delete(404);
}
