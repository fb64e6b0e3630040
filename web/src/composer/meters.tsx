import { useEffect, useId, useRef, useState } from 'react';
import type { ContextUse, UsageTotal } from '../../../src/projections/reading/thread-reading.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import { dollars, shortCount } from '../../../src/projections/presentation/wording.ts';
import { contextShare } from './context-share.ts';

interface MetersProps {
  readonly usage: UsageTotal;
  readonly context: ContextUse | undefined;
  readonly agents: readonly AgentInfo[];
}

/** A ring that shows how full the context is, with tokens, cache and cost behind it. */
export function Meters({ usage, context, agents }: MetersProps) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!(target instanceof Node) || element.current?.contains(target) !== true) setOpen(false);
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [isOpen]);
  if (usage.inputTokens + usage.outputTokens === 0) return null;
  const share = contextShare(context, agents);
  const percent = share === undefined ? undefined : Math.round(share.used * 100);
  return (
    <div
      className="meters"
      ref={element}
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.preventDefault();
        setOpen(false);
      }}
    >
      <button
        type="button"
        className="meter-button"
        aria-label={percent === undefined ? 'Usage' : `Usage: ${percent} % of the context used`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <svg
          viewBox="0 0 20 20"
          className="meter-ring"
          data-full={percent !== undefined && percent > 90}
          aria-hidden="true"
        >
          <circle cx="10" cy="10" r="7.5" pathLength={100} />
          <circle
            cx="10"
            cy="10"
            r="7.5"
            pathLength={100}
            className="meter-used"
            strokeDasharray={`${percent ?? 0} 100`}
          />
        </svg>
      </button>
      {isOpen && (
        <dl className="meter-popover" id={id}>
          {context && (
            <Row name="Context">
              {share === undefined
                ? `${shortCount(context.tokens)} tokens`
                : `${shortCount(context.tokens)} of ${shortCount(share.window)}, ${100 - (percent ?? 0)} % left`}
            </Row>
          )}
          <Row name="Sent">{`${shortCount(usage.inputTokens)} tokens`}</Row>
          {usage.cacheReadTokens !== undefined && usage.inputTokens > 0 && (
            <Row name="From cache">
              {`${shortCount(usage.cacheReadTokens)}, ${Math.round((usage.cacheReadTokens / usage.inputTokens) * 100)} %`}
            </Row>
          )}
          {usage.cacheWriteTokens !== undefined && <Row name="To cache">{shortCount(usage.cacheWriteTokens)}</Row>}
          <Row name="Received">{`${shortCount(usage.outputTokens)} tokens`}</Row>
          {usage.reasoningTokens !== undefined && <Row name="Reasoning">{shortCount(usage.reasoningTokens)}</Row>}
          {usage.cost !== undefined && <Row name="Cost (estimated)">{`≈ ${dollars(usage.cost)}`}</Row>}
        </dl>
      )}
    </div>
  );
}

function Row({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
