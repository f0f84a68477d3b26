// Why a start ends: one sentence for the person at the terminal, without a stack. Any other error is a fault of ours.

export class Refusal extends Error {
  name = 'Refusal';
}

/** Thrown inside a start that was told to stop meanwhile. */
export class Stopped extends Error {
  name = 'Stopped';
}
