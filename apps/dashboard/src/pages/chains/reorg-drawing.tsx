// SPDX-License-Identifier: Apache-2.0
import type { Block } from '../../api/chain-queries.ts';
import { shorten } from '../../ui/copy.tsx';
import type { Reorg } from './list-reorgs.ts';

const [STEP_X, STEP_Y, WIDTH, HEIGHT, MARGIN] = [104, 56, 84, 32, 10];

interface ReorgDrawingProps {
  readonly reorg: Reorg;
  /** What the chain has at these heights, from the block before on. */
  readonly counting: readonly Block[];
}

interface Placed {
  readonly block: Block;
  readonly x: number;
  readonly y: number;
  readonly isUndone: boolean;
}

/** The chain as a line, and below it what it gave up, each block with a line to the one before. */
export function ReorgDrawing({ reorg: { from, to, branches }, counting }: ReorgDrawingProps) {
  const rows = [counting, ...branches];
  const heights = [...new Set(rows.flat().map(({ number }) => number))].toSorted((a, b) => a - b);
  const columns = new Map(heights.map((height, index) => [height, index]));
  const placed = rows.flatMap((row, index) =>
    row.map(
      (block): Placed => ({
        block,
        x: MARGIN + columns.get(block.number)! * STEP_X,
        y: MARGIN + index * STEP_Y,
        isUndone: index > 0,
      }),
    ),
  );
  const byHash = new Map(placed.map((each) => [each.block.hash, each]));
  const width = 2 * MARGIN + (heights.length - 1) * STEP_X + WIDTH;
  const height = 2 * MARGIN + (rows.length - 1) * STEP_Y + HEIGHT;
  const undone = branches.flat().length;
  return (
    <div
      className="scroll-shadow overflow-x-auto"
      tabIndex={0}
      role="group"
      aria-label={`Blocks ${from} to ${to}`}
    >
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${undone} ${undone === 1 ? 'block' : 'blocks'} from ${from} to ${to} left the chain`}
      >
        {placed.map(({ block, x, y }) => {
          const parent = byHash.get(block.parent_hash);
          return (
            parent &&
            block.parent_hash !== null && (
              <path
                key={`${x} ${y}`}
                d={`M ${x} ${y + HEIGHT / 2} C ${x - 20} ${y + HEIGHT / 2} ${parent.x + WIDTH + 20} ${parent.y + HEIGHT / 2} ${parent.x + WIDTH} ${parent.y + HEIGHT / 2}`}
                className="fill-none stroke-line-strong stroke-2"
              />
            )
          );
        })}
        {placed.map((each) => (
          <BlockBox key={`${each.x} ${each.y}`} {...each} />
        ))}
      </svg>
    </div>
  );
}

function BlockBox({ block: { number, hash }, x, y, isUndone }: Placed) {
  return (
    <g>
      <title>{hash ?? 'not fetched'}</title>
      <rect
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        rx="6"
        className={isUndone ? 'fill-bad-wash stroke-bad-dot' : 'fill-ok-wash stroke-ok-dot'}
      />
      <text
        x={x + WIDTH / 2}
        y={y + 14}
        textAnchor="middle"
        className={isUndone ? 'fill-bad text-[11px] font-medium' : 'fill-ok text-[11px] font-medium'}
      >
        {number.toLocaleString()}
      </text>
      <text x={x + WIDTH / 2} y={y + 26} textAnchor="middle" className="fill-soft font-mono text-[9px]">
        {hash === null ? '–' : shorten(hash).slice(0, 10)}
      </text>
    </g>
  );
}
