// SPDX-License-Identifier: Apache-2.0
/** Where Redis is: one server, a cluster, or the master that sentinels name. */
export type RedisAddress =
  | { readonly type: 'server'; readonly url: string }
  | (Servers & { readonly type: 'cluster' })
  | (Servers & {
      readonly type: 'sentinel';
      /** The name of the master at the sentinels. */
      readonly master: string;
      readonly database: number;
      /** What the sentinels ask for themselves. */
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    });

interface Servers {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly isTls: boolean;
  readonly username?: string;
  readonly password?: string;
}

const SEVERAL =
  /^(?<scheme>rediss?)\+(?<type>cluster|sentinel):\/\/(?:(?<user>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const DEFAULT_PORT = { cluster: 6_379, sentinel: 26_379 };

/**
 * `redis://host:6379/0`, `redis+cluster://user:password@host:6379,host:6379`, or
 * `redis+sentinel://user:password@host:26379,host:26379/master/0?sentinel_password=…`; `rediss` for TLS. Undefined for other
 * text.
 */
export function parseRedisUrl(text: string): RedisAddress | undefined {
  if (/^rediss?:\/\//.test(text)) return URL.canParse(text) ? { type: 'server', url: text } : undefined;
  const { scheme, type, user = '', hosts = '', path = '', query = '' } = SEVERAL.exec(text)?.groups ?? {};
  if (type !== 'cluster' && type !== 'sentinel') return undefined;
  try {
    const [username, password] = user.includes(':') ? splitAt(user, ':') : [user, ''];
    const servers = {
      hosts: hosts.split(',').map((host) => parseHost(host.trim(), DEFAULT_PORT[type])),
      isTls: scheme === 'rediss',
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    };
    if (type === 'cluster') return path === '' && query === '' ? { type, ...servers } : undefined;
    return findSentinel(servers, path, new URLSearchParams(query));
  } catch {
    return undefined;
  }
}

function findSentinel(servers: Servers, path: string, query: URLSearchParams): RedisAddress | undefined {
  const [master = '', database = '0', ...others] = path.split('/');
  if (master === '' || !/^\d{1,3}$/.test(database) || others.length > 0) return undefined;
  if ([...query.keys()].some((name) => name !== 'sentinel_username' && name !== 'sentinel_password'))
    return undefined;
  const [sentinelUsername, sentinelPassword] = [
    query.get('sentinel_username'),
    query.get('sentinel_password'),
  ];
  return {
    type: 'sentinel',
    ...servers,
    master: decodeURIComponent(master),
    database: Number(database),
    ...(sentinelUsername !== null && { sentinelUsername }),
    ...(sentinelPassword !== null && { sentinelPassword }),
  };
}

/** @throws TypeError for what is no host */
function parseHost(text: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new TypeError('expected a host');
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}
