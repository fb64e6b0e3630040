import { type Framing, sseFraming } from '../framing.ts';

/** Server-sent events as AI SDK clients expect them: marked by a header, ended by `[DONE]`. */
export const aiSdkFraming: Framing = {
  ...sseFraming,
  headers: { ...sseFraming.headers, 'x-vercel-ai-ui-message-stream': 'v1' },
  last: 'data: [DONE]\n\n',
};
