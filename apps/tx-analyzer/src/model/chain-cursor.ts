/** How far the analysis of a chain is: the row of analyzer_states, written only by the owner of the chain. */
export interface ChainCursor {
  /** Last feed entry done. */
  readonly seq: number;
  readonly number?: number;
  readonly hash?: string;
  /** Blocks up to here are final. */
  readonly confirmedNumber?: number;
  /** While `seq` is below, the chain recovers from a reorg below finality and its events are held. */
  readonly holdUntilSeq?: number;
}

export function isHolding(cursor: ChainCursor): boolean {
  return cursor.holdUntilSeq !== undefined && cursor.seq < cursor.holdUntilSeq;
}
