import type { MemoryQuota, KeyAccount, WorkspaceAccount } from './tenants.ts';

/** A question to a node. */
export interface QueuedCall {
  readonly quota: Pick<MemoryQuota, 'key'>;
}

export interface CallQueueOptions<T> {
  /** Calls in flight at the same time. */
  readonly max: number;
  readonly maxPerKey: number;
  /** Called when it is the call's turn. */
  readonly send: (call: T) => void;
}

/** The calls of one key, or the keys of one workspace. */
interface Lane<W> {
  underWay: number;
  readonly waiting: W;
}

type KeyLane<T> = Lane<Set<T>>;
type WorkspaceLane<T> = Lane<Set<KeyLane<T>>>;

/**
 * The calls to one node: how many of each key and workspace are in flight, and which one is next. A workspace never has
 * more calls in flight than it leaves free for the others. Waiting calls are taken round robin over the workspaces,
 * then over the keys of each.
 */
export class CallQueue<T extends QueuedCall> {
  readonly #options: CallQueueOptions<T>;
  readonly #going = new Set<T>();
  readonly #keys = new WeakMap<KeyAccount, KeyLane<T>>();
  readonly #workspaces = new WeakMap<WorkspaceAccount, WorkspaceLane<T>>();
  /** Workspaces that have calls waiting, the next one first. */
  readonly #waiting = new Set<WorkspaceLane<T>>();

  constructor(options: CallQueueOptions<T>) {
    this.#options = options;
  }

  /** Sends the call now or when it is its turn. */
  enter(call: T): void {
    const { key } = call.quota;
    const [lane, workspace] = [this.#keyLane(key), this.#workspaceLane(key.workspace)];
    if (lane.waiting.size === 0 && this.#hasRoom(workspace) && lane.underWay < this.#options.maxPerKey)
      return this.#begin(call, lane, workspace);
    lane.waiting.add(call);
    workspace.waiting.add(lane);
    this.#waiting.add(workspace);
  }

  /** The call is over, or no longer wanted. */
  leave(call: T): void {
    const { key } = call.quota;
    const [lane, workspace] = [this.#keyLane(key), this.#workspaceLane(key.workspace)];
    if (!this.#going.delete(call)) return void (lane.waiting.delete(call) && this.#tidy(lane, workspace));
    lane.underWay -= 1;
    workspace.underWay -= 1;
    while (this.#waiting.size > 0 && this.#sendNext());
  }

  #begin(call: T, lane: KeyLane<T>, workspace: WorkspaceLane<T>): void {
    this.#going.add(call);
    lane.underWay += 1;
    workspace.underWay += 1;
    this.#options.send(call);
  }

  #hasRoom(workspace: WorkspaceLane<T>): boolean {
    return workspace.underWay < this.#options.max - this.#going.size;
  }

  /** @returns whether a waiting call was sent */
  #sendNext(): boolean {
    for (const workspace of this.#waiting) {
      if (!this.#hasRoom(workspace)) continue;
      for (const lane of workspace.waiting) {
        if (lane.underWay >= this.#options.maxPerKey) continue;
        const [call] = lane.waiting;
        lane.waiting.delete(call!);
        // Moves the key and its workspace to the end of their queues.
        workspace.waiting.delete(lane);
        workspace.waiting.add(lane);
        this.#waiting.delete(workspace);
        this.#waiting.add(workspace);
        this.#tidy(lane, workspace);
        this.#begin(call!, lane, workspace);
        return true;
      }
    }
    return false;
  }

  #tidy(lane: KeyLane<T>, workspace: WorkspaceLane<T>): void {
    if (lane.waiting.size === 0) workspace.waiting.delete(lane);
    if (workspace.waiting.size === 0) this.#waiting.delete(workspace);
  }

  #keyLane(key: KeyAccount): KeyLane<T> {
    let lane = this.#keys.get(key);
    if (lane === undefined) this.#keys.set(key, (lane = { underWay: 0, waiting: new Set() }));
    return lane;
  }

  #workspaceLane(workspace: WorkspaceAccount): WorkspaceLane<T> {
    let lane = this.#workspaces.get(workspace);
    if (lane === undefined) this.#workspaces.set(workspace, (lane = { underWay: 0, waiting: new Set() }));
    return lane;
  }
}
