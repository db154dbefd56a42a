// SPDX-License-Identifier: Apache-2.0
import { generateKeyPair } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Configuration, JWK, Provider } from 'oidc-provider';

/** What the issuer says of the people who have an account, by the name that they sign in with. */
export type Accounts = Map<string, { readonly email: string; readonly email_verified: boolean }>;

interface IssuerOptions {
  readonly client: { readonly id: string; readonly secret: string };
  readonly accounts: Accounts;
  /** Default true: the address stands in the id token, too, not with the issuer alone. */
  readonly tellsInToken?: boolean;
}

export interface IssuerHandle {
  readonly url: string;
  /** Where the client may be called back; to be told before the first sign-in. */
  redirectTo(uri: string): Promise<void>;
  /** Requests that came so far, `POST /token`. */
  readonly requests: string[];
  stop(): Promise<void>;
}

const SCOPES = 'openid email';

/** It warns of a store in memory and of an older Node.js, which are enough for specs. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
  const { console: terminal } = globalThis;
  const { warn } = terminal;
  terminal.warn = () => undefined;
  try {
    return await work();
  } finally {
    terminal.warn = warn;
  }
}

/** A real OpenID provider, with a page that asks for the name of an account and believes it. */
export async function startIssuer(options: IssuerOptions): Promise<IssuerHandle> {
  const { Provider } = await quietly(() => import('oidc-provider'));
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'spec' } as JWK;
  const requests: string[] = [];
  const redirectUris: string[] = [];
  let handle: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => res.writeHead(503).end();
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${req.url!.split('?', 1)[0]}`);
    handle(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // Another site than 127.0.0.1, as a browser sees it.
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    async redirectTo(uri) {
      redirectUris.push(uri);
      const provider = await quietly(() => new Provider(url, configure(options, redirectUris, key)));
      const answer = provider.callback();
      handle = (req, res) =>
        void (req.url!.startsWith('/account') ? askForAccount(provider, req, res) : answer(req, res));
    },
    stop: () => close(server),
  };
}

function configure(
  { client, accounts, tellsInToken = true }: IssuerOptions,
  redirectUris: readonly string[],
  key: JWK,
): Configuration {
  return {
    clients: [
      { client_id: client.id, client_secret: client.secret, redirect_uris: [...redirectUris], scope: SCOPES },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['spec'] },
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: !tellsInToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/account/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, ...accounts.get(sub) }),
    }),
    // Nobody is asked whether the client may know the address.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      });
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
  };
}

async function askForAccount(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') {
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    res.end(
      `<!doctype html><html lang="en"><title>Issuer</title><link rel="icon" href="data:,"><form method="post">` +
        `<label>Account <input name="account"></label><button>Continue</button><button name="no" value="1">Cancel</button></form></html>`,
    );
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const result = form.has('no')
    ? { error: 'access_denied' }
    : { login: { accountId: form.get('account') ?? '' } };
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
