// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** How a pod speaks to its cluster's API; the certificate comes with NODE_EXTRA_CA_CERTS. */
export interface ClusterAccess {
  readonly apiUrl: string;
  readonly namespace: string;
  readonly token: string;
}

const ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @throws Error with one sentence when this is no pod with an account */
export function readClusterAccess(
  env: NodeJS.ProcessEnv = process.env,
  accountDir = ACCOUNT_DIR,
): ClusterAccess {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host)
    throw new Error(
      '--kubernetes-secret works in a pod alone: expected KUBERNETES_SERVICE_HOST in the environment, got none.',
    );
  const read = (name: string): string => readFileSync(`${accountDir}/${name}`, 'utf8').trim();
  return {
    apiUrl: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: read('namespace'),
    token: read('token'),
  };
}

/** One Secret of the pod's namespace. */
export class KubernetesSecret {
  readonly #access: ClusterAccess;
  readonly #name: string;
  constructor(access: ClusterAccess, name: string) {
    this.#access = access;
    this.#name = name;
  }

  async exists(): Promise<boolean> {
    return (await this.#ask('GET', { path: `/${this.#name}`, expected: [200, 404] })) === 200;
  }

  /** @throws Error when there is one already */
  async create(values: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask('POST', {
      path: '',
      expected: [201],
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: this.#name, labels: { 'app.kubernetes.io/part-of': 'chainwatch' } },
        stringData: values,
      },
    });
  }

  async delete(): Promise<void> {
    await this.#ask('DELETE', { path: `/${this.#name}`, expected: [200, 202, 404] });
  }

  async #ask(
    method: string,
    {
      path,
      expected,
      body,
    }: { readonly path: string; readonly expected: readonly number[]; readonly body?: object },
  ): Promise<number> {
    const { apiUrl, namespace, token } = this.#access;
    const response = await fetch(`${apiUrl}/api/v1/namespaces/${namespace}/secrets${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The transaction that waits for it may be idle for 5 s.
      signal: AbortSignal.timeout(4_000),
    });
    // What the cluster answers repeats what it was sent.
    await response.body?.cancel();
    if (!expected.includes(response.status))
      throw new Error(
        `the cluster's API answered ${method} of the Secret ${this.#name} with ${response.status}, expected ${expected.join(' or ')}`,
      );
    return response.status;
  }
}
