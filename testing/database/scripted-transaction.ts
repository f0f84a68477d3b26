// A transaction without a database, for tests of what a module makes of rows and of which values it writes. It answers each named statement
// with given rows and records what was run. The statements themselves are tested on PostgreSQL.

import type { Tx } from '@/lib/platform/database/db';

type Rows = readonly object[];
/** Rows, or the number of changed rows, or an error that the statement fails with. */
export type Answer = Rows | number | Error | ((values: readonly unknown[]) => Rows | number);

type Statement = { readonly name: string; readonly values: readonly unknown[] };

/** A statement without an answer fails, so that a test names everything that a module runs. */
export function scriptedTransaction(answers: Readonly<Record<string, Answer>> = {}) {
  const statements: Statement[] = [];
  const query = async (statement: string | { name?: string; text: string; values?: unknown[] }, values?: unknown[]) => {
    const { name = '', text, values: own = [] } = typeof statement === 'string' ? { text: statement } : statement;
    const given: Statement = { name: name || text, values: values ?? own };
    statements.push(given);
    const answer = answers[given.name];
    if (answer === undefined) throw new Error(`no answer for the statement ${given.name}`);
    if (answer instanceof Error) throw answer;
    const found = typeof answer === 'function' ? answer(given.values) : answer;
    return typeof found === 'number' ? { rows: [], rowCount: found } : { rows: found, rowCount: found.length };
  };
  return {
    tx: { query, inTransaction: true } as unknown as Tx,
    /** The names of the statements in the order in which they ran. */
    names: () => statements.map(({ name }) => name),
    /** The values of each run of a statement. */
    valuesOf: (name: string) => statements.filter((one) => one.name === name).map(({ values }) => values),
  };
}
