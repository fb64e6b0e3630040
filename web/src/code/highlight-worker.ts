import { highlight } from './highlighter.ts';

addEventListener('message', ({ data }: MessageEvent<{ id: number; code: string; language: string }>) => {
  void highlight(data.code, data.language)
    .catch(() => undefined)
    .then(lines => postMessage({ id: data.id, lines }));
});
