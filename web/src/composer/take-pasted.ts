import type { ClipboardEvent } from 'react';
import { mostPasted } from './attachments.ts';

/** Files that are pasted are attached, and so is a long text. */
export function takePasted(event: ClipboardEvent, onFiles: (files: readonly File[]) => void): void {
  const files = [...event.clipboardData.files];
  const pasted = event.clipboardData.getData('text/plain');
  if (files.length === 0 && pasted.length <= mostPasted) return;
  event.preventDefault();
  onFiles(files.length > 0 ? files : [new File([pasted], 'pasted-text.txt', { type: 'text/plain' })]);
}
