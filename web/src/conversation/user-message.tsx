import { memo, useEffect, useRef, useState } from 'react';
import type { ContentPart } from '../../../src/events/index.ts';
import type { ViewNode } from '../../../src/projections/index.ts';
import type { MessageBody } from '../../../src/protocols/index.ts';
import { useBranches } from './branch-actions.ts';
import { CopyLink } from './copy-link.tsx';
import { EditIcon } from '../parts/icons.tsx';
import { MessageEditor } from './message-editor.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';
import { VersionSwitcher } from './version-switcher.tsx';

type Content = string | readonly ContentPart[];

/** Returns the text of a message; names other content. */
export function messageText({ content }: { content: Content }): string {
  if (typeof content === 'string') return content;
  return content
    .map(part => (part.type === 'text' ? part.text : part.type === 'file' ? `[${part.filename ?? 'file'}]` : '[image]'))
    .join('\n');
}

/** The content of a user message, with the name of its author when the server has named tokens. */
export function Bubble({ content, by }: { content: Content; by?: string | undefined }) {
  return (
    <p className="bubble" role="article" aria-label={by ?? 'You'}>
      {by !== undefined && <strong>{`${by}: `}</strong>}
      {messageText({ content })}
    </p>
  );
}

interface UserMessageProps {
  readonly content: Content;
  readonly by: string | undefined;
  readonly messageId: string;
  readonly siblings: ViewNode['siblings'];
  /** The seq of its event. */
  readonly seq: number;
}

/** A user message that can be edited, with a switcher of its versions. */
export const UserMessage = memo(function UserMessage({ content, by, messageId, siblings, seq }: UserMessageProps) {
  const { edit, blocked } = useBranches();
  const [edited, setEdited] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const editing = edited === messageId;
  const wasEditing = useRef(false);

  // The editor stays until the new version has replaced the edited one.
  useEffect(() => setEdited(undefined), [messageId]);
  useEffect(() => {
    if (wasEditing.current && !editing) button.current?.focus({ preventScroll: true });
    wasEditing.current = editing;
  }, [editing]);

  if (editing)
    return (
      <div className="message">
        <MessageEditor
          text={wordsOf(content)}
          onSave={text => edit(messageId, withWords(content, text))}
          onCancel={() => setEdited(undefined)}
        />
      </div>
    );
  return (
    <div className="message">
      <Bubble content={content} by={by} />
      <div className="actions">
        <QuietButton ref={button} blocked={blocked} onClick={() => setEdited(messageId)}>
          <EditIcon />
          Edit
        </QuietButton>
        <CopyLink seq={seq} />
        {siblings.count > 1 && <VersionSwitcher siblings={siblings} />}
      </div>
    </div>
  );
});

function wordsOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the content with another text; images and files stay. */
function withWords(content: Content, text: string): MessageBody['content'] {
  if (typeof content === 'string') return text;
  return [{ type: 'text', text }, ...content.filter(part => part.type !== 'text')];
}
