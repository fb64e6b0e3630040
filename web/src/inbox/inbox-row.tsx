import { memo } from 'react';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { RelayInfo } from '../../../src/protocols/http-api.ts';
import { visibleText } from '../code/visible-text.ts';
import { momentText, timeAgo } from '../../../src/projections/presentation/wording.ts';
import { presentRelay } from '../../../src/projections/presentation/present-relay.ts';
import { relayIn } from '../relays/relay-summary.ts';
import { getTitle } from '../threads/use-threads.ts';
import { agentName } from '../parts/agent-name.ts';

interface InboxRowProps {
  readonly info: RelayInfo;
  readonly agents: readonly AgentInfo[];
  /** The folder that its thread works in. */
  readonly folder: string | undefined;
  /** The time that its age refers to. */
  readonly now: number;
  /** When a postponed relay is due. */
  readonly until: number | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (relayId: string) => void;
}

/** A relay in the list: what is asked, the exact command or question, by whom, where and since when. */
export const InboxRow = memo(function InboxRow(props: InboxRowProps) {
  const { info, agents, folder, now, until, isChosen, onChoose } = props;
  const { summary, risks } = presentRelay(relayIn(info), { agentId: info.agentId, cwd: folder });
  return (
    <button
      type="button"
      className="inbox-row"
      data-later={until !== undefined}
      aria-pressed={isChosen}
      onClick={() => onChoose(info.id)}
    >
      <span className="inbox-what">{agentName(agents, info.agentId)}</span>
      <span className="inbox-detail" data-kind={info.relay.relayKind}>
        {visibleText(summary)}
      </span>
      {risks.length > 0 && <span className="relay-risk">{visibleText(risks.join('; '))}</span>}
      <span className="thread-facts">
        <bdi>{getTitle(info)}</bdi>
        {info.since !== undefined && ` · ${timeAgo(info.since, now)}`}
        {until !== undefined && ` · reminds you at ${momentText(new Date(until).toISOString(), now)}`}
      </span>
    </button>
  );
});
