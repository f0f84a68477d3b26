// The exit codes of commands that a person runs: 0 done, 1 found something wrong or could not do it, 2 wrong usage. scripts/stabletill.mjs
// prints the usage after a 2.

export const WRONG_USAGE = 2;
