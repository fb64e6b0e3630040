import { useEffect } from 'react';

/** The name of the page, as the server wrote it into its file. */
export const pageName: string = document.title;

let shown = '';
let waiting = 0;

/** Sets the tab title to the open view, preceded by the number of pending relays. */
export function useTitle(title: string): void {
  useEffect(() => {
    shown = title;
    write();
  }, [title]);
}

/** Shows how many relays wait for a person in the title of the tab. */
export function useWaitingCount(count: number): void {
  useEffect(() => {
    waiting = count;
    write();
  }, [count]);
}

function write(): void {
  const name = shown === '' ? pageName : `${shown} · ${pageName}`;
  document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
}
