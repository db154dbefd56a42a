export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

export class BodyEncodingError extends Error {
  override readonly name = 'BodyEncodingError';
}

/** There is no room for the body. */
export class BodyHeldError<Full extends string = string> extends Error {
  override readonly name = 'BodyHeldError';
  readonly full: Full;

  constructor(full: Full) {
    super(`expected room for the body, but no more may be held for this ${full}`);
    this.full = full;
  }
}

export type BodyError<Full extends string> = BodyTooLargeError | BodyEncodingError | BodyHeldError<Full>;
