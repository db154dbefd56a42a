// SPDX-License-Identifier: Apache-2.0
import type { RouteCall, RouteReply } from '@chainwatch/http';
import type { Principal } from '@chainwatch/key-store';
import { ProblemError, conflict, invalidRequest, unprocessableEntity } from '@chainwatch/problem';
import { createOwnerSealer } from '@chainwatch/secrets';
import { ownerSecretOf } from '../auth/authenticate.ts';
import type { ApiDeps } from '../server/api-deps.ts';
import { openAnswer, sealAnswer } from './answers.ts';
import { claimRequest } from './claim-request.ts';
import type { Claim } from './claim-request.ts';
import { fingerprintOf } from './fingerprint-of.ts';

type Call = RouteCall<ApiDeps, Principal>;

/**
 * Wraps every handler. A POST with an Idempotency-Key is carried out once; each repetition within 24 hours gets the
 * same answer (decisions.md §8). A failure on our side (5xx) and a limit (429) leave nothing behind, and the request may be
 * sent again.
 *
 * @throws ProblemError 409 while the first request runs, 422 if the key was used for a different request
 */
export function carryOutOnce(call: Call): Promise<RouteReply> {
  return call.route.method === 'POST' ? carryOutPost(call) : call.run(call.deps);
}

async function carryOutPost(call: Call): Promise<RouteReply> {
  const text = parseIdempotencyKey(call.req.get('idempotency-key'));
  if (text === undefined) return call.run(call.deps);
  // Sealed with the caller's key, because the answer may contain a secret that is stored nowhere else.
  const sealer = createOwnerSealer(ownerSecretOf(call.res), `idempotency ${text}`);
  const request = {
    apiKeyId: call.principal.keyId,
    keyHash: sealer.fingerprint('key'),
    fingerprint: sealer.fingerprint(fingerprintOf(call.req)),
  };
  const found = await claimRequest(call.deps.db, request);
  switch (found.type) {
    case 'claimed':
      return runClaimed(call, found.claim, (answer) => sealAnswer(sealer, answer));
    case 'running':
      throw new ProblemError('conflict', {
        detail: 'A request with this Idempotency-Key is being carried out at the moment.',
        headers: { 'Retry-After': '1' },
      });
    case 'carried_out':
      throw conflict(
        'The request with this Idempotency-Key was carried out, but its answer was lost. It will not be carried out again.',
      );
    case 'other_request':
      throw unprocessableEntity(
        'This Idempotency-Key was used for another request; expected the same path and body.',
      );
    case 'answered':
      call.res.setHeader('Idempotency-Replayed', 'true');
      return openAnswer(sealer, found.answer);
  }
}

const ACCEPTED_KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws ProblemError 400 */
function parseIdempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || ACCEPTED_KEY.test(text)) return text;
  const got = text === '' ? 'nothing' : text.length > 255 ? `${text.length} characters` : 'other characters';
  throw invalidRequest([
    { name: 'Idempotency-Key', reason: `expected 1 to 255 printable ASCII characters, got ${got}` },
  ]);
}

async function runClaimed(
  { deps, route, run }: Call,
  claim: Claim,
  seal: (answer: RouteReply | ProblemError) => Promise<Buffer>,
): Promise<RouteReply> {
  // What may be repeated is only marked with its answer: after a failure midway it is carried out again.
  const outcome = await settle(run(route.isRepeatable ? deps : { ...deps, db: claim.mark(deps.db) }));
  const isKept = !(outcome instanceof Error) || (outcome instanceof ProblemError && isFinal(outcome));
  try {
    if (isKept) await claim.keep(await seal(outcome), route.isRepeatable);
    else await claim.release();
  } catch (err) {
    // The answer is still valid. A repetition is told that the request was carried out, or waits for the claim to
    // lapse.
    deps.logger.warn({ err }, 'failed to store idempotent response');
  }
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Not what another time may be answered differently, as the answer itself says. */
function isFinal({ status }: ProblemError): boolean {
  return status < 500 && status !== 429;
}

async function settle(running: Promise<RouteReply>): Promise<RouteReply | Error> {
  try {
    return await running;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
