import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The longest target that is written into a terminal. */
const mostCharacters = 500;
const printable = /^[\u0021-\u007e]+$/;

/** Returns the address of a page as the target of a link; undefined when it is none, or not safe to write. */
export function pageTarget(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  return safeTarget(new URL(address).href);
}

/** Returns a file of a folder as the target of a link; undefined when it is not safe to write. */
export function fileTarget(folder: string, path: string): string | undefined {
  return safeTarget(pathToFileURL(isAbsolute(path) ? path : join(folder, path)).href);
}

/** A target has only printable characters of ASCII: nothing in it ends the sequence that it is written in. */
function safeTarget(target: string): string | undefined {
  return target.length <= mostCharacters && printable.test(target) ? target : undefined;
}
