import type { HttpRequest } from './http-request.ts';

/** An account for bytes that are held in memory. */
export interface Payer<Full extends string = string> {
  /**
   * Takes all bytes or none.
   * @returns whose limit is reached; undefined if the bytes were taken
   */
  take(bytes: number): Full | undefined;
  release(bytes: number): void;
}

/**
 * Finds who pays for a body that comes in pieces. It is asked after the head of a request, before any of the body is
 * kept.
 */
export interface BodyPayers<Full extends string = string> {
  /** Undefined if the client is not known without a look-up. */
  find(req: HttpRequest): Payer<Full> | undefined;
  /** Undefined: the client is a stranger. Never rejects. */
  ask(req: HttpRequest): Promise<Payer<Full> | undefined>;
  /** Who pays for the connection's other bytes. */
  payerOf(req: Pick<HttpRequest, 'socket'>): Payer<Full>;
}
