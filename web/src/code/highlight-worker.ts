import { highlight } from './highlighter.ts';

addEventListener('message', ({ data }: MessageEvent<{ id: number; code: string; language: string }>) => {
  // Without colours the code is shown as it is.
  void highlight(data.code, data.language)
    .catch(() => undefined)
    .then(lines => postMessage({ id: data.id, lines }));
});
