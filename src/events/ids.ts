export interface IdSource {
  /** Milliseconds since 1970. */
  now(): number;
  /** Fills the bytes with randomness. */
  random(bytes: Uint8Array): void;
}

const systemSource: IdSource = { now: () => Date.now(), random: pooled };

/** Random bytes for many ids: requesting a few from the system takes as long as requesting many. */
const pool = new Uint8Array(1024);
let used = pool.length;

function pooled(bytes: Uint8Array): void {
  if (used + bytes.length > pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  for (let at = 0; at < bytes.length; at++) bytes[at] = pool[used++] ?? 0;
}

const maxCounter = 0xfff;

/** Each byte as text. */
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Creates a function that returns UUIDs of version 7. The ids of one function increase in text order, also within one
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
    bytes[0] = 0x70 | (counter >> 8);
    bytes[1] = counter & 0xff;
    bytes[2] = 0x80 | ((bytes[2] ?? 0) & 0x3f);
    let tail = '';
    for (let at = 0; at < bytes.length; at++)
      tail += at === 2 || at === 4 ? `-${hex[bytes[at] ?? 0]}` : hex[bytes[at] ?? 0];
    return `${time.slice(0, 8)}-${time.slice(8)}-${tail}`;
  };
}

/** Returns a new UUID of version 7 from the system's clock and randomness. */
export const newId: () => string = createIds();
