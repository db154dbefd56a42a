// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import {
  PRIMARY_SETTINGS,
  startStandby,
  startTcpProxy,
  waitFor,
  type PostgresHandle,
  type PostgresServerHandle,
  type TcpProxy,
} from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';

const NAME = 'standby';

/** A primary whose commits wait until its standby shows them, behind one address. */
export class PostgresPair {
  #own!: PostgresHandle;
  #primary!: PostgresServerHandle;
  #standby!: PostgresServerHandle;
  #address!: TcpProxy;

  /** As the services know it. */
  async open(): Promise<PostgresHandle> {
    this.#own = await startPostgres({ isOwn: true, settings: PRIMARY_SETTINGS });
    this.#primary = this.#own.server!;
    this.#address = await startTcpProxy(this.#primary.port);
    await this.#addStandby();
    const url = new URL(this.#own.url);
    url.port = String(this.#address.port);
    return {
      ...this.#own,
      url: url.href,
      serviceEnv: { DATABASE_URL: url.href },
      stop: async () => {
        await Promise.all([this.#standby.stop(), this.#primary.stop()]);
        await this.#address.stop();
      },
    };
  }

  /** The primary is gone: the standby takes its place and address. */
  async failOver(): Promise<void> {
    const gone = this.#primary;
    await gone.crash();
    this.#address.cut();
    await this.#standby.promote();
    this.#primary = this.#standby;
    this.#address.setTargets([this.#primary.port]);
    this.#address.mend();
    await gone.stop();
  }

  /** The new primary gets a standby, and waits for it from then on. */
  async repair(): Promise<void> {
    await this.#addStandby();
  }

  /** Commits wait until it is there again. */
  async restartStandby(): Promise<void> {
    await this.#standby.crash();
    await this.#standby.restart();
    await this.#waitForStandby();
  }

  async #addStandby(): Promise<void> {
    this.#standby = await startStandby(this.#primary, { name: NAME });
    await this.#ask(`ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`);
    await this.#ask(`ALTER SYSTEM SET synchronous_commit = 'remote_apply'`);
    await this.#ask('SELECT pg_reload_conf()');
    await this.#waitForStandby();
  }

  async #waitForStandby(): Promise<void> {
    await waitFor(
      async () =>
        (await this.#ask(
          `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'`,
        )) === 1,
      { message: 'the standby to be synchronous' },
    );
  }

  /** Of the primary itself; the number of rows. */
  async #ask(statement: string): Promise<number | null> {
    const client = new pg.Client({ connectionString: this.#primary.url });
    await client.connect();
    return (await client.query(statement).finally(() => client.end())).rowCount;
  }
}
