import type { Config } from '../../config/config-schema.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import { Webhook } from '../../control/webhooks/webhook.ts';
import { defined } from '../../base/defined.ts';
import type { EventType } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';

interface WebhookHost {
  readonly log: EventLog;
  /** Secret values: they are replaced in what is sent. */
  readonly secrets: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly onDiagnostic?: OnDiagnostic | undefined;
}

/** Creates the webhooks of a configuration; a variable that holds a secret must be set. */
export function configuredWebhooks({ server }: Config, { log, secrets, env, onDiagnostic }: WebhookHost): Webhook[] {
  return (server?.webhooks ?? []).map(({ name, url, secret: given, types, resourceId, allowHosts }) => {
    const secret = typeof given === 'string' ? given : env[given.env];
    if (!secret)
      throw new SingletreeError(
        'invalid_config',
        `The secret of the webhook "${name}" is in ${JSON.stringify(given)}, which is not set.`,
      );
    return new Webhook({
      log,
      name,
      url,
      secret,
      secrets: [...secrets, secret],
      ...defined({ types: types as readonly EventType[] | undefined, resourceId, allowHosts, onDiagnostic }),
    });
  });
}
