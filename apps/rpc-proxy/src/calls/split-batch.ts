import { Exchange, type Demand } from '../exchange/exchange.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { respondWithParts } from './assemble-batch.ts';
import type { CallSharing } from './call-sharing.ts';
import { demandOf } from './demand-of.ts';
import { PartReceiver } from './part-receiver.ts';
import type { RuledCall } from './serve-request.ts';

const AT_ONCE_MAX = 16;

/** Each call of a batch by itself, some at a time, and one array of the replies in the order of the calls. */
export function splitBatch(sharing: CallSharing | undefined, request: RpcRequest, calls: readonly RuledCall[]): void {
  const replies: (Buffer | undefined)[] = calls.map(() => undefined);
  const leaves = new Map<number, () => void>();
  let next = 0;
  let running = 0;
  let open = calls.length;
  let isStarting = false;
  let isGone = false;
  const finish = (index: number, body: Buffer): void => {
    replies[index] = body;
    leaves.delete(index);
    running -= 1;
    open -= 1;
    if (open === 0) respondWithParts(request.reply, replies);
    else start();
  };
  // A loop, as answers that are kept come at once.
  const start = (): void => {
    if (isStarting) return;
    isStarting = true;
    while (!isGone && running < AT_ONCE_MAX && next < calls.length) {
      const index = next++;
      running += 1;
      const leave = askPart(sharing, request, calls[index]!, (body) => finish(index, body));
      if (leave !== undefined && replies[index] === undefined) leaves.set(index, leave);
    }
    isStarting = false;
  };
  request.reply.onLeave(() => {
    isGone = true;
    for (const leave of leaves.values()) leave();
  });
  start();
}

/** One call of a batch as a call of its own. @returns what to do when the client leaves */
export function askPart(sharing: CallSharing | undefined, request: RpcRequest, ruled: RuledCall, done: (body: Buffer) => void): (() => void) | undefined {
  const { call } = ruled;
  const part = new PartReceiver(call.idStart === -1 ? undefined : request.body.subarray(call.idStart, call.idEnd), done);
  const goAlone = (): (() => void) => {
    const exchange = new Exchange({ ...partDemand(request, ruled), acceptEncoding: undefined }, part).start();
    return () => exchange.abandon();
  };
  if (sharing === undefined || !sharing.covers(request, ruled)) return goAlone();
  return sharing.answer(request, ruled, part, { goAlone, demandOf: partDemand });
}

function partDemand(request: RpcRequest, { call, rule }: RuledCall): Demand {
  return { ...demandOf(request, rule, request.body, call), body: Buffer.from(request.body.subarray(call.start, call.end)) };
}
