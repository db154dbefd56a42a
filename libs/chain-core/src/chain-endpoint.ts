// SPDX-License-Identifier: Apache-2.0
/** One of the interfaces that the nodes of a family serve. */
export interface NodeInterface {
  /** `rpc`, `wallet`, `evm`: what an endpoint and the database call it. */
  readonly name: string;
  /** For people, with an article before it: `HTTP wallet API`. */
  readonly description: string;
  readonly exampleUrl: string;
}

/** One node: where it answers. */
export interface ChainEndpoint {
  readonly endpointUrl: string;
  /**
   * Which of the family's interfaces answers there. Absent: the first one, or the one that the family
   * recognizes in the URL.
   */
  readonly interfaceName?: string;
  /** URLs of the same node's other interfaces, by their names. */
  readonly otherUrls?: Readonly<Record<string, string>>;
}
