import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What `npm start` leaves for scripts: `.chainwatch/stack.json` in the repository. */
export interface LocalStack {
  readonly api_url: string;
  readonly keys: { readonly api: string; readonly management: string };
  readonly chains: Readonly<Record<string, unknown>>;
}

/** Of the folder or one above it. */
export function findLocalStack(directory = process.cwd()): LocalStack | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, '.chainwatch', 'stack.json');
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as LocalStack;
    if (dirname(folder) === folder) return undefined;
  }
}
