// SPDX-License-Identifier: Apache-2.0
import type { BulkThreads } from './bulk/bulk-threads.ts';
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Bus } from '@chainwatch/data/bus';
import type { Cache } from '@chainwatch/platform/cache';
import type { Dial } from '@chainwatch/chain-core';
import type { UpgradeBook } from '@chainwatch/chain-registry';
import type { Database } from '@chainwatch/data/db';
import type { PrismaClient } from '@chainwatch/data/prisma';
import type { KeyStore } from '@chainwatch/data/key-store';
import type { ProblemContext } from '@chainwatch/common/problem';
import type { Sealer } from '@chainwatch/platform/secrets';
import type { StatementWorker } from './statements/statement-worker.ts';
import type { ChainRecords } from './chains/chain-records.ts';
import type { NetworkFollower } from './networks/follow-networks.ts';
import type { EventFeeds } from './events/event-feeds.ts';
import type { Exports } from './lists/exports.ts';
import type { Source } from './reads/read-on.ts';

/** The dependencies of the handlers. */
export interface ApiDeps {
  /** Raw SQL, for a single statement or a transaction. */
  readonly db: Database;
  /** Lists, look-ups and simple writes. */
  readonly prisma: PrismaClient;
  /** Of a request that a standby answers, whose `db` and `prisma` are: those of the primary (reads/read-on.ts). */
  readonly primary?: Source;
  /** Chain records, cached briefly. */
  readonly chains: ChainRecords;
  /** The known networks of this replica. */
  readonly networks: Pick<NetworkFollower, 'refresh'>;
  readonly bus: Pick<Bus<'api-gateway'>, 'publish'>;
  /** Counts what may not be asked too often. */
  readonly cache: Pick<Cache, 'consumeToken' | 'holdSlot' | 'freeSlot'>;
  readonly sealer: Sealer;
  /** The key store of this replica; the other replicas are told over the bus. */
  readonly keys: Pick<KeyStore, 'revoke'>;
  /** Carries large bodies out beside the requests of others. */
  readonly bulk: Pick<BulkThreads, 'importAddresses'>;
  /** The open streams of events of this replica. */
  readonly feeds: Pick<EventFeeds, 'enter' | 'serve'>;
  /** Answers with whole lists. */
  readonly exports: Pick<Exports, 'answer' | 'download'>;
  /** Writes statements; undefined: the installation has no key to sign them with. */
  readonly statements: Pick<StatementWorker, 'call'> | undefined;
  /** Guarded, because node URLs and webhook URLs come from customers. */
  readonly dial: Dial;
  readonly logger: Pick<Logger, 'warn'>;
  readonly settings: ApiSettings;
}

export interface ApiSettings {
  /** The label in key and secret prefixes, `svc`. */
  readonly namespaceLabel: string;
  /** Whether webhook URLs may be http. */
  readonly allowHttpWebhooks: boolean;
  /** Options that differ from the defaults of a channel kind, by kind. */
  readonly channelOptions: Readonly<Record<string, object>>;
  /** Endpoints from the configuration, by CAIP-2 id; used after the stored one. */
  readonly chainEndpoints: Readonly<Record<string, readonly string[]>>;
  /** The calendar of upgrades. */
  readonly upgrades: UpgradeBook;
  /** Time-out of a node that is asked while the client waits. */
  readonly nodeTimeoutMs: number;
  readonly version: VersionInfo;
  /** Roots of the problem types of items. */
  readonly uris: Pick<ProblemContext, 'docsUrl' | 'apiHost'>;
  /** Where people reach the service; default: where they asked. */
  readonly publicUrl?: string | undefined;
  /** What the dashboard calls beside the API. */
  readonly rpcUrl?: string | undefined;
  readonly playgroundUrl?: string | undefined;
}

export interface VersionInfo {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
  readonly builtAt: string;
}
