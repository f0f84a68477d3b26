// What the statements of a migration do to a running service: which lock they take on which table, what they read or write
// meanwhile, and whether processes of the former version still work afterwards. PostgreSQL's own parser reads them.

import { parse } from 'libpg-query';

/** What a statement does under its lock. `rows` writes some rows, `code` runs code that is not looked into. */
export const WORK = ['none', 'rows', 'code', 'scan', 'index', 'rewrite'];

/** Functions whose value is the same for all rows of a statement, so that a default of them needs no rewrite of the table. */
const STABLE_FUNCTIONS = new Set(['now', 'statement_timestamp', 'transaction_timestamp']);

const EXCLUSIVE = 'ACCESS EXCLUSIVE';
const NOTHING = { lock: null, work: 'none', isOnline: true, breaks: null };
/** A statement that is not known may lock and read anything. */
const UNKNOWN = { lock: EXCLUSIVE, work: 'code', isOnline: false };
const harmless = () => [{}];

/**
 * @typedef {{
 *   text: string,
 *   table: string | null,
 *   lock: string | null,
 *   work: 'none' | 'rows' | 'code' | 'scan' | 'index' | 'rewrite',
 *   isOnline: boolean,
 *   breaks: string | null,
 * }} Effect `isOnline`: reads and writes of the table go on meanwhile, but for a moment. `breaks`: why processes of the former version
 * may fail afterwards.
 */

/**
 * The effects of all statements, in their order. Those on tables that the same text creates have none.
 * @param {string} sql
 * @param {Set<string>} created tables that are new, and empty, and their indexes; those of this text are added
 * @returns {Promise<Effect[]>}
 */
export async function effectsOf(sql, created = new Set()) {
  const bytes = Buffer.from(sql);
  const { stmts = [] } = await parse(sql);
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    const text = oneLine(bytes.subarray(start, length === undefined ? undefined : start + length).toString());
    const [kind] = Object.keys(stmt);
    const found = (READERS[kind] ?? (() => [UNKNOWN]))(stmt[kind], created);
    return found.map((one) => {
      if (one.creates) created.add(one.creates);
      const table = one.table ?? null;
      const { creates: _, ...effect } = { ...NOTHING, ...one, text, table };
      return table !== null && created.has(table) ? { ...effect, ...NOTHING } : effect;
    });
  });
}

/** Statements that neither lock a table for long nor touch its rows. */
const HARMLESS_STATEMENTS = [
  ...['CreateFunctionStmt', 'AlterFunctionStmt', 'CreateEnumStmt', 'CreateSchemaStmt', 'CreateSeqStmt', 'DefineStmt'],
  ...['CompositeTypeStmt', 'CreateDomainStmt', 'CreateExtensionStmt', 'ViewStmt', 'GrantStmt', 'CommentStmt'],
  ...['AlterOwnerStmt', 'AlterDefaultPrivilegesStmt', 'VariableSetStmt'],
];
const HARMLESS_TO_DROP = new Set([
  ...['OBJECT_FUNCTION', 'OBJECT_PROCEDURE', 'OBJECT_AGGREGATE', 'OBJECT_OPERATOR', 'OBJECT_TYPE', 'OBJECT_DOMAIN'],
  ...['OBJECT_SEQUENCE', 'OBJECT_EXTENSION'],
]);
/** Parts of ALTER TABLE that only change the catalogue. */
const HARMLESS_PARTS = new Set([
  ...[
    'AT_DropConstraint',
    'AT_ColumnDefault',
    'AT_DropNotNull',
    'AT_SetStorage',
    'AT_SetCompression',
    'AT_ChangeOwner',
  ],
  ...['AT_EnableTrig', 'AT_EnableAlwaysTrig', 'AT_EnableReplicaTrig', 'AT_EnableTrigAll', 'AT_EnableTrigUser'],
  ...['AT_DisableTrig', 'AT_DisableTrigAll', 'AT_DisableTrigUser', 'AT_ReplicaIdentity', 'AT_AlterConstraint'],
  ...['AT_EnableRowSecurity', 'AT_DisableRowSecurity', 'AT_ForceRowSecurity', 'AT_NoForceRowSecurity'],
]);
const REWRITES = new Set(['AT_SetLogged', 'AT_SetUnLogged', 'AT_SetTableSpace', 'AT_SetAccessMethod']);

const READERS = {
  ...Object.fromEntries(HARMLESS_STATEMENTS.map((kind) => [kind, harmless])),
  // One that exists already keeps its rows. Triggers of a foreign key are created on the table that it names.
  CreateStmt: ({ relation, if_not_exists: mayExist, tableElts }) => [
    mayExist ? { table: relation.relname } : { creates: relation.relname },
    ...referencedBy(tableElts).map((table) => ({ table, lock: 'SHARE ROW EXCLUSIVE' })),
  ],
  CreateTableAsStmt: ({ into, query, if_not_exists: mayExist }) => [
    mayExist ? { table: into.rel.relname, work: 'rows', isOnline: false } : { creates: into.rel.relname },
    ...sourcesOf(query).map((table) => ({ table, lock: 'ACCESS SHARE', work: 'rows' })),
  ],
  IndexStmt: ({ relation, idxname, concurrent }, created) => [
    {
      table: relation.relname,
      creates: created.has(relation.relname) ? idxname : undefined,
      work: 'index',
      ...(concurrent ? { lock: 'SHARE UPDATE EXCLUSIVE' } : { lock: 'SHARE', isOnline: false }),
    },
  ],
  AlterTableStmt: ({ relation, cmds, objtype }) => {
    if (objtype !== 'OBJECT_TABLE') return [UNKNOWN];
    const parts = cmds.map(({ AlterTableCmd: part }) => ({ lock: EXCLUSIVE, ...alteration(part) }));
    // The strictest lock that a part needs is taken before the first part.
    const isExclusive = parts.some(({ lock }) => lock === EXCLUSIVE);
    const own = parts.map((one) => (isExclusive && one.work ? { ...one, lock: EXCLUSIVE, isOnline: false } : one));
    return [
      ...own.map((one) => ({ ...one, table: relation.relname })),
      ...referencedBy(cmds).map((table) => ({ table, lock: 'SHARE ROW EXCLUSIVE' })),
    ];
  },
  RenameStmt: ({ renameType, relation, subname, newname }) => {
    const isSeen = renameType === 'OBJECT_COLUMN' || renameType === 'OBJECT_TABLE';
    return [
      {
        table: relation?.relname,
        lock: relation === undefined ? null : renameType === 'OBJECT_INDEX' ? 'SHARE UPDATE EXCLUSIVE' : EXCLUSIVE,
        breaks: isSeen ? `${subname ?? relation.relname} has the new name ${newname}` : null,
      },
    ];
  },
  DropStmt: ({ removeType, objects, concurrent }, created) => {
    const names = objects.map(nameOf);
    if (removeType === 'OBJECT_TABLE')
      return names.map((table) => ({ table, lock: EXCLUSIVE, breaks: `the table ${table} is gone` }));
    if (removeType === 'OBJECT_TRIGGER')
      return objects.map(({ List }) => ({ table: List.items.at(-2).String.sval, lock: EXCLUSIVE }));
    if (HARMLESS_TO_DROP.has(removeType)) return [{}];
    if (removeType === 'OBJECT_INDEX')
      return names.map((name) => (created.has(name) ? {} : droppedIndex(name, concurrent)));
    if (removeType === 'OBJECT_VIEW') return [{ lock: EXCLUSIVE }];
    return [UNKNOWN];
  },
  CreateTrigStmt: ({ relation }) => [{ table: relation.relname, lock: 'SHARE ROW EXCLUSIVE' }],
  AlterEnumStmt: ({ oldVal }) => [{ breaks: oldVal ? `the value ${oldVal} has a new name` : null }],
  UpdateStmt: ({ relation }) => [{ table: relation.relname, lock: 'ROW EXCLUSIVE', work: 'rows', isOnline: false }],
  DeleteStmt: ({ relation }) => [{ table: relation.relname, lock: 'ROW EXCLUSIVE', work: 'rows', isOnline: false }],
  // The rows that a file lists are few; those of another table may be many, whatever the size of this one.
  InsertStmt: ({ relation, selectStmt: query }, created) => {
    const insert = { table: relation.relname, lock: 'ROW EXCLUSIVE' };
    const sources = sourcesOf(query);
    const isListed = query === undefined || query.SelectStmt.valuesLists !== undefined;
    if (isListed && sources.length === 0) return [insert];
    const isOnline = created.has(relation.relname);
    return [
      { ...insert, work: 'rows', isOnline },
      ...sources.map((table) => ({ table, lock: 'ACCESS SHARE', work: 'rows', isOnline })),
    ];
  },
  LockStmt: ({ relations }) =>
    relations.map(({ RangeVar }) => ({ table: RangeVar.relname, lock: EXCLUSIVE, isOnline: false })),
  DoStmt: () => [{ work: 'code', isOnline: false }],
  SelectStmt: () => [{ work: 'code', isOnline: false }],
  TruncateStmt: ({ relations }) =>
    relations.map(({ RangeVar }) => ({
      ...UNKNOWN,
      table: RangeVar.relname,
      breaks: `the rows of ${RangeVar.relname} are gone`,
    })),
};

/** The statement does not name the table that it locks. Statements of the former version may need the index, as ON CONFLICT does. */
const droppedIndex = (name, isConcurrent) => ({
  ...(isConcurrent ? { lock: 'SHARE UPDATE EXCLUSIVE' } : UNKNOWN),
  breaks: `the index ${name} is gone`,
});

/** One part of ALTER TABLE. Under ACCESS EXCLUSIVE no other statement uses the table, so what takes long is not online. */
function alteration({ subtype, name, def }) {
  const scanned = { work: 'scan', isOnline: false };
  switch (subtype) {
    case 'AT_AddColumn':
      return addedColumn(def.ColumnDef);
    case 'AT_AddConstraint':
      return addedConstraint(def.Constraint);
    case 'AT_ValidateConstraint':
      return { lock: 'SHARE UPDATE EXCLUSIVE', work: 'scan' };
    case 'AT_SetNotNull':
      return { ...scanned, breaks: `${name} must have a value` };
    case 'AT_AlterColumnType':
      return { work: 'rewrite', isOnline: false, breaks: `${name} has another type` };
    case 'AT_DropColumn':
      return { breaks: `the column ${name} is gone` };
    case 'AT_SetRelOptions':
    case 'AT_SetStatistics':
      return { lock: 'SHARE UPDATE EXCLUSIVE' };
    default:
      if (REWRITES.has(subtype)) return { work: 'rewrite', isOnline: false };
      return HARMLESS_PARTS.has(subtype) ? {} : UNKNOWN;
  }
}

function addedColumn({ colname, constraints = [] }) {
  const all = constraints.map(({ Constraint }) => Constraint);
  const has = (type) => all.find(({ contype }) => contype === type);
  const value = has('CONSTR_DEFAULT')?.raw_expr;
  const isRewritten = has('CONSTR_GENERATED') || has('CONSTR_IDENTITY') || (value && !isStable(value));
  if (isRewritten) return { work: 'rewrite', isOnline: false };
  if (has('CONSTR_UNIQUE') || has('CONSTR_PRIMARY')) return { work: 'index', isOnline: false };
  // PostgreSQL refuses it on a table with rows.
  if (has('CONSTR_NOTNULL') && !value) return { breaks: `the new column ${colname} must have a value` };
  return has('CONSTR_CHECK') || has('CONSTR_FOREIGN') ? { work: 'scan', isOnline: false } : {};
}

function addedConstraint({ contype, skip_validation: isUnchecked, indexname }) {
  if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY' || contype === 'CONSTR_EXCLUSION')
    return indexname ? {} : { work: 'index', isOnline: false };
  const lock = contype === 'CONSTR_FOREIGN' ? 'SHARE ROW EXCLUSIVE' : EXCLUSIVE;
  // Whether the former version can write what the constraint refuses is for its author to know.
  return isUnchecked ? { lock } : { lock, work: 'scan', isOnline: false };
}

/** Whether a default has one value for all rows that exist. */
function isStable(expression) {
  const [kind] = Object.keys(expression);
  if (kind === 'TypeCast') return isStable(expression.TypeCast.arg);
  if (kind === 'FuncCall') return STABLE_FUNCTIONS.has(expression.FuncCall.funcname.at(-1).String.sval);
  return kind === 'A_Const' || kind === 'SQLValueFunction' || kind === 'A_ArrayExpr';
}

/** All objects of a kind that a parsed statement contains at any depth. */
function within(node, kind) {
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]) => [...(key === kind ? [value] : []), ...within(value, kind)]);
}
const namesOf = (tables) => [...new Set(tables.map(({ relname }) => relname))];
const sourcesOf = (query) => namesOf(within(query, 'RangeVar'));
const referencedBy = (parts) => namesOf(within(parts, 'pktable'));

const nameOf = (object) => object.List?.items.at(-1).String.sval ?? object.TypeName?.names.at(-1).String.sval ?? '';

const oneLine = (text) =>
  text
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
