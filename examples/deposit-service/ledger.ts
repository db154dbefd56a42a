import pg from 'pg';
import type { ChainwatchEvent } from '@chainwatch/sdk';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS customers (
  id text PRIMARY KEY,
  address text NOT NULL UNIQUE
);
-- The newest word about each transaction.
CREATE TABLE IF NOT EXISTS transactions (
  chain_gid text NOT NULL,
  hash text NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (chain_gid, hash)
);
-- Rows are added, never changed: a deposit that a reorg took back has a second row with the negative amount.
CREATE TABLE IF NOT EXISTS entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain_gid text NOT NULL,
  hash text NOT NULL,
  address text NOT NULL,
  asset_gid text NOT NULL,
  amount numeric NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS entries_of_address ON entries (address, asset_gid);
CREATE INDEX IF NOT EXISTS entries_of_transaction ON entries (chain_gid, hash);
CREATE TABLE IF NOT EXISTS settings (
  name text PRIMARY KEY,
  value jsonb NOT NULL
);`;

export interface Customer {
  readonly id: string;
  readonly address: string;
  /** Decimal strings by asset. */
  readonly balances: Readonly<Record<string, string>>;
}

/** What customers own, in PostgreSQL. */
export class Ledger {
  readonly #pool: pg.Pool;

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  static async open(databaseUrl: string): Promise<Ledger> {
    const pool = new pg.Pool({ connectionString: databaseUrl });
    // An idle connection that the server closed: the next query opens another one.
    pool.on('error', () => undefined);
    await pool.query(SCHEMA);
    return new Ledger(pool);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async addCustomer(id: string, address: string): Promise<void> {
    await this.#pool.query(
      'INSERT INTO customers (id, address) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
      [id, address],
    );
  }

  async findCustomer(id: string): Promise<Customer | undefined> {
    const { rows } = await this.#pool.query<{ address: string; asset_gid: string | null; amount: string }>(
      `SELECT address, asset_gid, trim_scale(sum(amount))::text AS amount
       FROM customers LEFT JOIN entries USING (address) WHERE customers.id = $1 GROUP BY address, asset_gid`,
      [id],
    );
    if (rows[0] === undefined) return undefined;
    const balances = rows.flatMap((row) => (row.asset_gid === null ? [] : [[row.asset_gid, row.amount]]));
    return { id, address: rows[0].address, balances: Object.fromEntries(balances) };
  }

  /**
   * Credits what a confirmed transaction brought, and takes back what a reorg took away. An event may come again, late,
   * or after a newer one of its transaction: the sequence decides, in one database transaction with the entries.
   *
   * @returns whether it was news
   */
  async apply(event: ChainwatchEvent): Promise<boolean> {
    if (event.is_test_message) return false;
    if (event.type !== 'transaction.confirmed' && event.type !== 'transaction.reorged') return false;
    const { transaction, balance_changes: changes } = event.data;
    const { chain_gid: chain, hash } = transaction;
    const received = changes.filter(({ delta }) => delta !== null && !delta.startsWith('-'));
    return this.#inTransaction(async (client) => {
      const { rowCount } = await client.query(
        `INSERT INTO transactions AS known (chain_gid, hash, sequence) VALUES ($1, $2, $3)
         ON CONFLICT (chain_gid, hash) DO UPDATE SET sequence = EXCLUDED.sequence WHERE known.sequence < EXCLUDED.sequence`,
        [chain, hash, event.sequence],
      );
      if (rowCount === 0) return false;
      await client.query(
        `INSERT INTO entries (chain_gid, hash, address, asset_gid, amount)
         SELECT chain_gid, hash, address, asset_gid, -sum(amount) FROM entries
         WHERE chain_gid = $1 AND hash = $2 GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0`,
        [chain, hash],
      );
      for (const { address, asset_gid: asset, delta } of event.type === 'transaction.confirmed'
        ? received
        : [])
        await client.query(
          'INSERT INTO entries (chain_gid, hash, address, asset_gid, amount) VALUES ($1, $2, $3, $4, $5)',
          [chain, hash, address, asset, delta],
        );
      return true;
    });
  }

  async readSetting<T>(name: string): Promise<T | undefined> {
    const { rows } = await this.#pool.query<{ value: T }>('SELECT value FROM settings WHERE name = $1', [
      name,
    ]);
    return rows[0]?.value;
  }

  async writeSetting(name: string, value: object): Promise<void> {
    await this.#pool.query(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value',
      [name, JSON.stringify(value)],
    );
  }

  async #inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Its transaction ends with the connection.
      client.release(true);
      throw error;
    }
  }
}
