/** The identity of a file, independent of its name. */
export interface FileIdentity {
  readonly dev: number | bigint;
  readonly ino: number | bigint;
}

const held = new Map<string, number>();

/**
 * Holds a file that this process has locked, and returns a function that releases it. On POSIX systems, closing any
 * descriptor of a file releases all locks of the process on it, so code that opened and closed a held file would let
 * other processes damage it.
 */
export function holdFile(file: FileIdentity): () => void {
  const key = identify(file);
  held.set(key, (held.get(key) ?? 0) + 1);
  return () => {
    const left = (held.get(key) ?? 1) - 1;
    if (left === 0) held.delete(key);
    else held.set(key, left);
  };
}

/** Whether this process has locked a file, so that nothing else in it may open the file. */
export function isHeldFile(file: FileIdentity): boolean {
  return held.has(identify(file));
}

function identify({ dev, ino }: FileIdentity): string {
  return `${dev}:${ino}`;
}
