import type { ApiKeyType } from '@chainwatch/api-key';

/** Who asks: a valid key and what it belongs to. */
export interface Principal {
  readonly keyId: string;
  readonly keyType: ApiKeyType;
  readonly workspaceId: string;
  /** Of an api key. Empty for keys of a workspace, which no route of a project lets in. */
  readonly projectId: string;
  /** Of the workspace that acts for the installation: its keys may change chains. */
  readonly isOperator: boolean;
  readonly permissions: readonly string[];
}
