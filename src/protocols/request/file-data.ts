import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { FileData } from './fact.ts';

/** A registered file as readers receive it. */
export function fileData({ id, path, mediaType, size, toolCallId }: EventOf<'file_registered'>): FileData {
  return {
    id,
    path,
    ...defined({ mediaType, size, toolCallId }),
  };
}
