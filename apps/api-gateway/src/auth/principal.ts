/** Who asks: a valid API key and the project it belongs to. */
export interface Principal {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly permissions: ReadonlySet<string>;
}
