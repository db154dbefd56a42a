// SPDX-License-Identifier: Apache-2.0
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { setCookie, cookieNameOf, type ReplyCookie } from '@chainwatch/platform/http';
import { clientOf, type Limit } from '../auth/limit-requests.ts';
import { makePersonCookie, findCookie, openSealed } from '../auth/session-cookie.ts';
import type { ApiDeps } from '../api-deps.ts';
import { OidcClient, type OidcSettings, type SignInAttempt } from './oidc-client.ts';
import { SignInError } from './sign-in-error.ts';
import type { Sealer } from '@chainwatch/platform/secrets';

const CALLBACK = '/ui/oidc/callback';

interface OidcOptions {
  readonly settings: OidcSettings | undefined;
  readonly deps: Pick<ApiDeps, 'db' | 'sealer' | 'dial' | 'logger'>;
  readonly limit: Limit;
}

/**
 * The way of a browser to the operator's issuer and back, where one is configured. Whoever is refused comes to the sign-in
 * page with a reason of one word; the operator's log says more.
 */
export function serveOidc(options: OidcOptions): Router {
  const { settings, deps } = options;
  const router = Router({ caseSensitive: true, strict: true });
  if (settings === undefined) return router;
  const { issuer } = settings;
  const client = new OidcClient(settings, deps.dial);
  router.get('/ui/oidc/start', refusing(options, start));
  router.get(CALLBACK, refusing(options, comeBack));
  return router;

  async function start(req: Request, res: Response): Promise<void> {
    const { url, attempt } = await client.begin(`${req.protocol}://${req.host}${CALLBACK}`);
    setCookie(req, res, makeAttemptCookie(deps.sealer, { ...attempt, to: ownPage(req.query.to) }));
    res.redirect(303, url.href);
  }

  async function comeBack(req: Request, res: Response): Promise<void> {
    const attempt = findAttempt(deps.sealer, req.get('cookie'), req.secure);
    // An attempt counts once.
    setCookie(req, res, removedAttemptCookie());
    if (attempt === undefined)
      throw new SignInError('expired', 'expected a browser that began within 10 minutes, got another');
    const [, query = ''] = req.originalUrl.split(/\?(.*)/s);
    const email = await client.finish(query, attempt);
    const { rows } = await deps.db.query('SELECT FROM members WHERE email = $1 LIMIT 2', [email]);
    if (rows.length === 0)
      throw new SignInError('unknown_member', 'expected the address of a member, got one of nobody');
    setCookie(req, res, makePersonCookie(deps.sealer, { email, issuer }));
    // Who is in several workspaces says in which to act before anything is done in one.
    res.redirect(
      303,
      rows.length === 1 ? attempt.to : `/ui/workspaces?${new URLSearchParams({ to: attempt.to })}`,
    );
  }
}

/** Failures count against the client: each may cost the issuer a request. */
function refusing(
  { deps, limit }: OidcOptions,
  handle: (req: Request, res: Response) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    try {
      await handle(req, res);
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      deps.logger.warn({ err: error, reason: error.reason }, 'a sign-in was refused');
      await limit(res, { failedClient: clientOf(req) });
      res.redirect(303, `/ui/sign-in?${new URLSearchParams({ reason: error.reason })}`);
    }
  };
}

const HOME = '/ui/';
const ANYWHERE = 'http://dashboard.invalid';
/** It goes along in a cookie, of which browsers keep 4,096 bytes. */
const LENGTH_MAX = 1_024;

/** A page of the dashboard, wherever a link wanted to lead. */
export function ownPage(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > LENGTH_MAX || !URL.canParse(wanted, ANYWHERE))
    return HOME;
  const { origin, pathname, search } = new URL(wanted, ANYWHERE);
  const isOwn = origin === ANYWHERE && /^\/ui\/(?!oidc\/|sign-in)/.test(pathname);
  return isOwn ? `${pathname}${search}` : HOME;
}

const NAME = 'chainwatch_sign_in';
const CONTEXT = 'sign_in_attempt';
/** For a password, a second factor and a consent. */
const LIFETIME_MS = 600_000;

/** Kept by the browser that began, so that an answer that was meant for another one counts for nothing. */
interface SealedAttempt extends SignInAttempt {
  /** The page that wanted the sign-in. */
  readonly to: string;
  readonly until_ms: number;
}

function makeAttemptCookie(
  sealer: Pick<Sealer, 'seal'>,
  attempt: Omit<SealedAttempt, 'until_ms'>,
): ReplyCookie {
  const sealed: SealedAttempt = { ...attempt, until_ms: Date.now() + LIFETIME_MS };
  return cookieOf(sealer.seal(JSON.stringify(sealed), CONTEXT), LIFETIME_MS);
}

function removedAttemptCookie(): ReplyCookie {
  return cookieOf('', 0);
}

/** The issuer leads the browser here from its own site. */
function cookieOf(value: string, maxAgeMs: number): ReplyCookie {
  return { name: NAME, value, path: '/ui/oidc', maxAgeMs, isForArrivals: true };
}

/** Undefined where the browser has none that counts. */
function findAttempt(
  sealer: Pick<Sealer, 'open'>,
  header: string | undefined,
  isSecure: boolean,
): SealedAttempt | undefined {
  const sealed = findCookie(header, cookieNameOf(NAME, isSecure));
  return sealed === undefined ? undefined : openSealed<SealedAttempt>(sealer, sealed, CONTEXT);
}
