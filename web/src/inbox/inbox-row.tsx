import { memo } from 'react';
import type { AgentInfo, RelayInfo } from '../../../src/protocols/index.ts';
import { pathName } from '../parts/folder-path.ts';
import { timeAgo } from '../../../src/projections/presentation/wording.ts';
import { summaryOf } from '../relays/relay-summary.ts';
import { titleOf } from '../threads/use-threads.ts';
import { agentName } from '../parts/agent-name.ts';

interface InboxRowProps {
  readonly info: RelayInfo;
  readonly agents: readonly AgentInfo[];
  /** The folder that its thread works in. */
  readonly folder: string | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (relayId: string) => void;
}

/** A relay in the list: what is asked, the exact command or question, by whom, where and since when. */
export const InboxRow = memo(function InboxRow({ info, agents, folder, isChosen, onChoose }: InboxRowProps) {
  const { what, detail } = summaryOf({ relay: info.relay, agentId: agentName(agents, info.agentId) });
  return (
    <button type="button" className="inbox-row" aria-pressed={isChosen} onClick={() => onChoose(info.id)}>
      <span className="inbox-what">{what}</span>
      <span className="inbox-detail" data-kind={info.relay.relayKind}>
        {pathName(detail, folder)}
      </span>
      <span className="thread-facts">
        <bdi>{titleOf(info)}</bdi>
        {info.since !== undefined && ` · ${timeAgo(info.since, Date.now())}`}
      </span>
    </button>
  );
});
