import { type Framing, sseFraming } from '../framing.ts';
import type { AiSdkChunk } from './chunk.ts';

const last = 'data: [DONE]\n\n';

/** Server-sent events as AI SDK clients expect them: marked by a header, ended by `[DONE]`, failures as `error` chunks. */
export const aiSdkFraming: Framing = {
  ...sseFraming,
  headers: { ...sseFraming.headers, 'x-vercel-ai-ui-message-stream': 'v1' },
  problem: ({ detail }) => {
    const chunk: AiSdkChunk = { type: 'error', errorText: detail };
    return sseFraming.frame(JSON.stringify(chunk)) + last;
  },
  last,
};
