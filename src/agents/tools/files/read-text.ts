import type { OpenedFile, WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { binaryKind } from './binary-kind.ts';

const mostBytes = 20 * 1024 * 1024;

/** Returns the whole text of a file that is to be changed; throws when it is not UTF-8 or too large. */
export function readText(
  workspace: WorkspaceFolder,
  path: string,
): Promise<{ text: string } & Pick<OpenedFile, 'mode' | 'stamp' | 'real'>> {
  return workspace.withFile(path, async ({ handle, size, mode, stamp, real }) => {
    if (size > mostBytes)
      throw new Error(`${path} has ${size} bytes: files of more than ${mostBytes} are changed with a command.`);
    const bytes = await handle.readFile();
    const kind = binaryKind(bytes);
    if (kind !== undefined) throw new Error(`${path} is ${kind}, not text.`);
    try {
      return { text: decoder.decode(bytes), mode, stamp, real };
    } catch {
      throw new Error(`${path} is not text in UTF-8.`);
    }
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
