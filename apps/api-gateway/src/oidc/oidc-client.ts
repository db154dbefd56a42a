// SPDX-License-Identifier: Apache-2.0
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import type { Dial } from '@chainwatch/chain-core';
import { SignInError } from './sign-in-error.ts';
import { z } from 'zod';
import { emailSchema } from '../records/member.ts';
import { createHttpClient, type HttpResponse } from '@chainwatch/outbound';

export interface OidcSettings {
  /** As its metadata names it; `http:` on loopback alone. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  readonly clientSecret?: string | undefined;
  readonly scopes: string;
}

/** What an answer of the issuer is checked with; the browser that asked keeps it, sealed. */
export interface SignInAttempt {
  readonly redirect_uri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** How long the issuer's metadata counts. */
const METADATA_MS = 600_000;
const TIMEOUT_SECONDS = 10;

/**
 * Signs people in through the operator's issuer: authorization code with PKCE. The issuer is asked when the first person
 * wants in, so that one that is away stops nothing else.
 */
export class OidcClient {
  readonly #settings: OidcSettings;
  readonly #fetch: CustomFetch;
  #found: { readonly configuration: Promise<Configuration>; readonly untilMs: number } | undefined;

  constructor(settings: OidcSettings, dial: Dial) {
    this.#settings = settings;
    this.#fetch = createIssuerFetch(dial);
  }

  /** Where the browser goes, and what its answer will be checked with. @throws SignInError issuer_away */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }> {
    const configuration = await this.#discover();
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, attempt: { redirect_uri: redirectUri, state, nonce, verifier } };
  }

  /**
   * The verified address of the person who comes back.
   * @param query as it came with them
   * @throws SignInError
   */
  async finish(query: string, { redirect_uri, state, nonce, verifier }: SignInAttempt): Promise<string> {
    const configuration = await this.#discover();
    const url = new URL(redirect_uri);
    url.search = query;
    try {
      // Checks state, iss, the signature, issuer, audience, nonce and time.
      const tokens = await authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Issuers may tell the address to who asks with the access token alone (OpenID Connect Core 5.4).
      const isTold =
        claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
      return readVerifiedEmail(
        isTold ? claims : await fetchUserInfo(configuration, tokens.access_token, claims.sub),
      );
    } catch (error) {
      throw toSignInError(error);
    }
  }

  #discover(): Promise<Configuration> {
    if (this.#found === undefined || this.#found.untilMs <= Date.now()) {
      const configuration = this.#readMetadata();
      this.#found = { configuration, untilMs: Date.now() + METADATA_MS };
      configuration.catch(() => {
        if (this.#found?.configuration === configuration) this.#found = undefined;
      });
    }
    return this.#found.configuration;
  }

  async #readMetadata(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const server = new URL(issuer);
    try {
      const configuration = await discovery(server, clientId, {}, chooseClientAuth(clientSecret), {
        [customFetch]: this.#fetch,
        timeout: TIMEOUT_SECONDS,
        execute: [
          enableNonRepudiationChecks,
          ...(server.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      });
      const told = configuration.serverMetadata().issuer;
      // openid-client accepts some issuers on behalf of all their tenants. Any tenant could then vouch for any address.
      if (new URL(told).href !== server.href)
        throw new TypeError(`expected metadata of ${server.href}, got those of ${told}`);
      return configuration;
    } catch (error) {
      throw new SignInError(
        'issuer_away',
        `the metadata of ${server.host} could not be read: ${textOf(error)}`,
      );
    }
  }
}

/** In the header where the issuer says nothing or knows it (OpenID Connect Core 9), else in the body. */
function chooseClientAuth(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

function toSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  if (error instanceof AuthorizationResponseError)
    return error.error === 'access_denied'
      ? new SignInError('cancelled', 'the person declined at the issuer')
      : new SignInError('refused', `the issuer answered ${textOf(error)}`);
  if (isOfNetwork(error))
    return new SignInError('issuer_away', `the issuer was not reached: ${textOf(error)}`);
  return new SignInError(
    'refused',
    `expected an answer of the issuer that can be verified: ${textOf(error)}`,
  );
}

/** Errors of the library have a code, those of fetch none. */
function isOfNetwork(error: unknown): boolean {
  const { name, code } = error as Error & { readonly code?: string };
  return code === undefined ? name === 'TypeError' : ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(code);
}

/** No deeper than the first cause: those behind it hold claims, codes and bodies. */
function textOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return JSON.stringify(error.error.slice(0, 64));
  const { message, cause } = error as Error & { readonly cause?: { readonly message?: unknown } };
  return typeof cause?.message === 'string' ? `${message}: ${cause.message}` : message;
}

/**
 * Checked before it is lower-cased: otherwise the Kelvin sign would become a k and match somebody else's address.
 */
const claimsSchema = z.object({
  email: z.email().max(254),
  email_verified: z.literal(true),
});

/** The address that the issuer vouches for, in lower case as members have it. @throws SignInError */
function readVerifiedEmail(claims: object): string {
  const read = claimsSchema.safeParse(claims);
  if (read.success) return emailSchema.parse(read.data.email);
  const names = read.error.issues.map(({ path }) => String(path[0]));
  throw new SignInError(
    'unverified_email',
    `expected email and email_verified: true among the issuer's claims, got others in ${[...new Set(names)].join(', ')}`,
  );
}

const CONNECT_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 10_000;
/** Metadata, keys and tokens of known issuers have some kilobytes. */
const BODY_BYTES_MAX = 1_048_576;

/** Asks the issuer at checked addresses alone (OUTBOUND_ALLOW), follows no redirect, and reads no endless body. */
function createIssuerFetch(dial: Dial): CustomFetch {
  const client = createHttpClient({ dial, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  return async (url, { method, headers, body, signal = AbortSignal.timeout(TIMEOUT_MS) }) => {
    const request = new Request(url, { method, headers, body: body as RequestInit['body'] });
    try {
      const response = await client.request({
        url,
        method,
        headers: { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' },
        body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
        signal,
      });
      return await readResponse(response);
    } catch (error) {
      if (signal?.aborted || error instanceof TypeError) throw error;
      // As fetch does.
      throw new TypeError('the issuer did not answer', { cause: error });
    }
  };
}

async function readResponse({ status, headers, body }: HttpResponse): Promise<Response> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX)
      throw new TypeError(`expected at most ${BODY_BYTES_MAX} bytes from the issuer, got more`);
    chunks.push(chunk);
  }
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
  return new Response(length === 0 ? null : Buffer.concat(chunks), { status, headers: fields });
}
