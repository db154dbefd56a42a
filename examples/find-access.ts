import { existsSync, readFileSync } from 'node:fs';

/** What `npm start` left in the repository. */
interface LocalStack {
  readonly api_url: string;
  readonly keys: { readonly api: string };
  readonly database_url: string;
  readonly nats_url: string;
}

const STACK_FILE = new URL('../.chainwatch/stack.json', import.meta.url);

/** Undefined where no local stack was started here. */
export function findLocalStack(): LocalStack | undefined {
  return existsSync(STACK_FILE) ? (JSON.parse(readFileSync(STACK_FILE, 'utf8')) as LocalStack) : undefined;
}

/** Where the API is and whose key: from the environment, else of the local stack. */
export function findAccess(): { readonly baseUrl: string; readonly apiKey: string } {
  const stack = findLocalStack();
  const baseUrl = process.env.CHAINWATCH_API_URL ?? stack?.api_url;
  const apiKey = process.env.CHAINWATCH_API_KEY ?? stack?.keys.api;
  if (baseUrl === undefined || apiKey === undefined)
    throw new Error('Start the local stack (npm start), or set CHAINWATCH_API_URL and CHAINWATCH_API_KEY.');
  return { baseUrl, apiKey };
}
