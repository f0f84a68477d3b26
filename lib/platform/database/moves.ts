// The SQL of status changes. A state machine is a table of moves. An update names its move, and takes the new status and the statuses
// that it may start from out of the table. A trigger refuses every other change (migration status_moves).

/** A status column with the moves that change it. Moves to the status that a row has already change its other columns only. */
export type Machine<Move extends string> = {
  /** As SQL, with the alias of the table when the statement has one. */
  readonly column: string;
  /** The column's enum in the database. */
  readonly type: string;
  readonly moves: Readonly<Record<Move, { readonly from: readonly string[]; readonly to: string }>>;
};

/** One move, or alternatives with SQL conditions: a row makes the first move whose condition it meets and that starts from its status. */
export type Choice<Move extends string> = Move | Partial<Readonly<Record<Move, string>>>;

/**
 * SQL of an update that makes a move: `to` is the new status, and `isFrom` says whether a row is in a status that the move starts from.
 * A row without such a move gets the status NULL, which the database refuses together with the whole statement.
 */
export function moveSql<Move extends string>(
  { column, type, moves }: Machine<Move>,
  choice: Choice<Move>,
): { readonly to: string; readonly isFrom: string } {
  if (typeof choice === 'string') {
    const { from, to } = moves[choice];
    return { to: `'${to}'::"${type}"`, isFrom: isOneOf(column, from) };
  }
  const arms = (Object.entries(choice) as [Move, string][]).map(([move, condition]) => ({ ...moves[move], condition }));
  const cases = arms.map(({ from, to, condition }) => `WHEN (${condition}) AND ${isOneOf(column, from)} THEN '${to}'`);
  return {
    to: `CASE ${cases.join(' ')} END::"${type}"`,
    isFrom: isOneOf(column, [...new Set(arms.flatMap(({ from }) => from))]),
  };
}

const isOneOf = (column: string, statuses: readonly string[]): string =>
  `${column} IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
