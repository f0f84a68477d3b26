// Bytes of each table and of its indexes, and what ten million sessions would take.

/** Sessions and bytes of the goal. */
const GOAL = { sessions: 10_000_000, gigabytes: 35 };
/** Smaller tables are summed. */
const LEAST_BYTES_A_SESSION = 5;

/** The goal, as `judge` wants it. Whatever does not grow with the sessions is subtracted: `base` is the size of a database with a few of them. */
export async function printSizes(client, sessions, base) {
  const { rows } = await client.query(
    `SELECT c.relname AS name, pg_table_size(c.oid)::float8 AS heap, pg_indexes_size(c.oid)::float8 AS indexes, c.reltuples AS rows
     FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY pg_total_relation_size(c.oid) DESC`,
  );
  const line = (name, ...columns) =>
    console.log(`${name.padEnd(28)}${columns.map((one) => String(one).padStart(12)).join('')}`);
  console.log('');
  line('bytes a session', 'rows', 'table', 'indexes', 'both');
  const others = { heap: 0, indexes: 0 };
  for (const { name, heap, indexes, rows: count } of rows) {
    if ((heap + indexes) / sessions < LEAST_BYTES_A_SESSION) {
      others.heap += heap;
      others.indexes += indexes;
    } else line(name, (count / sessions).toFixed(2), ...columnsOf(heap, indexes, sessions));
  }
  line('others', '', ...columnsOf(others.heap, others.indexes, sessions));
  const sum = (part) => rows.reduce((total, one) => total + one[part], 0);
  line('all', '', ...columnsOf(sum('heap'), sum('indexes'), sessions));
  const { rows: sizes } = await client.query('SELECT pg_database_size(current_database())::float8 AS bytes');
  const each = (sizes[0].bytes - base.bytes) / (sessions - base.sessions);
  const gigabytes = (each * GOAL.sessions) / 1e9;
  return {
    what: `${each.toFixed(0)} bytes a session × ${GOAL.sessions.toLocaleString('en-US')}, GB`,
    value: gigabytes.toFixed(1),
    target: `at most ${GOAL.gigabytes}`,
    met: gigabytes <= GOAL.gigabytes,
  };
}

const columnsOf = (heap, indexes, sessions) =>
  [heap, indexes, heap + indexes].map((one) => (one / sessions).toFixed(0));
