import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Loads a module of the folder that a peer is installed in. */
export async function loadPeer<Module>(folder: string, name: string): Promise<Module> {
  const path = createRequire(join(folder, 'from.js')).resolve(name);
  return (await import(pathToFileURL(path).href)) as Module;
}
