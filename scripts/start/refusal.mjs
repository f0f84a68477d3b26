// The reason why a start ends: one sentence for the person at the terminal, without a stack. Any other error is a bug.

export class Refusal extends Error {
  name = 'Refusal';
}

/** Thrown inside a start that was stopped meanwhile. */
export class Stopped extends Error {
  name = 'Stopped';
}

/** The words of a command line cannot be used: the reader gets the sentence, if there is one, and the usage. */
export class WrongUsage extends Error {
  name = 'WrongUsage';
}
