import type { Socket } from 'node:net';
import type { Dial } from '@chainwatch/chain-core';
import { createSocketOpener } from './create-socket-opener.ts';

interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

type Connected = (...args: [error: null, socket: Socket] | [error: Error, socket: null]) => void;

/** A connector of undici that dials checked addresses only, for the health checks of the RPC gateway. */
export function createGuardedConnector(
  dial: Dial,
  { connectTimeoutMs }: { readonly connectTimeoutMs: number },
): (target: Target, callback: Connected) => void {
  const options = { dial, timeoutMs: connectTimeoutMs };
  const openers = {
    'http:': createSocketOpener({ ...options, isSecure: false }),
    'https:': createSocketOpener({ ...options, isSecure: true }),
  };
  return ({ protocol, hostname, port }, callback) => {
    const isSecure = protocol === 'https:';
    const open = openers[isSecure ? 'https:' : 'http:'];
    open(hostname.replace(/^\[|\]$/g, ''), Number(port) || (isSecure ? 443 : 80)).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
