export interface IdSource {
  /** Milliseconds since 1970. */
  now(): number;
  /** Fills the bytes with randomness. */
  random(bytes: Uint8Array): void;
}

const systemSource: IdSource = { now: () => Date.now(), random: pooled };

/** Randomness for many ids: asking the system for a little takes as long as for much. */
const pool = new Uint8Array(1024);
let used = pool.length;

function pooled(bytes: Uint8Array): void {
  if (used + bytes.length > pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  bytes.set(pool.subarray(used, used + bytes.length));
  used += bytes.length;
}

const maxCounter = 0xfff;

/**
 * Makes a function that returns uuids of version 7. Ids of one function rise in text order, also within one
 * millisecond and when the clock goes back.
 */
export function createIds(source: IdSource = systemSource): () => string {
  const bytes = new Uint8Array(10);
  let lastMs = -1;
  let counter = 0;
  return () => {
    source.random(bytes);
    const now = source.now();
    if (now > lastMs) {
      lastMs = now;
      counter = (((bytes[0] ?? 0) << 3) | ((bytes[1] ?? 0) >> 5)) & 0x7ff;
    } else if (counter < maxCounter) {
      counter++;
    } else {
      lastMs++;
      counter = 0;
    }
    const time = lastMs.toString(16).padStart(12, '0');
    const tail = Array.from(bytes.subarray(2), byte => byte.toString(16).padStart(2, '0'));
    tail[0] = (0x80 | ((bytes[2] ?? 0) & 0x3f)).toString(16);
    const node = tail.join('');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${node.slice(0, 4)}-${node.slice(4)}`;
  };
}

/** A new uuid of version 7 from the system's clock and randomness. */
export const newId: () => string = createIds();
