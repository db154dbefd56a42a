// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { startNats, startRedis, waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import type { Bootstrap } from '../../db/src/bootstrap.ts';
import { Project } from './project.ts';
import { Receiver } from './receiver.ts';
import { ScratchServices } from './scratch-services.ts';
import { freePort } from './services.ts';

const run = promisify(execFile);

/** Services of a scratch repository with the servers that they need, and a project that hears of its payments. */
export class ScratchStack {
  readonly receiver = new Receiver();
  services!: ScratchServices;
  keys!: Bootstrap['keys'];
  project!: Project;
  readonly #stops: (() => Promise<unknown>)[] = [];

  /** @param ingestor of the family whose chain is followed */
  async start(dir: string, ingestor: string): Promise<void> {
    const [postgres, nats, redis] = await Promise.all([
      startPostgres(),
      startNats(),
      startRedis(),
      this.receiver.start(),
    ]);
    this.#stops.push(postgres.stop, nats.stop, redis.stop, () => this.receiver.stop());
    const port = await freePort();
    const env = {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      PORT: String(port),
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      LOG_LEVEL: 'warn',
    };
    this.services = new ScratchServices(dir, env);
    const apps = ['api-gateway', ingestor, 'tx-analyzer', 'balance-service', 'notifier'];
    // The scratch repository's: a key may change the chains of its families.
    const bootstrap = run(process.execPath, ['--import', 'tsx', 'tools/db/src/bootstrap.ts'], {
      cwd: dir,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    const [{ stdout }] = await Promise.all([bootstrap, ...apps.map((app) => this.services.start(app))]);
    const { projectId, keys } = JSON.parse(stdout) as Bootstrap;
    this.keys = keys;
    this.project = new Project(projectId, `http://127.0.0.1:${port}/v1`, keys.api);
    const channel = await this.ask<{ webhook_secret: string }>(201, {
      method: 'POST',
      path: '/notification_channels/webhook',
      body: {
        name: 'scratch',
        url: this.receiver.url,
        event_types: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
      },
    });
    this.receiver.secrets.set(projectId, channel.webhook_secret);
  }

  async stop(): Promise<void> {
    await this.services?.stop();
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  async ask<T>(
    status: number,
    { method, path, body }: { readonly method: string; readonly path: string; readonly body?: object },
  ): Promise<T> {
    const answer = await this.project.request(method, path, body);
    expect([method, path, answer.status, answer.body]).toEqual([method, path, status, answer.body]);
    return answer.body as T;
  }

  /** Until an event of each of these types has come. */
  async waitForEvents(...types: readonly string[]): Promise<void> {
    const events = (): { type: string }[] => [...this.receiver.events.values()];
    for (const wanted of types)
      await waitFor(() => events().some(({ type }) => type === wanted), {
        message: () => `${wanted}, got ${JSON.stringify(events())} ${this.services.output.join('')}`,
      });
    expect(this.receiver.faults).toEqual([]);
  }
}
