import { useEffect, useRef } from 'react';
import { graphNodeSize } from '../../../src/projections/thread-graph/thread-graph.ts';
import type { GraphOverview } from '../history/graph-history.ts';
import { type Look, getLook } from './graph-kinds.ts';
import { useColourScheme } from './use-colour-scheme.ts';
import type { Size, Viewport } from './viewport.ts';

const colourOf: Record<Look, string> = {
  user: '--accent',
  text: '--ink',
  reasoning: '--unsure',
  call: '--busy',
  result: '--busy',
  agent: '--unsure',
  ask: '--ask',
  error: '--bad',
  other: '--ink-faint',
};

interface CanvasProps {
  readonly overview: GraphOverview;
  readonly screen: Size;
  readonly view: Viewport;
}

/** Draws all nodes as small boxes, when too many are visible to draw each in detail. */
export function GraphCanvas({ overview, screen, view }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useColourScheme();
  useEffect(() => {
    const { x, y, zoom } = view;
    paint(canvas.current, overview, screen, { x, y, scaleX: zoom, scaleY: zoom });
  }, [overview, screen, view, colours]);
  return <canvas className="graph-canvas" ref={canvas} aria-hidden="true" />;
}

const mapSize = { width: 150, height: 130 };

/** The whole drawing, stretched into a corner, with the part in view marked; a click moves there. */
export function Minimap({ overview, screen, view, onMove }: CanvasProps & { onMove: (x: number, y: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useColourScheme();
  const scale = {
    x: mapSize.width / Math.max(overview.width, 1),
    y: mapSize.height / Math.max(overview.height, 1),
  };
  useEffect(() => {
    paint(canvas.current, overview, mapSize, { x: 0, y: 0, scaleX: scale.x, scaleY: scale.y });
  }, [overview, scale.x, scale.y, colours]);
  return (
    <svg
      className="graph-minimap"
      viewBox={`0 0 ${mapSize.width} ${mapSize.height}`}
      width={mapSize.width}
      height={mapSize.height}
      aria-hidden="true"
      onPointerDown={event => {
        event.stopPropagation();
        const box = event.currentTarget.getBoundingClientRect();
        onMove((event.clientX - box.left) / scale.x, (event.clientY - box.top) / scale.y);
      }}
    >
      <foreignObject width={mapSize.width} height={mapSize.height}>
        <canvas ref={canvas} />
      </foreignObject>
      <rect
        x={view.x * scale.x}
        y={view.y * scale.y}
        width={Math.max(4, (screen.width / view.zoom) * scale.x)}
        height={Math.max(4, (screen.height / view.zoom) * scale.y)}
      />
    </svg>
  );
}

interface Mapping {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

function paint(canvas: HTMLCanvasElement | null, overview: GraphOverview, size: Size, mapping: Mapping): void {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  const ratio = devicePixelRatio;
  canvas.width = size.width * ratio;
  canvas.height = size.height * ratio;
  context.scale(ratio, ratio);
  // The computed colour of an element is the one of the theme; a property by itself is not resolved.
  const colours = overview.kinds.map(kind => {
    canvas.style.color = `var(${colourOf[getLook(kind)]})`;
    return getComputedStyle(canvas).color;
  });
  const { places } = overview;
  const [width, height] = [graphNodeSize.width * mapping.scaleX, graphNodeSize.height * mapping.scaleY];
  for (let at = 0; at < places.length; at += 3) {
    const left = ((places[at] ?? 0) - mapping.x) * mapping.scaleX;
    const top = ((places[at + 1] ?? 0) - mapping.y) * mapping.scaleY;
    if (left > size.width || top > size.height || left + width < 0 || top + height < 0) continue;
    context.fillStyle = colours[places[at + 2] ?? 0] ?? '#888';
    context.fillRect(left, top, Math.max(1, width), Math.max(1, height * 0.8));
  }
}
