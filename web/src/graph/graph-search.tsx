import { useState } from 'react';
import type { GraphNode } from '../../../src/projections/thread-graph/thread-graph.ts';
import { NextIcon, PreviousIcon } from '../parts/icons.tsx';

interface GraphSearchProps {
  readonly search: (text: string) => Promise<readonly GraphNode[]>;
  readonly onHit: (node: GraphNode) => void;
}

/** Finds nodes by their words: Enter goes to the next one. */
export function GraphSearch({ search, onHit }: GraphSearchProps) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{
    readonly text: string;
    readonly hits: readonly GraphNode[];
    readonly at: number;
  }>();
  const go = async (by: number) => {
    if (text.trim() === '') return setFound(undefined);
    const isNew = found?.text !== text;
    const hits = isNew ? await search(text) : found.hits;
    const at = isNew ? 0 : (found.at + by + hits.length) % Math.max(1, hits.length);
    setFound({ text, hits, at });
    const hit = hits[at];
    if (hit !== undefined) onHit(hit);
  };
  return (
    <form
      className="graph-search"
      role="search"
      onSubmit={event => {
        event.preventDefault();
        void go(1);
      }}
    >
      <input
        className="field"
        type="search"
        aria-label="Search in the graph"
        placeholder="Search…"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      {found && (
        <span className="graph-hits" role="status">
          {found.hits.length === 0 ? 'nothing found' : `${found.at + 1} of ${found.hits.length}`}
        </span>
      )}
      {found && found.hits.length > 1 && (
        <>
          <button type="button" className="icon-button" aria-label="Previous hit" onClick={() => void go(-1)}>
            <PreviousIcon />
          </button>
          <button type="submit" className="icon-button" aria-label="Next hit">
            <NextIcon />
          </button>
        </>
      )}
    </form>
  );
}
