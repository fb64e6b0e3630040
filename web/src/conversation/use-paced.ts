import { useEffect, useRef, useState } from 'react';

/** Throttles a value to one change per `pace` milliseconds; the last value always arrives. */
export function usePaced<T>(value: T, pace: () => number): T {
  const [shown, setShown] = useState(value);
  const newest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    newest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(newest.current);
    }, pace());
  }, [value, pace]);

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  return shown;
}
