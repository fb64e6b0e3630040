/** What is tried with every real program, with the words of the documentation. */
export const scenarios = {
  approve: 'a call runs when a person approves it',
  always: 'what is always allowed is not asked again',
  turns: 'a second turn uses the same process and session',
  reject: "the reason of a rejection is in the model's next request",
  revise: 'a revised input runs instead',
  two: 'two calls of one message are asked about',
  question: 'a question is answered',
  plan: 'a plan is approved and carried out',
  subagent: 'the calls of a subagent',
  steer: 'a message during a turn reaches the model',
  interrupt: 'a turn is interrupted, and the session used again',
  resume: 'a new process resumes the session',
  closed: 'the owner ended with a request open',
  killed: 'the owner was killed with a request open',
  running: 'the owner was killed while a call ran',
  stopped: 'what a stopped turn ran ends with it',
  crashed: 'what a killed program ran ends with it, and its session is resumed',
  fork: 'a branch continues in a fork of the session',
  image: 'an image reaches the model',
} as const;

export type Scenario = keyof typeof scenarios;
