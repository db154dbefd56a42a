import type { Logger } from '@chainwatch/telemetry';
import type { Bus } from '@chainwatch/bus';
import type { Dial } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import type { PrismaClient } from '@chainwatch/db/prisma';
import type { KeyStore } from '@chainwatch/key-store';
import type { Sealer } from '@chainwatch/secrets';
import type { ChainRecords } from '../chains/chain-records.ts';

/** What the handlers work with. */
export interface ApiDeps {
  /** Raw SQL where one statement or one transaction must say it all. */
  readonly db: Database;
  /** Lists, look-ups and simple writes. */
  readonly prisma: PrismaClient;
  /** Records of chains, kept for a moment. */
  readonly chains: ChainRecords;
  readonly bus: Pick<Bus<'api-gateway'>, 'publish'>;
  readonly sealer: Sealer;
  /** Of this replica: the bus tells the others. */
  readonly keys: Pick<KeyStore, 'revoke'>;
  /** Guarded: node URLs and webhook URLs come from customers. */
  readonly dial: Dial;
  readonly logger: Pick<Logger, 'warn'>;
  readonly settings: ApiSettings;
}

export interface ApiSettings {
  /** Of the key and secret prefixes, `svc`. */
  readonly namespaceLabel: string;
  /** Whether webhook URLs may be http. */
  readonly allowHttpWebhooks: boolean;
  /** Endpoints that configuration gives, by CAIP-2 id; used behind the stored one. */
  readonly chainEndpoints: Readonly<Record<string, readonly string[]>>;
  /** A node that is asked while the client waits has that long. */
  readonly nodeTimeoutMs: number;
  readonly version: VersionInfo;
}

export interface VersionInfo {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
  readonly builtAt: string;
}
