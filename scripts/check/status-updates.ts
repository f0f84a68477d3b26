// Finds statements that change a status without its table of moves. The trigger of the table refuses a wrong change when it happens;
// this finds the statement before.

/** The tables with a state machine, and the modules of the functions that make all moves of one. */
export const MOVING_TABLES: Readonly<Record<string, RegExp | null>> = {
  sessions: /^lib\/payments\/sessions\/states\.ts$/,
  refunds: /^lib\/refunds\/states\.ts$/,
  payouts: /^lib\/refunds\/states\.ts$/,
  cold_transfers: /^lib\/refunds\/states\.ts$/,
  refund_attempts: /^lib\/refunds\/states\.ts$/,
  payment_exceptions: /^lib\/payments\/exceptions\/states\.ts$/,
  stores: /^lib\/merchants\/stores\/states\.ts$/,
  // Their moves are parts of larger statements.
  deliveries: null,
  balance_checks: null,
};
const NAMES = Object.keys(MOVING_TABLES).join('|');

/** Product code: neither tests nor the programs that measure or break an installation. */
const PRODUCT = /^(lib|app|components|packages|sandbox|scripts)\/|^[a-z-]+\.ts$/;
const SURROUNDINGS = /\.test\.m?tsx?$|^scripts\/(bench|crash|fuzz|check|test)\//;
export const isProduct = (path: string): boolean => PRODUCT.test(path) && !SURROUNDINGS.test(path);

/** The head of an update, or of an insertion that may become one on a conflict. */
const HEAD = new RegExp(`\\b(?:UPDATE|INSERT INTO)\\s+"?(${NAMES})"?\\b`, 'g');
/** Where a statement ends: with its text, or where the next statement of a WITH begins. */
const END = /`|\b(?:UPDATE|INSERT INTO)\s+(?!SET\b)/;
/** A status set to anything but the SQL of a move (lib/platform/database/moves.ts), as `${SENT.to}`. */
const RAW = /(?:\bSET\s+|,\s*)"?(?:status|state)"?\s*=(?!\s*\$\{[^}]*\bto\})/;
/** Prisma's updates of these tables, by the names of its models. */
const PRISMA = /\.(session|refund|refundAttempt|paymentException|store|delivery|balanceCheck)\.(?:update\w*|upsert)\(/g;
const TABLE_OF: Readonly<Record<string, string>> = {
  session: 'sessions',
  refund: 'refunds',
  refundAttempt: 'refund_attempts',
  paymentException: 'payment_exceptions',
  store: 'stores',
  delivery: 'deliveries',
  balanceCheck: 'balance_checks',
};
/** A status among what is written. */
const PRISMA_DATA = /\b(?:data|update):\s*\{(?:[^{}]|\{[^{}]*\})*?\b(?:status|state)\b/;

/** One sentence for each raw update of a status in a product file. Pure. */
export function rawStatusUpdates(path: string, text: string): string[] {
  if (!isProduct(path)) return [];
  const found: string[] = [];
  const report = (at: number, table: string) =>
    found.push(`${path}:${text.slice(0, at).split('\n').length} changes the status of ${table} without a move`);
  for (const match of text.matchAll(HEAD)) {
    const [head, table = ''] = match;
    const rest = text.slice(match.index + head.length);
    const end = rest.search(END);
    const statement = end === -1 ? rest : rest.slice(0, end);
    if (RAW.test(statement) && !MOVING_TABLES[table]?.test(path)) report(match.index, table);
  }
  for (const match of text.matchAll(PRISMA)) {
    const [head, model = ''] = match;
    const table = TABLE_OF[model] ?? model;
    const call = callText(text, match.index + head.length);
    if (PRISMA_DATA.test(call) && !MOVING_TABLES[table]?.test(path)) report(match.index, table);
  }
  return found;
}

/** The arguments of a call whose parenthesis has just opened. */
function callText(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return text.slice(from, at);
}
