import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type GraphNode, graphNodeSize } from '../../../src/projections/thread-graph/thread-graph.ts';
import type { HistoryAnswer } from '../history/history-protocol.ts';
import { usePanZoom } from './use-pan-zoom.ts';
import { useScreen } from './use-screen.ts';
import { endView, fitView, reveal, type Size, type Viewport, zoomAt } from './viewport.ts';

/** The visible part of the graph. */
export type GraphPart = HistoryAnswer<'graph'>;

/**
 * Returns the visible part of the graph and functions to move it; the user also moves it by pointer, wheel and keys.
 */
export function useCamera(box: RefObject<HTMLDivElement | null>) {
  const screen = useScreen(box);
  const [view, setView] = useState<Viewport>({ x: 0, y: 0, zoom: 1 });
  /** Whether the newest end stays in view. */
  const isFollowing = useRef(true);
  const stay = useCallback(() => void (isFollowing.current = false), []);
  const move = useCallback((change: (before: Viewport) => Viewport) => {
    isFollowing.current = false;
    setView(change);
  }, []);
  usePanZoom(box, move);
  return {
    screen,
    view,
    setView,
    isFollowing,
    stay,
    zoom: (factor: number) => move(before => zoomAt(before, factor, { x: screen.width / 2, y: screen.height / 2 })),
    fit: ({ width, height }: Size) => {
      if (width > 0) move(() => fitView({ width, height }, screen));
    },
    centre: (x: number, y: number) =>
      move(before => ({
        ...before,
        x: x - screen.width / before.zoom / 2,
        y: y - screen.height / before.zoom / 2,
      })),
  };
}

interface Followed {
  readonly part: Size | undefined;
  /** The event of the address. */
  readonly at: number | undefined;
  readonly current: GraphNode | undefined;
}

/** Keeps the newest end in view until a person moves, or the node of the address once it is known. */
export function useFollowedEnd(
  { screen, setView, isFollowing }: ReturnType<typeof useCamera>,
  { part, at, current }: Followed,
): void {
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
}
