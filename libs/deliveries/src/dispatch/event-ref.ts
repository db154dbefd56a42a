export interface EventRef {
  readonly eventId: string;
  readonly projectId: string;
  /** What it probably is, going by its subject. */
  readonly type?: string;
}
