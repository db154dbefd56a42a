// SPDX-License-Identifier: Apache-2.0
import type { ApiKeyType } from '@chainwatch/common/api-key';

/** The authenticated caller: a valid key, or a member who signed in, and what it belongs to. */
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
  /** Of a session of the dashboard: what signing out ends. */
  readonly sessionId?: string | undefined;
  /** Who signed in through the operator's issuer. `keyId` is the member's id then: there is no key. */
  readonly member?: SignedInMember;
  /** Of a portal session: it acts for whoever made it (`keyId`), on these channels alone. */
  readonly portal?: PortalScope;
}

export interface SignedInMember {
  /** As the issuer vouches for it, in lower case. */
  readonly email: string;
  readonly role: string;
}

export interface PortalScope {
  readonly sessionId: string;
  readonly channelIds: readonly string[];
}
