import type { ApiKeyType } from '@chainwatch/api-key';

/** The authenticated caller: a valid key and what it belongs to. */
export interface Principal {
  readonly keyId: string;
  readonly keyType: ApiKeyType;
  readonly workspaceId: string;
  /** The project of an api key. Empty for keys of a workspace, which no route of a project accepts. */
  readonly projectId: string;
  /** Whether the workspace acts for the installation: its keys may change chains. */
  readonly isOperator: boolean;
  readonly permissions: readonly string[];
  /** When the caller has to sign in again, in milliseconds; absent: its key alone says when it ends. */
  readonly endsAtMs?: number;
  /** Of a portal session: it acts for whoever made it (`keyId`), on these channels alone. */
  readonly portal?: PortalScope;
}

export interface PortalScope {
  readonly sessionId: string;
  readonly channelIds: readonly string[];
}
