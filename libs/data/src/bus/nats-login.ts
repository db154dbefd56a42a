// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import {
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
  type Authenticator,
  type ConnectionOptions,
} from '@nats-io/transport-node';

/** Files of a service's own login. They are read again for each connection, so that they may be rotated. */
export interface NatsFiles {
  /** JWT and seed, as `nsc generate creds` writes them. */
  readonly credsFile?: string | undefined;
  /** A user's seed (`SU…`). Counts where there is no `credsFile`. */
  readonly nkeySeedFile?: string | undefined;
  /** Authority of the servers' certificates. Default: those that Node knows. */
  readonly caFile?: string | undefined;
  /** The client's certificate and its key, where servers verify clients. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

const DEFAULT_PORT = 4222;

type Login = Pick<ConnectionOptions, 'servers' | 'authenticator' | 'reconnectToServer' | 'tls'>;

/**
 * What the client needs to log in. Each server gets the user and password, or the token, of its own URL. A server whose URL
 * has none, or that the cluster announced, gets the file's login, else that of the first URL. `tls://` and each of the files of
 * TLS demand TLS of every server.
 */
export function createNatsLogin(servers: readonly string[], files: NatsFiles): Login {
  const urls = servers.map((server) => new URL(server.includes('://') ? server : `nats://${server}`));
  const fromFile = readFileLogin(files);
  const first = urls.map(readUrlLogin).find((login) => login !== undefined);
  const logins = new Map(urls.map((url) => [hostOf(url), readUrlLogin(url)]));
  let host = '';
  return {
    servers: urls.map((url) => `${url.protocol}//${url.host}`),
    // The client asks before each attempt and would take the first: whoever logs in has to know which one it is.
    reconnectToServer: ([next]) => {
      if (next !== undefined) host = hostOf(next);
      return next ?? null;
    },
    authenticator: (nonce) => (logins.get(host) ?? fromFile ?? first)?.(nonce),
    tls: readTls(urls, files),
  };
}

/** A URL keeps the brackets of an IPv6 address, the client does not. */
export function hostOf({
  hostname,
  port,
}: {
  readonly hostname: string;
  readonly port: number | string;
}): string {
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || DEFAULT_PORT}`;
}

function readUrlLogin({ username, password }: URL): Authenticator | undefined {
  if (username === '') return undefined;
  const user = decodeURIComponent(username);
  return password === ''
    ? tokenAuthenticator(user)
    : usernamePasswordAuthenticator(user, decodeURIComponent(password));
}

function readFileLogin({ credsFile, nkeySeedFile }: NatsFiles): Authenticator | undefined {
  if (credsFile !== undefined) return credsAuthenticator(() => readFileSync(credsFile));
  if (nkeySeedFile === undefined) return undefined;
  return nkeyAuthenticator(() => new TextEncoder().encode(readFileSync(nkeySeedFile, 'utf8').trim()));
}

function readTls(urls: readonly URL[], { caFile, certFile, keyFile }: NatsFiles): ConnectionOptions['tls'] {
  const files = { caFile, certFile, keyFile };
  const isAsked = Object.values(files).some((file) => file !== undefined);
  return isAsked || urls.some(({ protocol }) => protocol === 'tls:') ? files : undefined;
}
