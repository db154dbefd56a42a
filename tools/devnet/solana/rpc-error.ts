// SPDX-License-Identifier: Apache-2.0
/** An error answer of the JSON-RPC, with Agave's codes. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (message: string): RpcError => new RpcError(-32602, `Invalid param: ${message}`);
