import { memo } from 'react';
import {
  type GraphGroup,
  type GraphNode as Node,
  graphNodeSize,
} from '../../../src/projections/thread-graph/thread-graph.ts';
import { sameFields } from '../parts/same-fields.ts';
import { kindName, getLook } from './graph-kinds.ts';

const lineLength = 26;
const codeLength = 23;
const { width, height } = graphNodeSize;

interface GraphNodeProps {
  readonly node: Node;
  readonly isSelected: boolean;
  readonly onSelect: (node: Node) => void;
  readonly onToggle: (foldId: string) => void;
}

/** The accessible name of a node. */
export function nodeName({ kind, label, detail, fold, status }: Node): string {
  const count = fold === undefined ? '' : kind === 'agent' ? ` (${fold.count} steps)` : ` ×${fold.count}`;
  const state = status === 'done' ? '' : ` (${status})`;
  return `${kindName(kind)}: ${[label, detail].filter(Boolean).join(' ') || kindName(kind)}${count}${state}`;
}

/** One node of the drawing. */
export const GraphNode = memo(function GraphNode({ node, isSelected, onSelect, onToggle }: GraphNodeProps) {
  const { id, kind, label, detail, status, fold, x, y } = node;
  const name = kindName(kind);
  const count =
    fold === undefined
      ? ''
      : kind === 'agent'
        ? `${fold.count} ${fold.count === 1 ? 'step' : 'steps'} ▸`
        : `×${fold.count} ▸`;
  return (
    <g
      className="graph-node"
      role="img"
      id={`node-${id}`}
      aria-label={nodeName(node)}
      data-look={getLook(kind)}
      data-status={status}
      data-selected={isSelected}
      transform={`translate(${x} ${y})`}
      onClick={() => onSelect(node)}
      onDoubleClick={() => fold && onToggle(fold.id)}
    >
      <rect width={width} height={height} rx={9} />
      {fold && kind !== 'agent' && (
        <path className="graph-pile" d={`M8 ${height + 3}H${width - 8}M14 ${height + 6}H${width - 14}`} />
      )}
      <circle cx={15} cy={height / 2} r={4} />
      <text className="graph-kind" x={28} y={18}>
        {cut(label === '' ? name : `${name} · ${label}`, lineLength)}
      </text>
      <text className="graph-label" x={28} y={35}>
        {cut(detail, kind === 'tool_call' || kind === 'tool_result' ? codeLength : lineLength)}
      </text>
      {fold && (
        <g
          className="graph-open"
          onClick={event => {
            event.stopPropagation();
            onToggle(fold.id);
          }}
        >
          <rect x={width - 64} y={4} width={60} height={18} rx={6} />
          <text x={width - 10} y={17} textAnchor="end">
            {count}
          </text>
        </g>
      )}
    </g>
  );
}, sameFields);

/** The frame around a subagent or open repeats, with a button that folds it. */
export const GraphFrame = memo(function GraphFrame({
  group,
  onToggle,
}: {
  group: GraphGroup;
  onToggle: (id: string) => void;
}) {
  const { id, label, x, y } = group;
  return (
    <g className="graph-frame" role="img" aria-label={`Group: ${label}`}>
      <rect x={x} y={y} width={group.width} height={group.height} rx={12} />
      <text className="graph-frame-name" x={x + 14} y={y + 16} onClick={() => onToggle(id)}>
        {`▾ ${cut(label, lineLength)}`}
      </text>
    </g>
  );
}, sameFields);

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line down from one node to the next. */
export const GraphLine = memo(function GraphLine({ start, end }: { start: Point; end: Point }) {
  const [x1, y1] = [start.x + 40, start.y + height];
  const [x2, y2] = [end.x + 40, end.y];
  const bend = Math.min(20, (y2 - y1) / 2);
  const path =
    x1 === x2
      ? `M${x1} ${y1}V${y2}`
      : x2 < x1
        ? `M${x1} ${y1}V${y2 - bend}C${x1} ${y2} ${x2} ${y2 - bend} ${x2} ${y2}`
        : `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y1} ${x2} ${y1 + bend}V${y2}`;
  return <path className="graph-edge" d={path} />;
}, sameFields);

const letters = new Intl.Segmenter();

function cut(line: string, length: number): string {
  if (line.length <= length) return line;
  const all = Array.from(letters.segment(line.slice(0, 8 * length)), ({ segment }) => segment);
  return all.length <= length && line.length <= 8 * length ? line : `${all.slice(0, length - 1).join('')}…`;
}
