import { useEffect, useRef, useState } from 'react';
import * as z from 'zod';
import { readStored, writeStored } from '../parts/stored-value.ts';

/** The unsent text of a thread, kept in the browser. */
interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Removes it; also when the field is not shown any more. */
  readonly clear: () => void;
}

/** Returns the unsent text of a thread. */
export function useDraft(name: string): Draft {
  const key = `draft:${name}`;
  const [text, setShown] = useState(() => readStored(key, z.string()) ?? '');
  const newest = useRef(text);
  const save = useRef<() => void>(() => {});
  useEffect(() => {
    const write = () => writeStored(key, newest.current === '' ? undefined : newest.current);
    save.current = write;
    addEventListener('pagehide', write);
    return () => {
      removeEventListener('pagehide', write);
      write();
    };
  }, [key]);
  useEffect(() => {
    const timer = setTimeout(() => save.current(), 150);
    return () => clearTimeout(timer);
  }, [text]);
  const setText = (next: string) => {
    newest.current = next;
    setShown(next);
  };
  const clear = () => {
    setText('');
    writeStored(key, undefined);
  };
  return { text, setText, clear };
}
