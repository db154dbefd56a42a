// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@chainwatch/testing';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { findDisagreements } from '../compare.ts';
import { Fleet, type Service } from '../fleet.ts';
import { Harness, type PlayScript } from '../harness.ts';
import { Random } from '../random.ts';
import { freePort } from '../services.ts';
import type { TestChain, Watched } from '../test-chain.ts';
import { findClientFaults } from './find-client-faults.ts';
import { startApiClients, startRpcClients, type GatewayClients } from './gateway-clients.ts';

export interface RolloutProof<C extends TestChain> {
  readonly chain: C;
  readonly playScript: PlayScript<C>;
  readonly services: readonly Service[];
}

const SEED = Number(process.env['SOAK_SEED'] ?? 777);
/** How often each service is replaced. */
const ROUNDS = Number(process.env['ROLLOUT_ROUNDS'] ?? 1);
/** Between two steps of the history. */
const STEP_MS = 200;
/** As in the manifests, where it is the default. */
const DRAIN_DELAY = '5s';

/** Rolling updates as Kubernetes does them, under load: a new replica that is ready, then SIGTERM to the old one. */
export function describeRollout<C extends TestChain>(proof: RolloutProof<C>): void {
  describe('a rolling update', () => {
    const rig = new Rig(proof);
    beforeAll(() => rig.start());
    afterAll(() => rig.stop());

    it.each(proof.services)(
      'of %s loses nothing, refuses nobody and tells nothing twice',
      async (service) => {
        await rig.play(async () => {
          for (let round = 0; round < ROUNDS; round += 1) await rig.roll(service);
        });
        expect(await rig.findFaults()).toEqual([]);
      },
    );
  });
}

/** What runs, and who talks to it. */
class Rig<C extends TestChain> {
  readonly #proof: RolloutProof<C>;
  readonly #harness: Harness<C>;
  readonly #fleet: Fleet;
  readonly #random = new Random(SEED);
  #clients: GatewayClients[] = [];
  /** Whose channel is renamed, and who calls nodes. */
  #other!: Bootstrap;
  #channelId = '';
  #rpcUrl: string | undefined;
  #watched: Watched[] = [];

  constructor(proof: RolloutProof<C>) {
    this.#proof = proof;
    this.#harness = new Harness(proof.chain, {
      balance: (port) => this.#fleet.adopt('api-gateway', port),
      env: { DRAIN_DELAY, RATE_LIMIT_RPC: '1000000' },
    });
    this.#fleet = new Fleet(() => this.#harness.services);
  }

  async start(): Promise<void> {
    await this.#harness.start();
    const { services, serviceNames, db, receiver, apiUrl } = this.#harness;
    for (const name of serviceNames) if (name !== 'api-gateway') await this.#fleet.adopt(name as Service);
    this.#other = await bootstrap(db, { label: 'svc' });
    const made = await fetch(`${apiUrl}/notification_channels/webhook`, {
      method: 'POST',
      headers: { 'x-api-key': this.#other.keys.api, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'name 0', url: receiver.url, event_types: ['transaction.detected'] }),
    });
    this.#channelId = ((await made.json()) as { id: string }).id;
    if (!this.#proof.services.includes('rpc-proxy')) return;
    const port = await freePort();
    await services.start(['rpc-proxy'], { PORT: String(port) });
    this.#rpcUrl = `http://127.0.0.1:${await this.#fleet.adopt('rpc-proxy', port)}/${this.#proof.chain.gid}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((clients) => clients.stop()));
    await this.#harness.stop();
    await this.#fleet.stop();
  }

  /** Plays a random history and asks the gateways while `work` is done. */
  async play(work: () => Promise<void>): Promise<void> {
    this.#clients = this.#startClients();
    let isOver = false;
    const playing = this.#proof.playScript(this.#harness, this.#random, {
      get steps() {
        return isOver ? 0 : Number.POSITIVE_INFINITY;
      },
      reorgDepthMax: 3,
      disturb: () => delay(STEP_MS),
    });
    try {
      await Promise.race([work(), playing]);
    } finally {
      isOver = true;
      this.#watched.push(...(await playing));
    }
    await this.#harness.settle();
    await this.#waitForReaders();
    await Promise.all(this.#clients.map((clients) => clients.stop()));
  }

  /** Starts a replica, waits until it is used, and tells the old one to stop. */
  async roll(service: Service): Promise<void> {
    const [old] = this.#fleet.replicasOf(service);
    await this.#fleet.add(service);
    await this.#waitForUse();
    const askedAt = performance.now();
    expect([old!.name, await this.#fleet.retire(old!)]).toEqual([old!.name, 0]);
    console.log(`${old!.name} ended ${Math.round(performance.now() - askedAt)} ms after SIGTERM`);
    await this.#waitForUse();
  }

  async findFaults(): Promise<string[]> {
    const { project, receiver, db } = this.#harness;
    const faults = await findDisagreements(this.#harness, project, this.#watched);
    for (const { eventId, type, deliveryIds } of receiver.events.values())
      if (deliveryIds.length > 1)
        faults.push(`event ${eventId} (${type}) was delivered ${deliveryIds.length} times`);
    const { rows: events } = await db.query<{ event_id: string }>(
      'SELECT e.event_id FROM event_positions p JOIN event_log e ON e.id = p.event_row_id WHERE p.project_id = $1 ORDER BY p.position',
      [project.id],
    );
    const { rows: channels } = await db.query<{ name: string }>(
      'SELECT name FROM notification_channels WHERE id = $1',
      [this.#channelId],
    );
    const eventIds = events.map((row) => row.event_id);
    for (const clients of this.#clients)
      faults.push(...findClientFaults(clients, { eventIds, written: channels[0]!.name }));
    return faults;
  }

  #startClients(): GatewayClients[] {
    const { apiUrl, project } = this.#harness;
    const { api, rpc } = this.#other.keys;
    const reader = { url: apiUrl, key: project.key };
    return [
      startApiClients(reader, { url: apiUrl, key: api }, this.#channelId),
      ...(this.#rpcUrl === undefined ? [] : [startRpcClients({ url: this.#rpcUrl, key: rpc })]),
    ];
  }

  /** Until everybody has got something anew. */
  async #waitForUse(): Promise<void> {
    const count = (): number[] => [
      this.#harness.receiver.events.size,
      ...this.#clients.flatMap(({ http, sockets }) => [
        ...http.map(({ answers }) => answers),
        ...(sockets === undefined ? [] : [sockets.heads.size]),
      ]),
    ];
    const before = count();
    await waitFor(() => count().every((now, index) => now > before[index]!), {
      message: () => `everybody to get something: ${before.join()} → ${count().join()}`,
    });
  }

  async #waitForReaders(): Promise<void> {
    const { db, project } = this.#harness;
    const readers = this.#clients.flatMap((clients) => clients.readers);
    await waitFor(
      async () => {
        const { rows } = await db.query<{ last: number; left: number }>(
          'SELECT (SELECT count(*) FROM unpositioned_events) AS left, last_position AS last FROM project_positions WHERE project_id = $1',
          [project.id],
        );
        return rows[0]?.left === 0 && readers.every((reader) => reader.lastPosition === rows[0]!.last);
      },
      { message: () => `readers to arrive, at ${readers.map((reader) => reader.lastPosition).join()}` },
    );
  }
}
