// What is measured on Solana, which is read by account: how many requests it takes to look at a hundred thousand token
// accounts, and how long a pass of the watcher over them is. The first pass derives their addresses; the others know them.

/** Each has an account per token. */
export const OWNERS = 50_000;
const TOKENS = 2;
const PASSES = 2;
const ACCOUNTS_PER_REQUEST = 100;
/** Slots a second on the real network. */
const SLOTS_PER_SECOND = 2.5;
const STARTING_SLOT = 1000;
/** Accounts asked for once more because of their owner's turn, in requests. */
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
  // A pass looks twice: once above finality for what is shown, once at finality for what is credited.
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
