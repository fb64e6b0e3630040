import '../styles/views.css';
import '../styles/settings.css';
import { useCallback, useState } from 'react';
import { errorText } from '../../../src/events/index.ts';
import type { GrantInfo, RulesInfo } from '../../../src/protocols/index.ts';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { ViewLink } from '../app/view-link.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import { useProjects } from '../projects/use-projects.ts';

interface RulesViewProps extends Pick<PageProps, 'client' | 'onMenu'> {
  readonly open: (address: Address) => void;
}

/** Everything that decides about the calls of agents in a project: rules with their sources, grants, MCP servers, skills. */
export function RulesView({ client, onMenu, open }: RulesViewProps) {
  const folder = useProjects()?.current?.folder;
  const load = useCallback(async () => {
    const [rules, grants] = await Promise.all([client.getRules({ folder }), client.listGrants()]);
    return { rules, grants };
  }, [client, folder]);
  const { value, problem, reload } = useLoaded(load);
  return (
    <main className="main">
      <TopBar title="Rules" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column settings-view">
          {problem !== undefined && <ViewProblem problem={problem} onRetry={reload} />}
          {value === undefined && problem === undefined && <ViewState title="Loading…" />}
          {value !== undefined && (
            <>
              <RuleTable {...value.rules} />
              <Grants
                grants={value.grants}
                open={open}
                onRevoke={async ({ threadId, relayId }) => {
                  await client.revokeGrant(threadId, relayId);
                  reload();
                }}
              />
              <Servers servers={value.rules.servers} />
              <Skills skills={value.rules.skills} />
            </>
          )}
        </div>
      </div>
    </main>
  );
}

function RuleTable({ folder, rules, fallback }: RulesInfo) {
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules of the coding agent</h2>
      <p className="settings-facts">
        In <code>{folder}</code>. A rule that denies always wins; of the others the most specific one decides. External
        agents also have settings of their own.
      </p>
      <table className="rule-table">
        <thead>
          <tr>
            <th scope="col">What happens</th>
            <th scope="col">To which calls</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id, and two can be the same.
            <tr key={at}>
              <td>
                <Policy policy={rule.policy} />
              </td>
              <td>
                <code>{describeRule(rule)}</code>
                {rule.reason !== undefined && <span className="settings-facts">{rule.reason}</span>}
              </td>
              <td>{rule.source}</td>
            </tr>
          ))}
          <tr>
            <td>
              <Policy policy={fallback.policy} />
            </td>
            <td>every other call</td>
            <td>{fallback.source}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function Policy({ policy }: { policy: string }) {
  return (
    <span className="policy" data-policy={policy}>
      {policy}
    </span>
  );
}

/** A rule in words: every part of it must match a call. */
function describeRule({ tool, category, command, input = {} }: RulesInfo['rules'][number]): string {
  return [
    command !== undefined && command,
    tool !== undefined && `tool ${tool}`,
    category !== undefined && `every ${category} tool`,
    ...Object.entries(input).map(([name, glob]) => `${name} ${glob}`),
  ]
    .filter(Boolean)
    .join(', ');
}

interface GrantsProps {
  readonly grants: readonly GrantInfo[];
  readonly open: (address: Address) => void;
  readonly onRevoke: (grant: GrantInfo) => Promise<void>;
}

function Grants({ grants, open, onRevoke }: GrantsProps) {
  const [problem, setProblem] = useState<string>();
  return (
    <section aria-labelledby="grants">
      <h2 id="grants">What you allowed for longer</h2>
      {grants.length === 0 && <p className="settings-facts">Nothing: every answer was for one call.</p>}
      <ul className="settings-rows">
        {grants.map(grant => (
          <li key={`${grant.threadId} ${grant.relayId}`} aria-label={grant.covers}>
            <div className="settings-row">
              <span>
                <code>{grant.covers}</code>
                <span className="settings-facts">
                  in{' '}
                  <ViewLink to={{ section: 'thread', threadId: grant.threadId }} open={open}>
                    {grant.title ?? 'Untitled'}
                  </ViewLink>
                  {grant.by !== undefined && ` · by ${grant.by}`}
                  {grant.at !== undefined && ` · ${new Date(grant.at).toLocaleString()}`}
                </span>
              </span>
              <button
                type="button"
                className="button"
                onClick={() => void onRevoke(grant).catch((error: unknown) => setProblem(errorText(error)))}
              >
                Revoke
              </button>
            </div>
          </li>
        ))}
      </ul>
      {problem !== undefined && (
        <p className="settings-result" role="alert" data-tone="bad">
          {problem}
        </p>
      )}
    </section>
  );
}

const states = { connected: 'connected', down: 'not available', closed: 'closed', unused: 'not started: no model yet' };

function Servers({ servers }: Pick<RulesInfo, 'servers'>) {
  return (
    <section aria-labelledby="mcp">
      <h2 id="mcp">MCP servers</h2>
      {servers.length === 0 && <p className="settings-facts">None: "mcpServers" of the configuration names them.</p>}
      <ul className="settings-rows">
        {servers.map(({ name, source, state, problem, tools }) => (
          <li key={name} aria-label={name}>
            <span>
              <strong>{name}</strong> · {states[state]}
            </span>
            {problem !== undefined && (
              <span className="settings-result" data-tone="bad">
                {problem}
              </span>
            )}
            <span className="settings-facts">
              {tools.length === 0 ? 'no tools' : tools.join(', ')} · from {source}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Skills({ skills }: Pick<RulesInfo, 'skills'>) {
  return (
    <section aria-labelledby="skills">
      <h2 id="skills">Skills</h2>
      {skills.length === 0 && <p className="settings-facts">None were found.</p>}
      <ul className="settings-rows">
        {skills.map(({ name, description, path }) => (
          <li key={path} aria-label={name}>
            <span>
              <strong>{name}</strong>
              <span className="settings-facts">{description}</span>
              <span className="settings-facts">{path}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
