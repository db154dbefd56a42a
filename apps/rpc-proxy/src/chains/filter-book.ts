import type { Upstream } from '../upstreams/upstream.ts';

const FILTERS_MAX = 10_000;
const CREATES = /^eth_new/;
const RESULT = /"result"\s*:\s*"(0x[0-9a-fA-F]+)"/;
const FIRST_PARAM = /^\s*\[\s*"(0x[0-9a-fA-F]+)"/;

/** Filters live in the node that made them: which one that was, by the filter's id. */
export class FilterBook {
  readonly #upstreams = new Map<string, Upstream>();

  learn(method: string, reply: Buffer, upstream: Upstream): void {
    if (!CREATES.test(method)) return;
    const id = RESULT.exec(reply.toString('latin1', 0, Math.min(reply.length, 1_024)))?.[1];
    if (id === undefined) return;
    if (this.#upstreams.size >= FILTERS_MAX) for (const oldest of this.#upstreams.keys()) {
      this.#upstreams.delete(oldest);
      break;
    }
    this.#upstreams.set(id.toLowerCase(), upstream);
  }

  /** By the parameters of a call, which name the filter first. */
  find(params: string): Upstream | undefined {
    const id = FIRST_PARAM.exec(params)?.[1];
    return id === undefined ? undefined : this.#upstreams.get(id.toLowerCase());
  }
}
