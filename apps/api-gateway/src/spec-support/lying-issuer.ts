// SPDX-License-Identifier: Apache-2.0
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Readonly<Record<string, unknown>>;

/** What the next sign-in gets; what is absent is as an honest issuer has it. */
export interface Lies {
  readonly header?: Claims;
  readonly claims?: Claims;
  readonly sign?: 'other_key' | 'secret' | 'nothing' | 'something_else';
  readonly metadata?: Claims;
  readonly userinfo?: Claims;
  readonly token?: (idToken: string) => {
    readonly status?: number;
    readonly type?: string;
    readonly body: string;
  };
}

export interface LyingIssuer {
  readonly url: string;
  lies: Lies;
  /** Of the sign-in that is under way: the page of the issuer knows it. */
  nonce: string;
  /** Written before each answer. */
  interim: string;
  /** A second request on a connection is not answered, and ends it. */
  closesKept: boolean;
  /** Forms that its token endpoint got. */
  readonly grants: URLSearchParams[];
  stop(): Promise<void>;
}

export const CLIENT = { id: 'dashboard', secret: 'a secret of the client' };

const textOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** One pair for every issuer of a spec: each takes half a second to make. */
const makePair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [mine, other] = [makePair(), makePair()];

/** An issuer that signs whatever it is told to: the library must not believe it because it has answered. */
export async function startLyingIssuer(): Promise<LyingIssuer> {
  const used = new WeakSet<object>();
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { lies } = issuer;
    if (issuer.closesKept && used.has(req.socket)) return void req.socket.destroy();
    used.add(req.socket);
    req.socket.write(issuer.interim);
    const path = req.url!.split('?', 1)[0];
    if (path === '/.well-known/openid-configuration')
      return send(res, { ...describe(issuer.url), ...lies.metadata });
    if (path === '/jwks')
      return send(res, { keys: [{ ...mine.publicKey.export({ format: 'jwk' }), kid: 'mine', use: 'sig' }] });
    if (path === '/userinfo') return send(res, lies.userinfo ?? {});
    issuer.grants.push(new URLSearchParams(Buffer.concat(chunks).toString()));
    const idToken = writeIdToken(issuer, { mine: mine.privateKey, other: other.privateKey });
    const {
      status = 200,
      type = 'application/json',
      body,
    } = lies.token?.(idToken) ?? {
      body: JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: idToken }),
    };
    res.writeHead(status, { 'Content-Type': type }).end(body);
  };
  const server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer: LyingIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lies: {},
    nonce: '',
    interim: '',
    closesKept: false,
    grants: [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

function send(res: ServerResponse, body: unknown): void {
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function describe(url: string): Claims {
  return {
    issuer: url,
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
  };
}

function writeIdToken(
  { url, lies, nonce }: LyingIssuer,
  keys: { mine: KeyObject; other: KeyObject },
): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: url,
    aud: CLIENT.id,
    sub: '1',
    nonce,
    iat: now,
    exp: now + 300,
    email: 'ada@example.com',
    email_verified: true,
    ...lies.claims,
  };
  const signed = `${textOf({ alg: 'RS256', kid: 'mine', ...lies.header })}.${textOf(claims)}`;
  const bySecret = createHmac('sha256', CLIENT.secret).update(signed).digest('base64url');
  const byKey = (key: KeyObject, text = signed) =>
    sign('RSA-SHA256', Buffer.from(text), key).toString('base64url');
  const signature = {
    honest: () => byKey(keys.mine),
    other_key: () => byKey(keys.other),
    secret: () => bySecret,
    nothing: () => '',
    something_else: () => byKey(keys.mine, `${signed}x`),
  }[lies.sign ?? 'honest']();
  return `${signed}.${signature}`;
}
