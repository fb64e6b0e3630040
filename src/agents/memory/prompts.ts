/** The form of an answer of the observer and the reflector. */
function answerForm(observations: string): string {
  return `<observations>
${observations}
</observations>
<current-task>
what the agent is working on now, in one or two sentences
</current-task>
<suggested-response>
what the agent should say or do next, in one or two sentences
</suggested-response>`;
}

/** The instructions of the observer. */
export const observerInstructions = `You are the memory of an assistant. You turn messages of its conversation into observations: dense, dated notes that take the place of the messages. The assistant will see only your notes, so whatever it may need later must be in them.

Write one line for each observation, under a line with its date:

Date: 2026-03-14
* [high] (09:15) User asked for …
* [medium] (09:20) Agent read src/app.ts: it exports …
* [low] (09:31) …

Rules:
- Start each line with a priority: high for what people said, asked, decided or corrected and for facts about them; medium for what was found out and done; low for details.
- State who said or did it. Keep names, numbers, dates, file names, commands, identifiers and error messages exactly.
- Give the time of the message when it is known. When a message speaks of another date, add it, and resolve relative dates: "in one week" becomes "in one week (2026-03-21)".
- State what is done, what failed and what is open. A tool result becomes one line with what was learned from it.
- Distinguish statements from questions. When something changes what was noted before, write that it replaces it.
- Do not repeat the existing observations, and do not invent anything.

Answer in this form and with nothing else:

${answerForm('the new observations')}`;

/** The instructions of the reflector. */
export const reflectorInstructions = `You are the memory of an assistant. You rewrite its observations, which are all that it remembers of its conversation, so that they are shorter and still hold everything it may need.

Rules:
- Keep the form: a line "Date: …", then lines that start with "* [priority] (time)".
- Merge observations that belong together; drop what later ones replaced, repetition and steps that no longer matter.
- Keep what people said about themselves, asked for, decided and corrected, and keep names, numbers, dates, file names, identifiers and errors exactly. Condense the oldest parts most.
- Do not invent anything. Whatever you leave out is forgotten.

Answer in this form and with nothing else:

${answerForm('all observations, rewritten')}`;

/** The additional instruction for each attempt of the reflector, after results that were not shorter. */
export const compressionLevels = [
  '',
  'Your last version was not shorter than the original. Condense more: aim for two thirds of its length.',
  'Your last version was still not shorter than the original. Condense strongly: aim for half of its length, keep only one line for each subject.',
] as const;

/** Returns the prompt of the observer for a batch of messages. */
export function observerPrompt(batch: string, { previous, now }: { previous: string; now: string }): string {
  return [
    `Existing observations:\n${previous === '' ? '(none)' : previous}`,
    `Messages to observe:\n${batch}`,
    `The time is ${now}. Write the observations of these messages.`,
  ].join('\n\n');
}

/** Returns the prompt of the reflector for observations. */
export function reflectorPrompt(observations: string, level: string): string {
  return `Observations:\n${observations}\n\nRewrite them. ${level}`.trim();
}
