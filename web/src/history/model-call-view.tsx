import type { Message } from '../../../src/projections/message.ts';
import type { CallDifference, ModelCall } from '../../../src/projections/model-call.ts';
import { dollars, durationText, readable } from '../../../src/projections/presentation/wording.ts';
import { downloadText } from '../code/download-text.ts';
import { visibleText } from '../code/visible-text.ts';
import { JsonTree } from './json-tree.tsx';
import { useAnswer, type useHistory } from './use-history.ts';

interface ModelCallViewProps {
  readonly state: ReturnType<typeof useHistory>;
  readonly seq: number;
  /** Opens another event. */
  readonly open: (seq: number) => void;
}

/**
 * The model call that an event belongs to: its usage, its request, the difference from the previous call, and its
 * answer.
 */
export function ModelCallView({ state, seq, open }: ModelCallViewProps) {
  const call = useAnswer(state, 'modelCall', seq);
  if (call === undefined) return null;
  const { request, report, difference, answer, problem } = call;
  const download = async () => {
    const text = await state.history?.ask('requestText', seq);
    if (text !== undefined) downloadText(text, `request-${call.seq}.json`);
  };
  return (
    <section className="model-call" aria-label="Model call">
      <CallFacts call={call} />
      {problem !== undefined && (
        <p className="card-line" data-tone="bad">
          {problem}
        </p>
      )}
      <h3>
        Sent
        {request !== undefined && (
          <button type="button" className="quiet-button" onClick={() => void download()}>
            Download
          </button>
        )}
      </h3>
      {difference !== undefined && <Difference difference={difference} open={open} />}
      {request !== undefined && <Sent request={request} same={difference?.sameMessages ?? 0} />}
      {report !== undefined && (
        <>
          <p className="view-note">The program reported only this of its call. What it sent is not known.</p>
          <JsonTree name="settings" value={report.settings} />
          <Tools tools={report.tools} />
        </>
      )}
      {request === undefined && report === undefined && (
        <p className="view-note">The log does not have what was sent: this agent does not report it.</p>
      )}
      <h3>Answer</h3>
      <Answer answer={answer} />
    </section>
  );
}

/** The model, tokens, cache, cost and time of a call. */
function CallFacts({ call: { model, attempt, step, usage, firstMs, wholeMs, request } }: { call: ModelCall }) {
  const facts = {
    Model: model === undefined || request === undefined ? model : `${model} (${request.provider})`,
    Call: `${step + 1} of its run${attempt === undefined ? '' : `, attempt ${attempt}`}`,
    Sent: tokens(usage?.inputTokens),
    'From cache': usage?.cacheReadTokens === undefined ? undefined : cached(usage),
    'To cache': tokens(usage?.cacheWriteTokens),
    Received: tokens(usage?.outputTokens),
    Reasoning: tokens(usage?.reasoningTokens),
    'Cost (estimated)': usage?.cost === undefined ? undefined : `≈ ${dollars(usage.cost)}`,
    Time: wholeMs === undefined ? undefined : durationText(wholeMs),
    'First words after': firstMs === undefined ? undefined : durationText(firstMs),
    Ended: usage?.finishReason,
  };
  return (
    <dl className="call-facts">
      {Object.entries(facts).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function tokens(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count.toLocaleString('en')} tokens`;
}

function cached({ inputTokens, cacheReadTokens = 0 }: NonNullable<ModelCall['usage']>): string {
  const share = inputTokens === 0 ? '' : `, ${Math.round((cacheReadTokens / inputTokens) * 100)} %`;
  return `${tokens(cacheReadTokens)}${share}`;
}

/** States how the call differs from the previous one. */
function Difference({ difference, open }: { difference: CallDifference; open: (seq: number) => void }) {
  const { seq, sameMessages, messagesBefore, changed } = difference;
  const isPrefix = sameMessages === messagesBefore;
  return (
    <p className="view-note">
      {'Compared with the '}
      <button type="button" className="link-button" onClick={() => open(seq)}>
        call before
      </button>
      {isPrefix
        ? `: its ${sameMessages === 1 ? 'message' : `${sameMessages} messages`} again, and new ones after`
        : `: the first ${sameMessages} of its ${messagesBefore} messages again, others after`}
      {changed.length === 0 ? '. Nothing else changed.' : `. Also changed: ${changed.join(', ')}.`}
    </p>
  );
}

function Sent({ request, same }: { request: NonNullable<ModelCall['request']>; same: number }) {
  const { instructions, tools, settings, messages } = request;
  const [before, after] = [messages.slice(0, same), messages.slice(same)];
  return (
    <>
      {instructions !== undefined && (
        <details className="call-part">
          <summary>Instructions</summary>
          <CallText text={instructions} />
        </details>
      )}
      <Tools tools={tools} />
      {Object.keys(settings).length > 0 && (
        <details className="call-part">
          <summary>Settings</summary>
          <JsonTree value={settings} isOpen />
        </details>
      )}
      {before.length > 0 && (
        <details className="call-part">
          <summary>{before.length === 1 ? '1 message as before' : `${before.length} messages as before`}</summary>
          <Messages messages={before} first={0} />
        </details>
      )}
      <Messages messages={after} first={same} isNew={same > 0} />
    </>
  );
}

function Tools({ tools }: { tools: NonNullable<ModelCall['request']>['tools'] }) {
  if (tools.length === 0) return null;
  return (
    <details className="call-part">
      <summary>{tools.length === 1 ? '1 tool' : `${tools.length} tools`}</summary>
      {tools.map((tool, index) => {
        const name = typeof tool['name'] === 'string' ? tool['name'] : `${index + 1}`;
        return <JsonTree key={name} name={name} value={tool} />;
      })}
    </details>
  );
}

interface MessagesProps {
  readonly messages: readonly Message[];
  /** The place of the first. */
  readonly first: number;
  /** Whether the call before did not have them. */
  readonly isNew?: boolean;
}

function Messages({ messages, first, isNew = false }: MessagesProps) {
  return messages.map(({ role, content }, index) => (
    // Messages of a request have no other name than their place.
    // oxlint-disable-next-line no-array-index-key
    <section key={first + index} className="call-message" data-new={isNew} aria-label={`Message ${first + index + 1}`}>
      <h4>
        {role}
        {isNew && <span className="call-new">new</span>}
      </h4>
      {(typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((part, at) =>
        'text' in part && typeof part.text === 'string' ? (
          // oxlint-disable-next-line no-array-index-key
          <CallText key={at} text={part.text} />
        ) : (
          // oxlint-disable-next-line no-array-index-key
          <JsonTree key={at} name={part.type} value={part} />
        ),
      )}
    </section>
  ));
}

function Answer({ answer: { reasoning, text, calls } }: Pick<ModelCall, 'answer'>) {
  if (reasoning === '' && text === '' && calls.length === 0) return <p className="view-note">Nothing came back.</p>;
  return (
    <>
      {reasoning !== '' && (
        <details className="call-part">
          <summary>Reasoning</summary>
          <CallText text={reasoning} />
        </details>
      )}
      {text !== '' && <CallText text={text} />}
      {calls.map(({ name, input }, index) => (
        // Calls of an answer have no other name than their place.
        // oxlint-disable-next-line no-array-index-key
        <div key={index} className="call-message">
          <h4>{name}</h4>
          <CallText text={readable(input)} />
        </div>
      ))}
    </>
  );
}

/** A text as it was sent or received; a long one can be scrolled, also by keyboard. */
function CallText({ text }: { text: string }) {
  return <pre tabIndex={0}>{visibleText(text)}</pre>;
}
