import type * as z from 'zod';

const prefix = 'singletree:';

/** Returns the stored value of a name; undefined when there is no valid one. */
export function readStored<Schema extends z.ZodType>(name: string, schema: Schema): z.infer<Schema> | undefined {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Keeps a value in the browser, or removes it; a browser that keeps nothing loses it. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // The storage is full or forbidden: the page works without it.
  }
}
