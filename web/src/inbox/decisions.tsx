import { defined } from '../../../src/base/defined.ts';
import { useCallback, useEffect, useState } from 'react';
import { VList } from 'virtua';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { DecisionInfo } from '../../../src/protocols/http-api.ts';
import type { Address } from '../app/address.ts';
import { presentRelay } from '../../../src/projections/presentation/present-relay.ts';
import { relayIn } from '../relays/relay-summary.ts';
import { getTitle, useThreads } from '../threads/use-threads.ts';
import { Skeleton, ViewProblem } from '../parts/view-state.tsx';
import { agentName } from '../parts/agent-name.ts';

interface DecisionsProps {
  readonly client: Client;
  readonly agents: readonly AgentInfo[];
  readonly open: (address: Address) => void;
}

interface Loaded {
  readonly decisions: readonly DecisionInfo[];
  readonly next?: string | undefined;
  readonly problem?: string;
}

/** Who decided what and when, the newest first. */
export function Decisions({ client, agents, open }: DecisionsProps) {
  const [loaded, setLoaded] = useState<Loaded>();
  const { threads } = useThreads();
  // Every decision changes the pending relays, so a change of them reloads the list.
  const waiting = threads.flatMap(thread => thread.waiting ?? []).join();
  const load = useCallback(
    async (before: readonly DecisionInfo[], cursor?: string) => {
      try {
        const { decisions, next } = await client.listDecisions({ limit: 200, ...defined({ cursor }) });
        setLoaded({ decisions: [...before, ...decisions].toSorted(newestFirst), next });
      } catch (error) {
        setLoaded({ decisions: before, problem: errorText(error) });
      }
    },
    [client],
  );
  useEffect(() => {
    void load([]);
  }, [load, waiting]);

  if (loaded === undefined) return <Skeleton label="Loading the decisions" />;
  const { decisions, next, problem } = loaded;
  if (problem !== undefined) return <ViewProblem problem={problem} onRetry={() => void load([])} />;
  if (decisions.length === 0 && next === undefined)
    return (
      <div className="empty">
        <h2>Nothing was decided yet</h2>
        <p>Every answer is listed here, with who gave it and when.</p>
      </div>
    );
  return (
    <VList className="decisions">
      {decisions.map(info => (
        <DecisionRow key={`${info.threadId} ${info.id}`} info={info} agents={agents} open={open} />
      ))}
      {next !== undefined && (
        <p key="more">
          <button type="button" className="button" onClick={() => void load(decisions, next)}>
            Show earlier ones
          </button>
        </p>
      )}
    </VList>
  );
}

interface DecisionRowProps {
  readonly info: DecisionInfo;
  readonly agents: readonly AgentInfo[];
  readonly open: (address: Address) => void;
}

function DecisionRow({ info, agents, open }: DecisionRowProps) {
  const { summary } = presentRelay(relayIn(info), { agentId: info.agentId });
  const { answer } = info;
  const { label, tone } = describeVerdict(info);
  const when = answer?.ts ?? info.since;
  return (
    <button
      type="button"
      className="decision-item"
      onClick={() => open({ section: 'thread', threadId: info.threadId })}
    >
      <span className="verdict" data-tone={tone}>
        {label}
      </span>
      <span className="inbox-what">{agentName(agents, info.agentId)}</span>
      <span className="inbox-detail" data-kind={info.relay.relayKind}>
        {summary}
      </span>
      {answer?.feedback !== undefined && answer.feedback !== '' && (
        <span className="inbox-reason">“{answer.feedback}”</span>
      )}
      <span className="thread-facts">
        {answer === undefined ? 'nobody' : (answer.by ?? 'you')}
        {when !== undefined && (
          <>
            {' · '}
            <time dateTime={when}>{new Date(when).toLocaleString()}</time>
          </>
        )}
        {' · '}
        <bdi>{getTitle(info)}</bdi>
      </span>
    </button>
  );
}

function describeVerdict({ answer, reason }: DecisionInfo): { readonly label: string; readonly tone?: string } {
  if (reason === 'expired') return { label: 'Expired' };
  if (reason === 'cancelled') return { label: 'Withdrawn' };
  if (answer === undefined) return { label: 'Run ended' };
  return verdicts[answer.outcome] ?? { label: answer.outcome };
}

const verdicts: Readonly<Record<string, { readonly label: string; readonly tone?: string }>> = {
  approve: { label: 'Approved', tone: 'good' },
  revise: { label: 'Changed', tone: 'good' },
  answer: { label: 'Answered', tone: 'good' },
  reject: { label: 'Rejected', tone: 'bad' },
};

function newestFirst(a: DecisionInfo, b: DecisionInfo): number {
  const [one, other] = [a.answer?.ts ?? a.since ?? '', b.answer?.ts ?? b.since ?? ''];
  return one < other ? 1 : one > other ? -1 : 0;
}
