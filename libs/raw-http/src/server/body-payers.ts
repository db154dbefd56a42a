import type { HttpRequest } from './http-request.ts';

/** Who pays for bytes that are held in memory. */
export interface Payer<Full extends string = string> {
  /** All of it or nothing. @returns who is full; undefined where the bytes are taken */
  take(bytes: number): Full | undefined;
  release(bytes: number): void;
}

/** Who pays for a body that comes in pieces. Asked at the head of a request, before anything of its body is kept. */
export interface BodyPayers<Full extends string = string> {
  /** Undefined where the client is not known without a question. */
  find(req: HttpRequest): Payer<Full> | undefined;
  /** Undefined: nobody; it is a stranger's. Never rejects. */
  ask(req: HttpRequest): Promise<Payer<Full> | undefined>;
  /** Who pays for what a connection brings otherwise. */
  payerOf(req: Pick<HttpRequest, 'socket'>): Payer<Full>;
}
