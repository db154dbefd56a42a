import type { Request, RequestHandler, Response } from 'express';
import { isOperatorPermission, isPermission, parseApiKey } from '@chainwatch/api-key';
import type { KeyStore, Principal } from '@chainwatch/key-store';
import { forbidden, unauthorized } from '@chainwatch/problem';
import type { ApiRoute } from '../server/define-route.ts';
import { clientOf } from './client-of.ts';
import { keyTypeOf } from './key-type-of.ts';
import type { Limit } from './limit-requests.ts';

export interface AuthenticateOptions {
  readonly keys: KeyStore;
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
export function authenticate({ keys, namespaceLabel, limit }: AuthenticateOptions): RequestHandler {
  const findPrincipal = async (key: string, req: Request, res: Response): Promise<Principal | undefined> => {
    try {
      return await keys.findPrincipal(key);
    } catch (error) {
      // The database is away, so the owner of the key is unknown.
      await limit(res, { publicClient: clientOf(req) });
      throw error;
    }
  };
  const findSlowly = async (key: string | undefined, req: Request, res: Response): Promise<Principal> => {
    const parsed = parseApiKey(key, namespaceLabel);
    const principal = parsed.ok ? await findPrincipal(parsed.key, req, res) : undefined;
    if (principal) return principal;
    await limit(res, { failedClient: clientOf(req) });
    throw unauthorized(key === undefined ? 'The X-Api-Key header is missing.' : 'The API key is invalid.');
  };
  // A promise is made only if somebody must be asked.
  return (req, res, next) => {
    const go = (principal: Principal): void | Promise<void> => {
      res.locals.principal = principal;
      return limit(res, principal)?.then(() => next()) ?? next();
    };
    const key = req.get('x-api-key');
    const cached = key === undefined ? undefined : keys.findCached(key);
    return cached ? go(cached) : findSlowly(key, req, res).then(go);
  };
}

/**
 * Returns the caller of a route, if it may use the route. @throws ProblemError 403
 * @throws TypeError when the table is built, if a route names no permission
 */
export function authorizerOf({
  method,
  path,
  permission,
}: Pick<ApiRoute, 'method' | 'path' | 'permission'>): (res: Response) => Principal {
  if (permission !== 'any' && !isPermission(permission))
    throw new TypeError(`${method} ${path}: expected a permission, got ${String(permission)}`);
  const keyType = permission === 'any' ? undefined : keyTypeOf(permission);
  return (res) => {
    const principal = res.locals.principal as Principal;
    if (permission === 'any') return principal;
    if (principal.keyType !== keyType)
      throw forbidden(
        `This key is not a key of the ${keyType === 'mgt' ? 'management interface' : 'platform API'}.`,
      );
    if (!principal.permissions.includes(permission))
      throw forbidden(`The API key does not have the permission ${permission}.`);
    // The key may have been made before the rule that forbids this permission.
    if (!principal.isOperator && isOperatorPermission(permission))
      throw forbidden(`The permission ${permission} counts for keys of the operator's workspace only.`);
    return principal;
  };
}
