// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClient,
  ProblemError,
  type Chainwatch,
  type ChainwatchEvent,
  type EventItem,
  webhooks,
} from '@chainwatch/sdk';
import { Webhook } from 'standardwebhooks';
import { chainwatchWebhook } from '@chainwatch/sdk/express';
import type { Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { startApiStack, type ApiStack } from '../start-api-stack.ts';
import { holdLock } from '../faults/hold-lock.ts';
import type { Services } from '../services.ts';

/** The SDK against the services as they run in production: what it promises has to hold while they fail. */
const RATE_LIMIT = 40;
let stack: ApiStack;
let db: Database;
let services: Services;
let baseUrl: string;
let project: Bootstrap;
let client: Chainwatch;

beforeAll(async () => {
  stack = await startApiStack({ RATE_LIMIT_API: String(RATE_LIMIT), STATEMENT_TIMEOUT: '1s' });
  ({ apiUrl: baseUrl, db, services } = stack);
});
afterAll(() => stack.stop());
beforeEach(async () => {
  project = await bootstrap(db, { label: 'svc' });
  client = createClient({ baseUrl, apiKey: project.keys.api });
});

let told = 0;
async function insertEvents(count: number, projectId = project.projectId): Promise<string[]> {
  const eventIds = Array.from({ length: count }, () => randomUUID());
  for (const eventId of eventIds) {
    told += 1;
    const payload = JSON.stringify({ event_id: eventId, type: 'balance.changed', data: {} });
    await db.query(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES ($1, $2, 'eip155:31337', 'balance.changed', $3, 'balance.changed', $4)`,
      [eventId, projectId, told, payload],
    );
  }
  return eventIds;
}

const valueOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;

describe('lists', () => {
  it('are iterated by cursors: rows that come and go meanwhile neither hide one nor show one twice', async () => {
    const addresses = Array.from({ length: 25 }, (_, index) => ({ value: valueOf(index + 1_000) }));
    const { items } = await client.addresses.import({ chain_family: 'evm', addresses });
    expect(items.map(({ status }) => status)).toEqual(addresses.map(() => 'created'));
    const first = await client.addresses.list({ limit: 10, sort_by: 'created_at' });
    expect([first.items.length, first.meta.total]).toEqual([10, 25]);
    const seen: string[] = [];
    for await (const { address } of client.addresses.list({ limit: 10, sort_by: 'created_at' })) {
      seen.push(address.toLowerCase());
      // The page that is shown loses a row that was seen.
      if (seen.length === 5) await client.addresses.delete(valueOf(1_000));
      if (seen.length === 12)
        await client.addresses.createExternal({ value: valueOf(5_000), chain_family: 'evm' });
    }
    expect(seen).toEqual([...addresses.map(({ value }) => value), valueOf(5_000)]);
  });
});

describe('events', () => {
  it('are streamed through a SIGKILL of the gateway: each once, in order, none missed', async () => {
    const abort = new AbortController();
    const seen: EventItem[] = [];
    const cuts: Error[] = [];
    const expected = await insertEvents(3);
    const reading = (async () => {
      const stream = client.events.stream({
        after: 0,
        signal: abort.signal,
        onReconnect: (error) => cuts.push(error),
      });
      for await (const event of stream) seen.push(event);
    })();
    const waitForAll = (): Promise<unknown> =>
      waitFor(() => seen.length >= expected.length, {
        message: () => `${seen.length} of ${expected.length} events, ${cuts.length} cuts`,
      });
    await waitForAll();
    for (let kill = 0; kill < 2; kill += 1) {
      await services.kill('api-gateway');
      expected.push(...(await insertEvents(5)));
      await services.restart('api-gateway');
      await services.waitReady('api-gateway');
      expected.push(...(await insertEvents(5)));
      await waitForAll();
    }
    abort.abort();
    await reading;
    expect(cuts.length).toBeGreaterThanOrEqual(2);
    expect(seen.map(({ event_id: id }) => id)).toEqual(expected);
    const positions = seen.map(({ position }) => position!);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const polled: string[] = [];
    for await (const { event_id: id } of client.events.poll({ after: positions[4]! })) polled.push(id);
    expect(polled).toEqual(expected.slice(5));
  });

  it('without a position begin now, and what comes while the gateway is away is not missed', async () => {
    await insertEvents(2);
    const told = client.events.poll({ after: 0, intervalMs: 50 });
    for await (const { position } of told) if (position === 2) break;
    const abort = new AbortController();
    const seen: string[] = [];
    let isOpen = false;
    const watched = createClient({
      baseUrl,
      apiKey: project.keys.api,
      fetch: async (...input) => {
        const response = await fetch(...input);
        isOpen = response.ok;
        return response;
      },
    });
    const reading = (async () => {
      for await (const event of watched.events.stream({ signal: abort.signal })) seen.push(event.event_id);
    })();
    await waitFor(() => isOpen);
    await services.kill('api-gateway');
    const expected = await insertEvents(3);
    await services.restart('api-gateway');
    await waitFor(() => seen.length >= 3, { message: () => `${seen.length} of 3 events` });
    abort.abort();
    await reading;
    expect(seen).toEqual(expected);
  });

  it('end with the key, and with a position that is kept no longer', async () => {
    const other = createClient({ baseUrl, apiKey: `${project.keys.api.slice(0, -1)}_` });
    const error = await other.events
      .stream({ after: 0 })
      .next()
      .catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
  });
});

describe('retries', () => {
  const realSetTimeout = globalThis.setTimeout;
  afterEach(() => {
    globalThis.setTimeout = realSetTimeout;
  });

  /** Answers by status, and what each wait was, cut short. */
  function watch(): {
    readonly statuses: number[];
    readonly waits: number[];
    readonly client: Chainwatch;
  } {
    const statuses: number[] = [];
    const waits: number[] = [];
    // Of the whole process: others pass arguments.
    globalThis.setTimeout = ((run: () => void, ms = 0, ...args: []) => {
      if (statuses.at(-1) === 429) waits.push(ms);
      return realSetTimeout(run, Math.min(ms, 2_000), ...args);
    }) as typeof setTimeout;
    const watched = createClient({
      baseUrl,
      apiKey: project.keys.api,
      fetch: async (...input) => {
        const response = await fetch(...input);
        statuses.push(response.status);
        return response;
      },
    });
    return { statuses, waits, client: watched };
  }

  it('429 waits until the limit is whole, and PATCH is told of it at once', async () => {
    const { address } = await client.addresses.createExternal({ value: valueOf(9), chain_family: 'evm' });
    let reset = 0;
    const useUp = async (): Promise<void> => {
      for (let isLimited = false; !isLimited; ) {
        const responses = await Promise.all(
          Array.from({ length: 50 }, () =>
            fetch(`${baseUrl}/version`, { headers: { 'x-api-key': project.keys.api } }),
          ),
        );
        isLimited = responses.some(({ status }) => status === 429);
        reset = Number(responses.at(-1)!.headers.get('x-ratelimit-reset')) * 1_000 - Date.now();
      }
    };
    const { statuses, waits, client: watched } = watch();
    /** One request more may be allowed in each 1.5 s: what was not refused is asked again. */
    const askUntilRefused = async (ask: () => Promise<unknown>): Promise<void> => {
      do {
        await useUp();
        statuses.length = 0;
        await ask();
      } while (statuses[0] !== 429);
    };
    await askUntilRefused(async () => {
      const problem = await watched.addresses.update(address, { label: 'x' }).catch((one: unknown) => one);
      expect(statuses).toHaveLength(1);
      if (statuses[0] === 429) expect(problem).toMatchObject({ code: 'rate-limit' });
    });
    await askUntilRefused(() => watched.version.get());
    expect(statuses.at(-1)).toBe(200);
    // What the server said, not the second of a backoff; up to the seconds that it is rounded to.
    expect(waits.filter((ms) => Math.abs(ms - reset) < 5_000)).not.toEqual([]);
    expect(reset).toBeGreaterThan(40_000);
  });

  it('503 comes again until the database answers, and a POST is carried out once', async () => {
    const { statuses, client: watched } = watch();
    const lock = await holdLock(stack.postgresUrl, 'LOCK TABLE addresses IN ACCESS EXCLUSIVE MODE', []);
    const created = watched.addresses.createExternal({ value: valueOf(7), chain_family: 'evm' });
    await waitFor(() => statuses.includes(503), { message: () => `a 503 in ${statuses.join()}` });
    await lock.release();
    expect((await created).address.toLowerCase()).toBe(valueOf(7));
    expect(statuses.at(-1)).toBe(201);
    expect((await client.addresses.list()).meta.total).toBe(1);
  });

  it('a POST whose answers were lost is carried out once', async () => {
    let lost = 0;
    const unlucky = createClient({
      baseUrl,
      apiKey: project.keys.api,
      fetch: async (...input) => {
        const response = await fetch(...input);
        if (lost++ < 2) throw new TypeError('the connection was cut');
        return response;
      },
    });
    const key = await unlucky.addresses.createExternal({ value: valueOf(8), chain_family: 'evm' });
    expect(key.address.toLowerCase()).toBe(valueOf(8));
    await expect(
      client.addresses.createExternal({ value: valueOf(8), chain_family: 'evm' }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('problems are told with their fields', async () => {
    const error = await client.addresses
      .createExternal({ value: 'no address', chain_family: 'evm' })
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      code: 'invalid-request',
      fields: [{ name: 'value', reason: expect.any(String) }],
    });
  });
});

describe('webhooks', () => {
  it('are unwrapped as the notifier signs them: with the old secret and the new one during a rotation, then with the new one', async () => {
    const events: ChainwatchEvent[] = [];
    const errors: unknown[] = [];
    let secrets: string[] = [];
    const server = createServer(
      chainwatchWebhook({
        secrets: () => secrets,
        handle: (event) => events.push(event),
        onError: (error) => errors.push(error),
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const channel = await client.notificationChannels.createWebhook({
      name: 'sdk',
      url: `http://127.0.0.1:${port}/`,
    });
    const test = async (): Promise<void> => {
      const before = events.length + errors.length;
      await client.notificationChannels.test(channel.id, { event_type: 'transaction.confirmed' });
      await waitFor(() => events.length + errors.length > before);
    };
    const old = channel.webhook_secret!;
    secrets = [old];
    await test();
    const { webhook_secret: next } = await client.notificationChannels.rotateWebhookSecret(channel.id);
    await test();
    secrets = [next];
    await test();
    await client.notificationChannels.deletePreviousSecret(channel.id);
    await test();
    expect(events.map(({ type, is_test_message: isTest }) => [type, isTest])).toEqual(
      Array.from({ length: 4 }, () => ['transaction.confirmed', true]),
    );
    secrets = [old];
    await test();
    expect(errors).toEqual([expect.objectContaining({ reason: 'signature_mismatch' })]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('with standard_webhooks are verified by the library of Standard Webhooks, too', async () => {
    const deliveries: { body: string; headers: Record<string, string> }[] = [];
    const server = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk) => (body += String(chunk)));
      req.on('end', () => {
        deliveries.push({ body, headers: req.headers as Record<string, string> });
        res.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { id, webhook_secret: secret } = await client.notificationChannels.createWebhook({
      name: 'standard',
      url: `http://127.0.0.1:${port}/`,
      standard_webhooks: true,
    });
    await client.notificationChannels.test(id);
    await waitFor(() => deliveries.length === 1);
    const { webhook_secret: next } = await client.notificationChannels.rotateWebhookSecret(id);
    await client.notificationChannels.test(id);
    await waitFor(() => deliveries.length === 2);
    const [before, during] = deliveries;
    for (const [delivery, key] of [
      [before!, secret!],
      [during!, secret!],
      [during!, next],
    ] as const) {
      const event = new Webhook(key, { format: 'raw' }).verify(delivery.body, delivery.headers);
      expect(event).toMatchObject({ event_id: delivery.headers['webhook-id'], is_test_message: true });
      await webhooks.unwrap(delivery.body, delivery.headers, key);
    }
    await new Promise((resolve) => server.close(resolve));
  });
});
