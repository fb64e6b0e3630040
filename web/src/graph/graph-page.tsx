import '../styles/graph.css';
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import type { GraphNode as Node } from '../../../src/projections/thread-graph/thread-graph.ts';
import type { ThreadViewProps } from '../app/thread-view-page.tsx';
import { HistoryNotice, HistoryState } from '../history/history-state.tsx';
import { Inspector } from '../history/inspector.tsx';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { Choice } from '../parts/choice.tsx';
import { GraphCanvas, Minimap } from './graph-canvas.tsx';
import { buildLegend } from './graph-kinds.ts';
import { GraphFrame, GraphLine, GraphNode } from './graph-parts.tsx';
import { GraphSearch } from './graph-search.tsx';
import { type GraphPart, useCamera, useFollowedEnd } from './use-camera.ts';
import { askedRect, type Size, type Viewport } from './viewport.ts';

const levels = [
  ['message', 'Messages'],
  ['block', 'Steps'],
  ['chunk', 'Parts'],
] as const;
type Level = (typeof levels)[number][0];
const directions = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;
type Direction = (typeof directions)[keyof typeof directions];

/** The graph of a thread; it grows while runs are in progress, and draws only its visible part. */
export function GraphPage({ client, address, open }: ThreadViewProps) {
  const { at, threadId } = address;
  const state = useHistory(threadId);
  const [by, setBy] = useState<Level>('chunk');
  const [isFolded, setFolded] = useState(true);
  const [expanded, setExpanded] = useState<readonly string[]>([]);
  const detail = useMemo(() => ({ by, isFolded, expanded }), [by, isFolded, expanded]);
  const box = useRef<HTMLDivElement>(null);
  const camera = useCamera(box);
  const { screen, view } = camera;
  const rect = useMemo(() => askedRect(view, screen), [view, screen]);
  const part = useAnswer(state, 'graph', screen.width > 0 ? { detail, rect } : undefined);
  const overview = useAnswer(state, 'graphOverview', detail);
  const selected = useAnswer(state, 'graphNodeAt', at === undefined ? undefined : { detail, seq: at });
  const current = at === undefined ? undefined : selected;
  useFollowedEnd(camera, { part, at, current });

  const select = useCallback(
    (node: Node) => open({ section: 'thread', threadId, view: 'graph', at: node.seq }, true),
    [open, threadId],
  );
  const { stay } = camera;
  const toggle = useCallback(
    (id: string) => {
      stay();
      setExpanded(before => (before.includes(id) ? before.filter(each => each !== id) : [...before, id]));
    },
    [stay],
  );
  const fit = () => {
    if (part !== undefined) camera.fit(part);
  };
  const find = async (from: Node | undefined, direction: Direction) =>
    state.history?.ask('graphNeighbour', { detail, id: from?.id ?? '', direction });
  const onEnter = (node: Node) => {
    if (node.fold === undefined) open({ section: 'thread', threadId, at: node.seq });
    else toggle(node.fold.id);
  };
  const onKeyDown = useGraphKeys({ current, find, select, onEnter, zoom: camera.zoom, fit });
  const isEmpty = part === undefined || part.count === 0;
  return (
    <div className="with-inspector">
      <section className="graph" aria-label="Graph">
        <div className="graph-controls">
          <Choice label="By" options={levels} value={by} onChange={setBy} />
          <label className="check">
            <input type="checkbox" checked={isFolded} onChange={event => setFolded(event.target.checked)} /> Folded
          </label>
          <GraphSearch
            search={async text => (await state.history?.ask('graphSearch', { detail, text })) ?? []}
            onHit={select}
          />
          <GraphZoom zoom={camera.zoom} fit={fit} />
        </div>
        <HistoryNotice status={state.status} />
        <HistoryState status={state.status} isEmpty={isEmpty} empty="There is nothing to draw." />
        <div
          className="graph-panel"
          ref={box}
          role="group"
          aria-label="Graph of the conversation"
          tabIndex={0}
          aria-activedescendant={current && `node-${current.id}`}
          onKeyDown={onKeyDown}
        >
          {part?.isCrowded && overview && <GraphCanvas overview={overview} screen={screen} view={view} />}
          {part && !part.isCrowded && (
            <GraphDrawing {...{ part, screen, view, select, toggle }} selectedId={current?.id} />
          )}
          {!isEmpty && overview && <Minimap overview={overview} screen={screen} view={view} onMove={camera.centre} />}
        </div>
        <ul className="graph-legend" aria-label="Legend">
          {buildLegend(overview?.kinds ?? []).map(({ look, name }) => (
            <li key={look} data-look={look}>
              {name}
            </li>
          ))}
        </ul>
      </section>
      {at !== undefined && <Inspector client={client} state={state} address={address} seq={at} open={open} />}
    </div>
  );
}

function GraphZoom({ zoom, fit }: { readonly zoom: (factor: number) => void; readonly fit: () => void }) {
  return (
    <span className="graph-zoom">
      <button type="button" className="icon-button" aria-label="Zoom out" onClick={() => zoom(0.8)}>
        −
      </button>
      <button type="button" className="icon-button" aria-label="Zoom in" onClick={() => zoom(1.25)}>
        +
      </button>
      <button type="button" className="button small" onClick={fit}>
        Fit
      </button>
    </span>
  );
}

interface GraphDrawingProps {
  readonly part: GraphPart;
  readonly screen: Size;
  readonly view: Viewport;
  readonly selectedId: string | undefined;
  readonly select: (node: Node) => void;
  readonly toggle: (id: string) => void;
}

/** The nodes in view, each with its own box. */
function GraphDrawing({ part, screen, view, selectedId, select, toggle }: GraphDrawingProps) {
  return (
    <svg className="graph-drawing" width={screen.width} height={screen.height}>
      <g transform={`scale(${view.zoom}) translate(${-view.x} ${-view.y})`}>
        {part.groups.map(group => (
          <GraphFrame key={group.id} group={group} onToggle={toggle} />
        ))}
        {part.lines.map(({ key, start, end }) => (
          <GraphLine key={key} start={start} end={end} />
        ))}
        {part.nodes.map(node => (
          <GraphNode
            key={node.id}
            node={node}
            isSelected={node.id === selectedId}
            onSelect={select}
            onToggle={toggle}
          />
        ))}
      </g>
    </svg>
  );
}

interface GraphKeys {
  readonly current: Node | undefined;
  readonly find: (from: Node | undefined, direction: Direction) => Promise<Node | undefined>;
  readonly select: (node: Node) => void;
  readonly onEnter: (node: Node) => void;
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
}

/** Returns the keys of the drawing: arrows go to the next node, also before the page has drawn the last one. */
function useGraphKeys({ current, find, select, onEnter, zoom, fit }: GraphKeys) {
  const cursor = useRef<Node>(undefined);
  cursor.current = current ?? cursor.current;
  const step = async (direction: Direction) => {
    const next = await find(cursor.current, direction);
    if (next === undefined) return;
    cursor.current = next;
    select(next);
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = directions[event.key as keyof typeof directions];
    const keys: Record<string, () => void> = {
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      f: fit,
      Enter: () => current && onEnter(current),
    };
    const run = direction === undefined ? keys[event.key] : () => void step(direction);
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
}
