import { scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';

/** One subscription: what the client sent for it, and its id then and now, as raw JSON. */
interface Subscription {
  readonly request: Buffer;
  readonly clientId: string;
  nodeId: string;
}

const NOTIFIED = /"subscription"\s*:\s*("(?:[^"\\]|\\.)*"|\d+)/;

/**
 * The subscriptions of one client. Their ids stay what the first node called them: a node that they moved to calls them
 * otherwise, and is translated.
 */
export class Subscriptions {
  /** Calls that subscribe and wait for their answer, by the raw id of the call. */
  readonly #asked = new Map<string, { readonly request: Buffer; readonly moved: Subscription | undefined }>();
  readonly #all = new Set<Subscription>();
  #moves = 0;

  get size(): number {
    return this.#all.size + this.#asked.size;
  }

  ask(callId: string, request: Buffer): void {
    this.#asked.set(callId, { request, moved: undefined });
  }

  /** A reply of the node. True: it is the answer to a move, which the client knows nothing of. */
  learn(reply: Buffer): boolean {
    const scanned = scanReply(reply, skipSpace(reply, 0));
    if (scanned === undefined || scanned.idStart === -1) return false;
    const callId = reply.toString('utf8', scanned.idStart, scanned.idEnd);
    const asked = this.#asked.get(callId);
    if (asked === undefined) return false;
    this.#asked.delete(callId);
    const nodeId = scanned.resultStart === -1 ? undefined : reply.toString('utf8', scanned.resultStart, scanned.resultEnd);
    if (asked.moved !== undefined) {
      if (nodeId === undefined) this.#all.delete(asked.moved);
      else asked.moved.nodeId = nodeId;
      return true;
    }
    if (nodeId !== undefined) this.#all.add({ request: asked.request, clientId: nodeId, nodeId });
    return false;
  }

  /** A notification with the id that the client knows; undefined where none of its subscriptions is meant. */
  translate(notification: Buffer): Buffer | undefined {
    if (this.#moves === 0) return notification;
    const text = notification.toString('utf8');
    const nodeId = NOTIFIED.exec(text)?.[1];
    const subscription = [...this.#all].find((candidate) => candidate.nodeId === nodeId);
    if (subscription === undefined || nodeId === undefined) return undefined;
    return Buffer.from(text.replace(NOTIFIED, (match) => match.slice(0, -nodeId.length) + subscription.clientId));
  }

  /** A call that ends a subscription, in the words of the node that has it now. */
  end(request: Buffer, paramsStart: number, paramsEnd: number): Buffer {
    const params = request.toString('utf8', paramsStart, paramsEnd);
    const subscription = [...this.#all].find(({ clientId }) => params.includes(clientId));
    if (subscription === undefined) return request;
    this.#all.delete(subscription);
    return Buffer.concat([request.subarray(0, paramsStart), Buffer.from(params.replace(subscription.clientId, subscription.nodeId)), request.subarray(paramsEnd)]);
  }

  /** Calls that bring every subscription to another node. */
  move(): Buffer[] {
    this.#moves += 1;
    return [...this.#all].map((subscription, index) => {
      const callId = `"chainwatch-${this.#moves}-${index}"`;
      this.#asked.set(callId, { request: subscription.request, moved: subscription });
      return withId(subscription.request, callId);
    });
  }
}

function withId(request: Buffer, callId: string): Buffer {
  const { idStart, idEnd } = scanReply(request, skipSpace(request, 0))!;
  return Buffer.concat([request.subarray(0, idStart), Buffer.from(callId), request.subarray(idEnd)]);
}
