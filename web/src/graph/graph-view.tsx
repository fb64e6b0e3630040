import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Conversation, fullHistory } from '../../../src/graph/index.ts';
import { projectDAG } from '../../../src/projections/project-dag.ts';
import { legendOf } from './graph-kinds.ts';
import { GraphEdge, GraphFrame, GraphFrameName, GraphNode } from './graph-parts.tsx';
import { drawnOf, extentOf, type Span } from './graph-window.ts';
import { usePaced } from '../conversation/use-paced.ts';
import { useStickToBottom } from '../conversation/use-stick-to-bottom.ts';

/** The redraw interval while it grows: longer when there is much to draw. */
const paceMs = 120;
const nodesPerMs = 20;
const margin = 28;
/** The margin drawn beyond the visible part, and the scroll distance until a redraw. */
const beyond = 640;
const stride = 320;

/** The whole conversation, with all its branches, as a drawing that grows downwards. */
export function GraphView({ conversation }: { conversation: Conversation }) {
  const count = useRef(0);
  const pace = useCallback(() => Math.max(paceMs, count.current / nodesPerMs), []);
  const shown = usePaced(conversation, pace);
  const dag = useMemo(() => projectDAG(shown, fullHistory(shown)), [shown]);
  const { width, height } = useMemo(() => extentOf(dag), [dag]);
  const legend = useMemo(() => legendOf(dag.nodes.map(({ kind }) => kind)), [dag]);
  const { element, onScroll } = useStickToBottom(dag, 0);
  const [seen, setSeen] = useState<Span>({ top: 0, bottom: 0 });
  const drawn = useMemo(() => drawnOf(dag, seen), [dag, seen]);

  useEffect(() => {
    count.current = dag.nodes.length;
  }, [dag]);

  useEffect(() => {
    const box = element.current;
    if (!box) return undefined;
    const look = () => setSeen(before => sameOr(before, box));
    const observer = new ResizeObserver(look);
    observer.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [element]);

  const size = { width: width + 2 * margin, height: height + 2 * margin };
  return (
    <section className="graph" aria-label="Graph">
      <ul className="graph-legend" aria-label="Legend">
        {legend.map(({ look, name }) => (
          <li key={look} data-look={look}>
            {name}
          </li>
        ))}
      </ul>
      <div className="graph-panel" ref={element} onScroll={onScroll} tabIndex={0}>
        <svg
          className="graph-drawing"
          role="img"
          aria-label="Graph of the conversation"
          {...size}
          viewBox={`${-margin} ${-margin} ${size.width} ${size.height}`}
        >
          {drawn.groups.map(({ id, label, x, y, width, height }) => (
            <GraphFrame key={id} {...{ label, x, y, width, height }} />
          ))}
          {drawn.edges.map(edge => (
            <GraphEdge key={`${edge.from} ${edge.kind} ${edge.to}`} {...edge} />
          ))}
          {drawn.groups.map(({ id, label, x, y, width }) => (
            <GraphFrameName key={id} {...{ label, x, y, width }} />
          ))}
          {drawn.nodes.map(({ id, label, kind, x, y, width, height }) => (
            <GraphNode key={id} {...{ label, kind, x, y, width, height }} />
          ))}
        </svg>
      </div>
    </section>
  );
}

/** Returns the visible part of a box, rounded; the same object while it is the same. */
function sameOr(before: Span, { scrollTop, clientHeight }: HTMLElement): Span {
  const top = Math.floor(scrollTop / stride) * stride - beyond;
  const bottom = Math.ceil((scrollTop + clientHeight) / stride) * stride + beyond;
  return before.top === top && before.bottom === bottom ? before : { top, bottom };
}
