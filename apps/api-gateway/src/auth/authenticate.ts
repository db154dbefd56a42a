// SPDX-License-Identifier: Apache-2.0
import type { Request, RequestHandler, Response } from 'express';
import {
  findPortalToken,
  isOperatorPermission,
  isPermission,
  isPortalToken,
  parseApiKey,
} from '@chainwatch/common/api-key';
import type { KeyStore, Principal } from '@chainwatch/data/key-store';
import { forbidden, unauthorized } from '@chainwatch/common/problem';
import type { ApiRoute } from '../define-route.ts';
import type { FindPortal } from './find-portal.ts';
import type { FindSession } from './find-session.ts';
import { keyTypeOf } from './key-type-of.ts';
import { clientOf } from './limit-requests.ts';
import type { Limit } from './limit-requests.ts';

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  /** Asked where a request brings no key. */
  readonly findSession: FindSession;
  /** Asked for the token of a portal session, which no key or cookie comes with. */
  readonly findPortal: FindPortal;
  readonly namespaceLabel: string;
  /**
   * Counts the request against its key, or the failure against its client. Sets the X-RateLimit headers. @throws
   * ProblemError 429
   */
  readonly limit: Limit;
}

/**
 * Authenticates a request. The key's checksum is checked before any look-up, so that guesses cost no query. @throws
 * ProblemError 401, 429
 */
export function authenticate({
  keys,
  findSession,
  findPortal,
  namespaceLabel,
  limit,
}: AuthenticateOptions): RequestHandler {
  const find = async <T>(asked: Promise<T>, req: Request, res: Response): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      // The database is away, so the owner of the key is unknown.
      await limit(res, { publicClient: clientOf(req) });
      throw error;
    }
  };
  const refuse = async (req: Request, res: Response, detail: string): Promise<never> => {
    await limit(res, { failedClient: clientOf(req) });
    throw unauthorized(detail);
  };
  const findSlowly = async (key: string, req: Request, res: Response): Promise<Principal> => {
    const parsed = parseApiKey(key, namespaceLabel);
    const principal = parsed.ok ? await find(keys.findPrincipal(parsed.key), req, res) : undefined;
    return principal ?? refuse(req, res, 'The API key is invalid.');
  };
  const enterWithCookie: RequestHandler = async (req, res, next) => {
    const session = await findSession(req, (key) => find(keys.findPrincipal(key), req, res));
    if (session === 'none') return refuse(req, res, 'The X-Api-Key header is missing.');
    if (session === 'invalid')
      return refuse(req, res, 'The session has ended or belongs to another page: sign in again.');
    res.locals.principal = session.principal;
    res.locals.ownerSecret = session.ownerSecret;
    // What it may not act on counts, too.
    await limit(res, session.principal);
    next(session.refusal);
  };
  const enterWithPortal = async (token: string, req: Request, res: Response): Promise<void> => {
    const isToken = isPortalToken(token, namespaceLabel);
    const portal = isToken ? await find(findPortal(token), req, res) : undefined;
    if (portal === undefined) return refuse(req, res, 'The portal session has ended: a new one is needed.');
    res.locals.principal = portal;
    res.locals.ownerSecret = token;
    // It takes nothing from the limit of the key that made it.
    await limit(res, { keyId: portal.portal.sessionId, keyType: portal.keyType });
  };
  // A promise is made only if somebody must be asked.
  return (req, res, next) => {
    const key = req.get('x-api-key');
    if (key === undefined) {
      const token = findPortalToken(req.get('authorization'), namespaceLabel);
      if (token === undefined) return enterWithCookie(req, res, next);
      return enterWithPortal(token, req, res).then(() => next());
    }
    const go = (principal: Principal): void | Promise<void> => {
      res.locals.principal = principal;
      res.locals.ownerSecret = key;
      return limit(res, principal)?.then(() => next()) ?? next();
    };
    const cached = keys.findCached(key);
    return cached ? go(cached) : findSlowly(key, req, res).then(go);
  };
}

/** What seals for the caller of a request alone: the key it came with, or what only its session has. */
export function ownerSecretOf(res: Response): string {
  return res.locals.ownerSecret as string;
}

/**
 * Returns the caller of a route, if it may use the route. @throws ProblemError 403
 * @throws TypeError when the table is built, if a route names no permission
 */
export function authorizerOf({
  method,
  path,
  permission,
  isForPortals = false,
}: Pick<ApiRoute, 'method' | 'path' | 'permission' | 'isForPortals'>): (res: Response) => Principal {
  if (permission !== 'any' && !isPermission(permission))
    throw new TypeError(`${method} ${path}: expected a permission, got ${String(permission)}`);
  const keyType = permission === 'any' ? undefined : keyTypeOf(permission);
  const isForOperators = permission !== 'any' && isOperatorPermission(permission);
  return (res) => {
    const principal = res.locals.principal as Principal;
    if (principal.portal !== undefined && !isForPortals)
      throw forbidden('A portal session is for its channels and their deliveries, and for nothing else.');
    if (permission === 'any') return principal;
    if (principal.keyType !== keyType)
      throw forbidden(
        `This key is not a key of the ${keyType === 'mgt' ? 'management interface' : 'platform API'}.`,
      );
    if (!principal.permissions.includes(permission))
      throw forbidden(`The ${nameCaller(principal)} does not have the permission ${permission}.`);
    // The key may have been made before the rule that forbids this permission.
    if (isForOperators && !principal.isOperator)
      throw forbidden(`The permission ${permission} counts for keys of the operator's workspace only.`);
    return principal;
  };
}

function nameCaller({ portal, member }: Principal): string {
  if (portal !== undefined) return 'portal session';
  return member === undefined ? 'API key' : `role ${member.role}`;
}
