import { useCallback, useEffect, useRef, useState } from 'react';

interface Player {
  /** Where it is, in milliseconds of the track. */
  readonly position: number;
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  readonly seek: (position: number) => void;
}

/** Moves through a track of a length, at a speed, frame by frame; it stops at the end. */
export function usePlayer(length: number, speed: number, start: number): Player {
  const [position, setPosition] = useState(start);
  const [isPlaying, setPlaying] = useState(false);
  const newest = useRef(position);
  newest.current = position;

  useEffect(() => {
    if (!isPlaying) return undefined;
    let before = performance.now();
    let frame = requestAnimationFrame(function advance(now) {
      const next = Math.min(length, newest.current + Math.max(0, now - before) * speed);
      before = now;
      newest.current = next;
      setPosition(next);
      if (next >= length) setPlaying(false);
      else frame = requestAnimationFrame(advance);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, length, speed]);

  const seek = useCallback((to: number) => setPosition(Math.max(0, Math.min(length, to))), [length]);
  const toggle = useCallback(() => {
    if (!isPlaying && newest.current >= length) setPosition(0);
    setPlaying(!isPlaying);
  }, [isPlaying, length]);
  return { position, isPlaying, toggle, seek };
}
