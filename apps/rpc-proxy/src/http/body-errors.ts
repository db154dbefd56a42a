import type { Full } from '../limits/holder.ts';

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

export class BodyEncodingError extends Error {
  override readonly name = 'BodyEncodingError';
}

/** There is no room for the body. */
export class BodyHeldError extends Error {
  override readonly name = 'BodyHeldError';
  readonly full: Full;

  constructor(full: Full) {
    super(`expected room for the body, but no more may be held for this ${full}`);
    this.full = full;
  }
}
