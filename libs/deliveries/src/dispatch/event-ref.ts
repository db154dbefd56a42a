export interface EventRef {
  readonly eventId: string;
  readonly projectId: string;
  /** The probable type, derived from its subject. */
  readonly type?: string;
}
