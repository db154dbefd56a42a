// SPDX-License-Identifier: Apache-2.0
import type { ProcessSpec } from '@chainwatch/testing/host';

/** What a family brings to `npm start`: the node of its local chain. */
export interface LocalNode<PortName extends string = string> {
  readonly family: string;
  /** Of its chain. */
  readonly gid: string;
  /** By what a person calls them; moved by --port-offset. */
  readonly ports: Readonly<Record<PortName, number>>;
  /** Names the environment variable with the URL of a node that runs already: then none is started. */
  readonly urlVariable?: string;
  start(context: LocalNodeContext<PortName>): Promise<NodeUrls>;
  /** Of a node that is there, whoever started it. */
  prepare?(urls: NodeUrls): Promise<void>;
}

export interface LocalNodeContext<PortName extends string = string> {
  readonly ports: Readonly<Record<PortName, number>>;
  /** What the node keeps stands here. */
  readonly stateDir: string;
  /** Has `<family>-node.mjs` of each family with a run.ts. */
  readonly distDir: string;
  /** @throws SetupError when it ends or is not ready in time */
  startProcess(
    spec: ProcessSpec,
    options: { isReady(): Promise<boolean>; timeoutMs?: number },
  ): Promise<void>;
}

/** As the API takes them: `endpoint_url`, and `<interface>_endpoint_url` where the family has more. */
export interface NodeUrls {
  readonly endpoint_url: string;
  readonly [other: `${string}_endpoint_url`]: string;
}
