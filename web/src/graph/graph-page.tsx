import '../styles/graph.css';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type GraphNode as Node, graphNodeSize } from '../../../src/projections/thread-graph/thread-graph.ts';
import type { ThreadViewProps } from '../app/thread-view-page.tsx';
import { HistoryNotice, HistoryState } from '../history/history-state.tsx';
import { Inspector } from '../history/inspector.tsx';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { Choice } from '../parts/choice.tsx';
import { GraphCanvas, Minimap } from './graph-canvas.tsx';
import { legendOf } from './graph-kinds.ts';
import { GraphFrame, GraphLine, GraphNode } from './graph-parts.tsx';
import { GraphSearch } from './graph-search.tsx';
import { usePanZoom } from './use-pan-zoom.ts';
import { useScreen } from './use-screen.ts';
import { askedRect, endView, fitView, reveal, type Viewport, zoomAt } from './viewport.ts';

const levels = [
  ['message', 'Messages'],
  ['block', 'Steps'],
  ['chunk', 'Parts'],
] as const;
const directions = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;

/** The drawing of a thread: it grows while runs are under way, and shows what is in view. */
export function GraphPage({ client, address, open }: ThreadViewProps) {
  const { at, threadId } = address;
  const state = useHistory(threadId);
  const { history } = state;
  const [by, setBy] = useState<(typeof levels)[number][0]>('chunk');
  const [isFolded, setFolded] = useState(true);
  const [expanded, setExpanded] = useState<readonly string[]>([]);
  const detail = useMemo(() => ({ by, isFolded, expanded }), [by, isFolded, expanded]);
  const box = useRef<HTMLDivElement>(null);
  const screen = useScreen(box);
  const [view, setView] = useState<Viewport>({ x: 0, y: 0, zoom: 1 });
  const isFollowing = useRef(true);
  const rect = useMemo(() => askedRect(view, screen), [view, screen]);
  const part = useAnswer(state, 'graph', screen.width > 0 ? { detail, rect } : undefined);
  const overview = useAnswer(state, 'graphOverview', detail);
  const selected = useAnswer(state, 'graphNodeAt', at === undefined ? undefined : { detail, seq: at });
  const current = at === undefined ? undefined : selected;
  const legend = useMemo(() => legendOf(overview?.kinds ?? []), [overview]);

  const move = useCallback((change: (before: Viewport) => Viewport) => {
    isFollowing.current = false;
    setView(change);
  }, []);
  usePanZoom(box, move);

  // The newest end stays in view until a person moves.
  const { width = 0, height = 0 } = part ?? {};
  useEffect(() => {
    if (isFollowing.current && at === undefined && width > 0 && screen.width > 0)
      setView(endView({ width, height }, screen));
  }, [width, height, screen, at]);
  useEffect(() => {
    if (current === undefined || screen.width === 0) return;
    isFollowing.current = false;
    setView(before => reveal(before, { ...current, ...graphNodeSize }, screen));
  }, [current?.id, current?.x, current?.y, screen]);

  const select = useCallback(
    (node: Node) => open({ section: 'thread', threadId, view: 'graph', at: node.seq }, true),
    [open, threadId],
  );
  const toggle = useCallback((id: string) => {
    isFollowing.current = false;
    setExpanded(before => (before.includes(id) ? before.filter(each => each !== id) : [...before, id]));
  }, []);
  const fit = () => {
    isFollowing.current = false;
    if (width > 0) setView(fitView({ width, height }, screen));
  };
  const zoom = (factor: number) =>
    move(before => zoomAt(before, factor, { x: screen.width / 2, y: screen.height / 2 }));
  const cursor = useRef<Node>(undefined);
  cursor.current = current ?? cursor.current;
  const step = async (direction: (typeof directions)[keyof typeof directions]) => {
    const next = await history?.ask('graphNeighbour', { detail, id: cursor.current?.id ?? '', direction });
    if (next === undefined) return;
    cursor.current = next;
    select(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = directions[event.key as keyof typeof directions];
    const node = current;
    const keys: Record<string, () => void> = {
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      f: fit,
      Enter: () => {
        if (node?.fold !== undefined) toggle(node.fold.id);
        else if (node !== undefined) open({ section: 'thread', threadId, at: node.seq });
      },
    };
    const run = direction === undefined ? keys[event.key] : () => void step(direction);
    if (run === undefined) return;
    event.preventDefault();
    run();
  };

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
            search={async text => (await history?.ask('graphSearch', { detail, text })) ?? []}
            onHit={select}
          />
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
                    isSelected={node.id === current?.id}
                    onSelect={select}
                    onToggle={toggle}
                  />
                ))}
              </g>
            </svg>
          )}
          {!isEmpty && overview && (
            <Minimap
              overview={overview}
              screen={screen}
              view={view}
              onMove={(x, y) =>
                move(before => ({
                  ...before,
                  x: x - screen.width / before.zoom / 2,
                  y: y - screen.height / before.zoom / 2,
                }))
              }
            />
          )}
        </div>
        <ul className="graph-legend" aria-label="Legend">
          {legend.map(({ look, name }) => (
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
