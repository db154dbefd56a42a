// SPDX-License-Identifier: Apache-2.0
import { startMailServer, type MailServerHandle } from '@chainwatch/testing';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import { freePort } from '../services.ts';

/** Failed authentications that a client address may have in a minute. */
export const FAILED_AUTH_LIMIT = 5;

/** Everything that runs in production, with three workspaces of one project each, and a node of chain 31337. */
export class InterfaceStack {
  readonly #env: Record<string, string> = {
    // Clients say by X-Forwarded-For which address they have.
    TRUSTED_PROXIES: '1',
    RATE_LIMIT_FAILED_AUTH: String(FAILED_AUTH_LIMIT),
    RATE_LIMIT_MANAGEMENT: '1000000',
    RATE_LIMIT_RPC: '1000000',
    RATE_LIMIT_PUBLIC: '1000000',
    // Nobody there: no message leaves this machine.
    TELEGRAM_API_URL: 'http://127.0.0.1:9',
    NODE_TIMEOUT: '3s',
  };
  readonly harness = new Harness(new EvmChain({ epochBlocks: 2 }), { env: this.#env });
  #mail: MailServerHandle | undefined;
  tenant!: Bootstrap;
  otherTenant!: Bootstrap;
  /** Whose rows hostile requests may change and delete. */
  fuzzedTenant!: Bootstrap;
  rpcUrl = '';

  get apiUrl(): string {
    return this.harness.apiUrl;
  }

  async start(): Promise<void> {
    this.#mail = await startMailServer();
    Object.assign(this.#env, {
      SMTP_URL: `smtp://127.0.0.1:${this.#mail.port}`,
      SMTP_TLS: 'off',
      SMTP_FROM: 'alerts@example.com',
      PUBLIC_URL: 'https://watch.example.com',
    });
    await this.harness.start();
    this.tenant = await bootstrap(this.harness.db, { label: 'svc' });
    this.otherTenant = await bootstrap(this.harness.db, { label: 'svc' });
    this.fuzzedTenant = await bootstrap(this.harness.db, { label: 'svc' });
    await this.letOperate(this.tenant);
    // Not in what hostile requests have: they would take everybody's quotas.
    await this.harness.db.query(
      `UPDATE api_keys SET permissions = ARRAY (SELECT DISTINCT unnest(permissions || '{mgt:quota:read,mgt:quota:write}'::text[]))
       WHERE type = 'mgt' AND workspace_id = $1`,
      [this.tenant.workspaceId],
    );
  }

  /** Its keys, and those of nobody else, may change chains from now on; keys that the gateway knows already 10 s later. */
  async letOperate({ workspaceId, projectId }: Bootstrap): Promise<void> {
    await this.harness.db.transaction(async (sql) => {
      await sql.query('UPDATE workspaces SET is_operator = false WHERE is_operator');
      await sql.query('UPDATE workspaces SET is_operator = true WHERE id = $1', [workspaceId]);
      await sql.query(
        `UPDATE api_keys SET permissions = array_append(permissions, 'api:blockchain:write') WHERE project_id = $1 AND NOT 'api:blockchain:write' = ANY (permissions)`,
        [projectId],
      );
    });
  }

  /** The RPC gateway, in front of `chains`: endpoints by chain gid beside those of the catalogue. */
  async startRpc(chains: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const port = await freePort();
    this.rpcUrl = `http://127.0.0.1:${port}`;
    await this.harness.services.start(['rpc-proxy'], {
      PORT: String(port),
      CHAIN_ENDPOINTS: JSON.stringify(chains),
    });
  }

  async stop(): Promise<void> {
    await this.harness.stop();
    await this.#mail?.stop();
  }
}
