import type { EventOf } from '../../events/index.ts';
import type { FileData } from './fact.ts';

/** A registered file as readers receive it. */
export function fileData({ id, path, mediaType, size, toolCallId }: EventOf<'file_registered'>): FileData {
  return {
    id,
    path,
    ...(mediaType !== undefined && { mediaType }),
    ...(size !== undefined && { size }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}
