import type { ContentPart } from '../../src/events/index.ts';

/** The text of a message; what is not text is named. */
export function messageText({ content }: { content: string | readonly ContentPart[] }): string {
  if (typeof content === 'string') return content;
  return content
    .map(part => (part.type === 'text' ? part.text : part.type === 'file' ? `[${part.filename ?? 'file'}]` : '[image]'))
    .join('\n');
}

/** What a person said. */
export function UserMessage({ content }: { content: string | readonly ContentPart[] }) {
  return (
    <p className="bubble" role="article" aria-label="You">
      {messageText({ content })}
    </p>
  );
}
