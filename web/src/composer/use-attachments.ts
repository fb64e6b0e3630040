import { useState } from 'react';
import { type Attachment, bytesText, mostBytes, readAttachment } from './attachments.ts';

/** The attachments of the next message; a file that makes them too large is refused with a reason. */
export function useAttachments(onProblem: (problem: string | undefined) => void) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const add = async (files: readonly File[]) => {
    let total = attachments.reduce((sum, { size }) => sum + size, 0);
    for (const file of files) {
      total += file.size;
      if (total > mostBytes) {
        onProblem(`${file.name} is too large: attachments may have ${bytesText(mostBytes)} in all.`);
        return;
      }
      // Reported below.
      const read = await readAttachment(file).catch(() => undefined);
      if (read === undefined) onProblem(`${file.name} cannot be read.`);
      else setAttachments(before => [...before, read]);
    }
    onProblem(undefined);
  };
  const remove = (id: string) => setAttachments(before => before.filter(each => each.id !== id));
  return { attachments, add: (files: readonly File[]) => void add(files), remove, clear: () => setAttachments([]) };
}
