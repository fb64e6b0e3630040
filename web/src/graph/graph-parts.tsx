import { memo } from 'react';
import { kindName, lookOf } from './graph-kinds.ts';
import type { DrawnEdge } from './graph-window.ts';

interface BoxProps {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const labelLength = 20;
const frameLabelLength = 20;

/** One node of the drawing. */
export const GraphNode = memo(function GraphNode({ label, kind, x, y, width, height }: BoxProps & { kind: string }) {
  const name = kindName(kind);
  return (
    <g className="graph-node" data-look={lookOf(kind)}>
      <title>{label === kind ? name : `${name}: ${label}`}</title>
      <rect x={x} y={y} width={width} height={height} rx={8} />
      <circle cx={x + 15} cy={y + height / 2} r={4} />
      <svg x={x + 28} y={y} width={width - 34} height={height}>
        {label === kind ? (
          <text className="graph-label" x={0} y={24.5}>
            {name}
          </text>
        ) : (
          <>
            <text className="graph-kind" x={0} y={15}>
              {name}
            </text>
            <text className="graph-label" x={0} y={30}>
              {cut(label, labelLength)}
            </text>
          </>
        )}
      </svg>
    </g>
  );
});

/** The frame around a subagent. */
export const GraphFrame = memo(function GraphFrame({ label, x, y, width, height }: BoxProps) {
  return (
    <g className="graph-frame">
      <title>{`Subagent: ${label}`}</title>
      <rect x={x} y={y} width={width} height={height} rx={12} />
    </g>
  );
});

/** The label of a frame, in its upper edge, drawn over the lines that pass there. */
export const GraphFrameName = memo(function GraphFrameName({ label, x, y, width }: Omit<BoxProps, 'height'>) {
  return (
    <text className="graph-frame-name" x={x + width - 14} y={y + 3.5} textAnchor="end">
      {cut(label, frameLabelLength)}
    </text>
  );
});

/** A line down from one node to the next; it changes its lane beside the node that is further to the left. */
export function GraphEdge({ start, end, kind }: DrawnEdge) {
  const [x1, y1] = [start.x + start.width / 2, start.y + start.height];
  const [x2, y2] = [end.x + end.width / 2, end.y];
  const bend = Math.min(24, y2 - y1);
  const path =
    x2 < x1
      ? `M${x1} ${y1}V${y2 - bend}C${x1} ${y2} ${x2} ${y2 - bend} ${x2} ${y2}`
      : `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y1} ${x2} ${y1 + bend}V${y2}`;
  return <path className="graph-edge" data-kind={kind} d={path} />;
}

const letters = new Intl.Segmenter();

function cut(label: string, length: number): string {
  const line = label.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const all = Array.from(letters.segment(line), ({ segment }) => segment);
  return all.length <= length ? line : `${all.slice(0, length - 1).join('')}…`;
}
