import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { useBranches } from './branch-actions.ts';
import { EditIcon } from '../parts/icons.tsx';
import { type Content, messageText, withWords, toWords } from './message-words.ts';
import { isImage } from '../composer/attachments.ts';
import { MessageEditor } from './message-editor.tsx';
import { CopyLink, MessageTime } from './message-foot.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';
import { VersionSwitcher } from './version-switcher.tsx';

/** The content of a user message, with the name of its author when the server has named tokens. */
export function Bubble({ content, by }: { content: Content; by?: string | undefined }) {
  return (
    <p className="bubble" role="article" aria-label={by ?? 'You'}>
      {by !== undefined && <strong>{`${by}: `}</strong>}
      {typeof content === 'string' ? content : content.map(partView)}
    </p>
  );
}

function partView(part: Exclude<Content, string>[number], index: number): ReactNode {
  // The data may be an address instead: nothing is loaded from elsewhere.
  if (part.type === 'image' && isImage(part) && !part.data.includes(':'))
    return (
      <img key={index} className="bubble-image" src={`data:${part.mediaType};base64,${part.data}`} alt="Attached" />
    );
  if (part.type === 'text') return <span key={index}>{part.text}</span>;
  return (
    <span key={index} className="bubble-file">
      {messageText({ content: [part] })}
    </span>
  );
}

interface UserMessageProps {
  readonly content: Content;
  readonly by: string | undefined;
  /** When it was sent. */
  readonly at: string | undefined;
  readonly messageId: string;
  readonly siblings: ViewNode['siblings'];
  /** The seq of its event. */
  readonly seq: number;
}

/** A user message that can be edited, with a switcher of its versions. */
export const UserMessage = memo(function UserMessage(props: UserMessageProps) {
  const { content, by, at, messageId, siblings, seq } = props;
  const { edit, branchInto, blocked } = useBranches();
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
          text={toWords(content)}
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
        <QuietButton blocked={blocked} onClick={() => branchInto(messageId)}>
          Branch into…
        </QuietButton>
        <CopyLink seq={seq} />
        {siblings.count > 1 && <VersionSwitcher siblings={siblings} />}
        <MessageTime at={at} />
      </div>
    </div>
  );
});
