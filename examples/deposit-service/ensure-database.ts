import pg from 'pg';
import { findLocalStack } from '../find-access.ts';

const NAME = 'deposit_service';
const DUPLICATE_DATABASE = '42P04';

/** DATABASE_URL; else a database of our own on the server of the local stack. */
export async function ensureDatabase(): Promise<string> {
  if (process.env.DATABASE_URL !== undefined) return process.env.DATABASE_URL;
  const stack = findLocalStack();
  if (stack === undefined) throw new Error('Start the local stack (npm start), or set DATABASE_URL.');
  const client = new pg.Client({ connectionString: stack.database_url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${NAME}`);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
  const url = new URL(stack.database_url);
  url.pathname = `/${NAME}`;
  return url.href;
}
