// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';

/** As java-tron's `node.rpc.maxMessageSize`. */
const BODY_BYTES_MAX = 4 * 1_048_576;

/** A request that the node answers with a status of its own, whatever its path. */
export class BadRequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The JSON of a body; `{}` for an empty one. Forms are read as their members. @throws BadRequestError */
export async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_BYTES_MAX)
      throw new BadRequestError(413, `body size is too big, the limit is ${BODY_BYTES_MAX}`);
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString().trim();
  if (text === '') return {};
  if (req.headers['content-type']?.startsWith('application/x-www-form-urlencoded') && !/^[[{]/.test(text))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new BadRequestError(400, `expected JSON: ${(error as Error).message.slice(0, 100)}`);
  }
}
