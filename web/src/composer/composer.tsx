import { type DragEvent, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { MessageBody } from '../../../src/protocols/http-api.ts';
import { CommentChips } from '../comments/comment-chips.tsx';
import { commentsMessage } from '../comments/comment.ts';
import { useCommentsContext } from '../comments/use-comments.ts';
import { AgentPickers, type UsualChoice, useAgentChoice } from './agent-pickers.tsx';
import { AttachmentChips } from './attachment-chips.tsx';
import { toContent } from './attachments.ts';
import { choiceCommands } from './choice-commands.ts';
import { AttachButton, SendButtons } from './composer-buttons.tsx';
import { MessageField } from './message-field.tsx';
import { type PageCommand, PageCommands, readCommand } from './page-command.ts';
import { WorktreeCheck } from '../parts/worktree-check.tsx';
import { useAttachments } from './use-attachments.ts';
import type { FindFiles } from './use-completion.ts';
import { useDraft } from './use-draft.ts';
import { useSentTexts } from './use-sent-texts.ts';

interface ComposerProps {
  readonly agents: readonly AgentInfo[];
  /** The default choice. Without one: the first agent with its first model and mode. */
  readonly usual: UsualChoice;
  /** The thread whose draft is stored; absent before the thread exists. */
  readonly threadId?: string;
  readonly running: boolean;
  /** The commands of the thread. */
  readonly commands?: readonly PageCommand[];
  readonly findFiles: FindFiles;
  readonly onSend: (message: MessageBody) => Promise<void>;
  readonly onStop?: () => void;
  /** Whether another agent continues in a separate worktree. */
  readonly apart?: { readonly isApart: boolean; readonly setApart: (isApart: boolean) => void };
  /** Shown next to the buttons. */
  readonly children?: ReactNode;
}

const noCommands: readonly PageCommand[] = [];

/**
 * The input field, with attachments and the comments to send. While a run is under way a message goes into it, or waits
 * until it has ended; text that could not be sent stays.
 */
export function Composer(props: ComposerProps) {
  const {
    agents,
    usual,
    threadId = 'new',
    running,
    commands: own = noCommands,
    findFiles,
    onStop,
    apart,
    children,
  } = props;
  const [problem, setProblem] = useState<string>();
  const choice = useAgentChoice(agents, usual);
  const attached = useAttachments(setProblem);
  const ofPage = useContext(PageCommands);
  const commands = useMemo(() => [...choiceCommands(choice), ...own, ...ofPage], [choice, own, ofPage]);
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, setText, sent, isEmpty, isSending, send, comments } = useMessage({
    ...props,
    threadId,
    choice,
    attached,
    commands,
    setProblem,
    onDone: () => field.current?.focus(),
  });
  const { isOver, ...drop } = useDrop(attached.add);
  return (
    <form
      className="composer"
      data-over={isOver}
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
      {...drop}
    >
      {problem !== undefined && (
        <p className="composer-problem" role="alert">
          {problem}
        </p>
      )}
      {comments && <CommentChips comments={comments} />}
      <AttachmentChips attachments={attached.attachments} onRemove={attached.remove} />
      <MessageField
        ref={field}
        text={text}
        setText={setText}
        commands={commands}
        findFiles={findFiles}
        sent={sent}
        isRunning={running}
        onSubmit={(delivery, line) => void send(delivery, line)}
        onFiles={attached.add}
      />
      {apart && !running && usual.agent !== undefined && choice.chosen.agent !== usual.agent && (
        <WorktreeCheck isChecked={apart.isApart} onChange={apart.setApart} />
      )}
      <div className="composer-row">
        <AttachButton onFiles={attached.add} />
        <AgentPickers choice={choice} disabled={running} />
        <span className="spacer" />
        {children}
        <SendButtons
          isRunning={running}
          isDisabled={isEmpty || isSending}
          onQueue={() => void send('follow_up')}
          onStop={onStop}
        />
      </div>
    </form>
  );
}

interface WrittenMessage extends Pick<ComposerProps, 'onSend'> {
  readonly threadId: string;
  readonly choice: ReturnType<typeof useAgentChoice>;
  readonly attached: ReturnType<typeof useAttachments>;
  readonly commands: readonly PageCommand[];
  readonly setProblem: (problem: string | undefined) => void;
  readonly onDone: () => void;
}

/** The message that is written, and what sends it: a line that is a command is carried out instead. */
function useMessage({ threadId, choice, attached, commands, setProblem, onSend, onDone }: WrittenMessage) {
  const { text, setText, clear: clearText } = useDraft(threadId);
  const [isSending, setSending] = useState(false);
  const sent = useSentTexts();
  const comments = useCommentsContext();
  const { attachments, clear } = attached;
  const isEmpty = text.trim() === '' && attachments.length === 0 && (comments?.list.length ?? 0) === 0;
  const send = async (delivery?: MessageBody['delivery'], line = text) => {
    if ((isEmpty && line === text) || isSending) return;
    setSending(true);
    try {
      const found = readCommand(line, commands);
      const message = found === undefined ? line.trim() : found.command.run(found.argument);
      sent.add(line.trim());
      if (message !== undefined) {
        const words = commentsMessage(comments?.list ?? [], message);
        await onSend({ content: toContent(words, attachments), ...choice.chosen, ...(delivery && { delivery }) });
        choice.setMode('');
        clear();
        comments?.clear();
      }
      clearText();
      setProblem(undefined);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setSending(false);
      onDone();
    }
  };
  return { text, setText, sent, isEmpty, isSending, send, comments };
}

/** Takes files that are dropped. */
function useDrop(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      const files = [...event.dataTransfer.files];
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    },
  };
}
