import { type KeyboardEvent, useRef, useState } from 'react';
import { errorText } from '../../../src/events/index.ts';
import type { AgentInfo, MessageBody } from '../../../src/protocols/index.ts';
import { isSendKey } from '../app/preferences.ts';
import { SendIcon, StopIcon } from '../parts/icons.tsx';

interface ComposerProps {
  readonly agents: readonly AgentInfo[];
  /** The preselected agent. Default: the first. */
  readonly usual?: string | undefined;
  readonly running: boolean;
  readonly onSend: (message: MessageBody) => Promise<void>;
  readonly onStop?: () => void;
}

/** The input field. The chosen key sends, Shift+Enter inserts a new line; text that could not be sent stays. */
export function Composer({ agents, usual, running, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const [agentId, setAgentId] = useState<string>();
  const [lastUsual, setLastUsual] = useState(usual);
  if (usual !== lastUsual) {
    // A new preselection replaces an earlier choice.
    setLastUsual(usual);
    setAgentId(undefined);
  }
  const [model, setModel] = useState('');
  /** The mode that the next message changes the thread to; empty to leave it as it is. */
  const [mode, setMode] = useState('');
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const agent = agents.find(each => each.id === (agentId ?? usual)) ?? agents[0];
  const models = agent?.models ?? [];
  const modes = agent?.modes ?? [];

  const send = async () => {
    const content = text.trim();
    if (content === '' || sending) return;
    setSending(true);
    try {
      await onSend({
        content,
        ...(agent && { agent: agent.id }),
        ...(models.includes(model) && { model }),
        ...(modes.some(({ id }) => id === mode) && { mode }),
      });
      setText('');
      setMode('');
      setProblem(undefined);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setSending(false);
      field.current?.focus();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    void send();
  };

  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
    >
      {problem !== undefined && (
        <p className="composer-problem" role="alert">
          {problem}
        </p>
      )}
      <textarea
        ref={field}
        aria-label="Message"
        placeholder={running ? 'Say something to the running agent' : 'Write a message'}
        rows={1}
        value={text}
        autoFocus={matchMedia('(pointer: fine)').matches}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-row">
        <Picker label="Agent" value={agent?.id ?? ''} onChange={setAgentId} disabled={running}>
          {agents.map(({ id, name }) => ({ value: id, label: name }))}
        </Picker>
        {models.length > 0 && (
          <Picker label="Model" value={models.includes(model) ? model : ''} onChange={setModel} disabled={running}>
            {[{ value: '', label: 'Default model' }, ...models.map(id => ({ value: id, label: id }))]}
          </Picker>
        )}
        {modes.length > 0 && (
          <Picker
            label="Mode"
            value={modes.some(({ id }) => id === mode) ? mode : ''}
            onChange={setMode}
            disabled={running}
          >
            {[{ value: '', label: 'Current mode' }, ...modes.map(({ id, name }) => ({ value: id, label: name }))]}
          </Picker>
        )}
        <span className="spacer" />
        {running && onStop && (
          <button type="button" className="round-button stop" aria-label="Stop" title="Stop" onClick={onStop}>
            <StopIcon />
          </button>
        )}
        <button
          type="submit"
          className="round-button send"
          aria-label="Send"
          title="Send"
          disabled={text.trim() === '' || sending}
        >
          <SendIcon />
        </button>
      </div>
    </form>
  );
}

interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
  readonly onChange: (value: string) => void;
  readonly children: readonly { readonly value: string; readonly label: string }[];
}

function Picker({ label, value, disabled, onChange, children }: PickerProps) {
  return (
    <select
      className="picker"
      aria-label={label}
      value={value}
      disabled={disabled || children.length === 0}
      onChange={event => onChange(event.target.value)}
    >
      {children.map(option => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
