// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { stateDir } from '@chainwatch/testing/host';
import type { NodeUrls } from '../../devnet/local-node.ts';

export interface StackKeys {
  readonly api: string;
  readonly rpc: string;
  readonly management: string;
}

/** Keys and addresses of everything that runs, for people, scripts and tests. */
export interface StackFile {
  readonly api_url: string;
  readonly rpc_url: string;
  readonly dashboard_url: string;
  readonly docs_url: string;
  /** Gives away coins of the local chains; undefined without them. */
  readonly playground_url: string | undefined;
  readonly keys: StackKeys;
  readonly nats_url: string;
  readonly database_url: string;
  readonly redis_url: string;
  readonly chains: Readonly<Record<string, NodeUrls>>;
}

const stackFilePath = join(stateDir, 'stack.json');

/** What the stack made up for itself and needs again at the next start. */
interface StackSecrets {
  readonly postgres_password: string;
  /** `kid:base64`, see SECRETS_KEYS. */
  readonly secrets_keys: string;
  /** Base64, see STATEMENT_KEY. */
  readonly statement_key: string;
}

export function findStackFile(): StackFile | undefined {
  return readJson<StackFile>(stackFilePath);
}

export function writeStackFile(content: StackFile): void {
  writePrivate(stackFilePath, content);
}

export function loadSecrets(): StackSecrets {
  const path = join(stateDir, 'secrets.json');
  // A stack of an earlier release has fewer.
  const known = readJson<Partial<StackSecrets>>(path);
  const made: StackSecrets = {
    postgres_password: randomBytes(18).toString('hex'),
    secrets_keys: `local:${randomBytes(32).toString('base64')}`,
    statement_key: randomBytes(32).toString('base64'),
    ...known,
  };
  if (known?.statement_key !== undefined) return made;
  writePrivate(path, made);
  return made;
}

function readJson<T>(path: string): T | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

/** Readable by this user alone; replaced at once, so that nobody reads half of it. */
function writePrivate(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, path);
}
