// Benchmark of Solana, which is read by account: the requests for a hundred thousand token accounts, and the duration
// of a run. The first run derives the addresses; later runs have them stored.

/** Each has one account per token. */
export const OWNERS = 50_000;
const TOKENS = 2;
const PASSES = 2;
const ACCOUNTS_PER_REQUEST = 100;
/** Slots a second on the real network. */
const SLOTS_PER_SECOND = 2.5;
const STARTING_SLOT = 1000;
/** Accounts requested again because their owner is due, in requests. */
const SLACK = 0.02;

export async function readAccounts({ nodes, watcher }) {
  const network = 'solana';
  const accounts = OWNERS * TOKENS;
  console.log(`\nsolana: a pass over ${accounts} token accounts`);
  console.log('     pass   requests   accounts   seconds   watcher CPU s');
  let asked = await nodes.set({ network, height: STARTING_SLOT, perSecond: SLOTS_PER_SECOND });
  let last;
  for (let pass = 0; pass <= PASSES; pass++) {
    const result = await watcher.run({ database: 0, passes: 1 });
    const now = await nodes.set({ network, height: STARTING_SLOT * (pass + 2), perSecond: SLOTS_PER_SECOND });
    last = { requests: now.requests - asked.requests, accounts: now.accounts - asked.accounts };
    asked = now;
    const name = pass === 0 ? 'first' : String(pass);
    const seconds = [result.wallMs, result.cpuMs].map((one) => (one / 1000).toFixed(2));
    console.log(
      `${name.padStart(9)} ${String(last.requests).padStart(10)} ${String(last.accounts).padStart(10)} ${seconds[0].padStart(9)} ${seconds[1].padStart(15)}`,
    );
  }
  // A run reads twice: above finality for display, and at finality for credit.
  const looks = Math.round(last.accounts / accounts);
  const perLook = last.requests / looks;
  const target = accounts / ACCOUNTS_PER_REQUEST;
  return [
    {
      what: `solana: requests for ${accounts} accounts, each of ${looks} looks`,
      value: perLook.toFixed(0),
      target: `${target}, accounts / ${ACCOUNTS_PER_REQUEST}`,
      met: looks >= 1 && perLook <= target * (1 + SLACK),
    },
  ];
}
