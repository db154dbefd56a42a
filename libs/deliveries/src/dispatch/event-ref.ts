export interface EventRef {
  readonly eventId: string;
  readonly projectId: string;
  /** As the message says it: one that is wrong costs the event its place before those that came with it. */
  readonly type?: string | undefined;
}
