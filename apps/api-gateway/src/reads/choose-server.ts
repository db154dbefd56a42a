// SPDX-License-Identifier: Apache-2.0
import type { Cache } from '@chainwatch/platform/cache';
import type { RouteCall, RouteReply } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import { ProblemError } from '@chainwatch/common/problem';
import { counter } from '@chainwatch/platform/telemetry';
import type { ApiDeps } from '../api-deps.ts';
import type { Standby } from './open-standby.ts';

type Call = RouteCall<ApiDeps, Principal>;
type CarryOut = (call: Call) => Promise<RouteReply>;

export interface ReadOptions {
  readonly standby: Standby | undefined;
  readonly writes: Pick<Cache, 'noteWrite' | 'mayHaveWritten'>;
}

/** Why the primary answers: `problem` and `failed` are of a standby that was asked, the first by its data. */
type Obstacle = 'no_cache' | 'unusable' | 'own_write' | 'problem' | 'failed';

/** Tells the age of an answer, by the clock of the database; one without it is current. */
export const DATA_AS_OF = 'X-Data-As-Of';

/** What is left until a note of a write is there, and the clocks of its expiry. */
const NOTE_MARGIN_MS = 1_000;

const requests = counter('chainwatch_standby_requests_total', {
  description:
    'Requests that a standby may answer, by outcome: read from it; or from the primary, and why that.',
});

/**
 * Where a request reads. A route that declares it is answered by a standby, unless the caller asks for a current answer, has
 * written lately, or the standby is not usable. Whatever a standby does not answer with success, the primary answers: no
 * client meets an error because of the standby, and none of a state that is over.
 */
export function chooseServer({
  standby,
  writes,
}: ReadOptions): (call: Call, carryOut: CarryOut) => Promise<RouteReply> {
  if (standby === undefined) return (call, carryOut) => carryOut(call);
  const ttlSeconds = (standby.stalenessMs + NOTE_MARGIN_MS) / 1_000;
  /** A portal session shows what its key wrote, and the other way round. */
  const writesOf = ({ principal: { portal, keyId } }: Call) =>
    (portal === undefined ? [keyId] : [portal.sessionId, keyId]).map((caller) => ({ caller, ttlSeconds }));
  const write = async (call: Call, carryOut: CarryOut): Promise<RouteReply> => {
    try {
      return await carryOut(call);
    } finally {
      // Before the answer, whatever that is: what failed may have been carried out.
      const noted = await Promise.all(writesOf(call).map((one) => writes.noteWrite(one)));
      if (noted.includes(false)) await standby.watch.untilShown();
    }
  };
  const read = async (call: Call, carryOut: CarryOut): Promise<RouteReply> => {
    const answer = await answerFrom(call);
    requests.add(1, { outcome: typeof answer === 'string' ? answer : 'read' });
    return typeof answer === 'string' ? carryOut(call) : answer;
  };
  /** The standby's answer, or why there is none. */
  const answerFrom = async (call: Call): Promise<RouteReply | Obstacle> => {
    if (asksForCurrent(call)) return 'no_cache';
    if (standby.watch.find() === undefined) return 'unusable';
    const written = await Promise.all(writesOf(call).map((one) => writes.mayHaveWritten(one)));
    if (written.includes(true)) return 'own_write';
    return readStandby(standby, call);
  };
  return (call, carryOut) => {
    if (call.route.method !== 'GET') return write(call, carryOut);
    return readsStandby(call) ? read(call, carryOut) : carryOut(call);
  };
}

function readsStandby({ route: { reads }, query }: Call): boolean {
  return (typeof reads === 'function' ? reads(query) : reads) === 'standby';
}

/** RFC 9111, section 5.2.1.4. */
function asksForCurrent({ req }: Call): boolean {
  return /(^|[\s,])no-cache([\s,=]|$)/i.test(req.get('cache-control') ?? '');
}

async function readStandby({ db, prisma, watch }: Standby, call: Call): Promise<RouteReply | Obstacle> {
  const proof = watch.find();
  if (proof === undefined) return 'unusable';
  try {
    const reply = await call.run({ ...call.deps, db, prisma, primary: call.deps });
    // Two servers may each have shown another state. A stream reads on at another one anyway (read-on.ts), and has taken places
    // that only its end gives back.
    if (reply.stream === undefined && (watch.find() ?? proof).server !== proof.server) return 'failed';
    return { ...reply, headers: { ...reply.headers, [DATA_AS_OF]: proof.at.toISOString() } };
  } catch (error) {
    return error instanceof ProblemError ? 'problem' : 'failed';
  }
}
