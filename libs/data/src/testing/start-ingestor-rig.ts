// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endpointContext } from '@chainwatch/chain-core';
import { createDatabase, type Database } from '../db/index.ts';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import { findFreePort, startNats, waitFor } from '@chainwatch/testing';
import { startPostgres } from './start-postgres.ts';

interface RigChain {
  /** CAIP-2. */
  readonly gid: string;
  readonly endpointUrl: string;
  /** By the name of the interface, as the family declares it. */
  readonly otherUrls?: Readonly<Record<string, string>>;
}

export interface FeedRow {
  readonly seq: number;
  readonly type: string;
  readonly number: number;
  readonly hash: string;
}

export interface StateRow {
  readonly head_number: number;
  readonly head_hash: string;
  readonly status: string;
  readonly reason: string | null;
}

/** What specs of `main.ts` of an ingestor see of its processes. */
export interface IngestorRig {
  readonly db: Database;
  /** One more process. */
  start(): Promise<ChildProcess>;
  /** @param gid default: the first chain */
  readState(gid?: string): Promise<StateRow | undefined>;
  /** The feed of the first chain, in its order. */
  readFeed(): Promise<FeedRow[]>;
  /** Resolves when the head of the first chain's feed is this block. */
  waitForHead(hash: string): Promise<void>;
  stop(): Promise<void>;
}

const SECRETS_KEYS = `k:${Buffer.alloc(32, 7).toString('base64')}`;

/** A database with active chains, and a bus, for processes of an ingestor. @param main URL of its `main.ts` */
export async function startIngestorRig(
  main: URL,
  family: string,
  chains: readonly [RigChain, ...RigChain[]],
): Promise<IngestorRig> {
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  const db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  for (const chain of chains) await insertChain(db, family, chain);
  const { gid: firstGid } = chains[0];
  const services: ChildProcess[] = [];
  const readState = async (gid = firstGid) =>
    (await db.query<StateRow>('SELECT * FROM ingestor_states WHERE chain_gid = $1', [gid])).rows[0];
  return {
    db,
    readState,
    start: async () => {
      const service = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(main)], {
        stdio: 'ignore',
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          DATABASE_URL: postgres.url,
          NATS_URL: nats.url,
          HEALTH_PORT: String(await findFreePort()),
          SECRETS_KEYS,
          OUTBOUND_ALLOW: '127.0.0.0/8',
        },
      });
      services.push(service);
      return service;
    },
    readFeed: async () =>
      (await db.query<FeedRow>('SELECT * FROM chain_feed WHERE chain_gid = $1 ORDER BY seq', [firstGid]))
        .rows,
    waitForHead: async (hash) => {
      let state: StateRow | undefined;
      await waitFor(
        async () => {
          state = await readState();
          return state?.head_hash === hash;
        },
        { message: () => `head ${hash}, got ${JSON.stringify(state)}` },
      );
    },
    stop: async () => {
      for (const service of services) service.kill('SIGKILL');
      await db.close();
      await Promise.all([postgres.stop(), nats.stop()]);
    },
  };
}

async function insertChain(
  db: Database,
  family: string,
  { gid, endpointUrl, otherUrls = {} }: RigChain,
): Promise<void> {
  const sealer = createSealer(parseSecretsKeys(SECRETS_KEYS));
  const others = Object.entries(otherUrls).map(
    ([name, url]) => [name, sealer.seal(url, endpointContext(gid, name))] as const,
  );
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed, other_endpoints_sealed)
     VALUES ($1, $2, $1, $1, '', true, $3, $4)`,
    [gid, family, sealer.seal(endpointUrl, endpointContext(gid)), JSON.stringify(Object.fromEntries(others))],
  );
}
