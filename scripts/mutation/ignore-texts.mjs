// Tells Stryker which texts not to mutate, because no unit test should judge them: messages for people, and SQL statements with their
// names. Codes, keys, lists and patterns stay. Stryker reports these mutants as ignored, with the reason, and counts them nowhere.

/** Which argument of these constructors is a message. */
const MESSAGE_ARGUMENT = {
  Error: 0,
  TypeError: 0,
  RangeError: 0,
  BadDraft: 0,
  InvalidResponse: 0,
  JsonError: 0,
  PrivateAddress: 0,
  UnsafeAddress: 0,
  ChainError: 1,
  Refusal: 1,
};
/** Functions and methods whose texts with spaces are messages. */
const MESSAGE_CALLS = new Set(['fail', 'refusal', 'hold', 'info', 'warn', 'error']);
/** Properties and variables that hold a message. */
const MESSAGE_NAMES = new Set(['message', 'objection', 'why', 'what']);
const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CASE WHEN|EXISTS|coalesce|ARRAY)\b/;

/** @type {readonly { kind: 'Ignore', name: string, value: { shouldIgnore(path: any): string | undefined } }[]} */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'texts',
    value: {
      shouldIgnore(path) {
        // A function that only returns a part of a statement is a text, too.
        const text = textOf(path.node.type === 'ArrowFunctionExpression' ? path.node.body : path.node);
        if (text === null) return undefined;
        if (SQL.test(text) || isStatementName(path)) return 'the text of an SQL statement';
        return text.includes(' ') && isMessage(path) ? 'the text of a message' : undefined;
      },
    },
  },
];

/** The fixed parts of a text; null for a node of another kind. */
function textOf(node) {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.raw).join('…');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null || right === null ? null : left + right;
}

/** `name` of an object that also has the `text` of a statement. */
function isStatementName({ key, parentPath }) {
  if (key !== 'value' || parentPath.node.type !== 'ObjectProperty' || nameOf(parentPath.node.key) !== 'name')
    return false;
  return parentPath.parent.properties.some((one) => nameOf(one.key) === 'text' || one.type === 'SpreadElement');
}

/** Whether the text is written where only messages are. A choice between two messages is one, too. */
function isMessage(path) {
  const { parent, parentPath } = path;
  switch (parent.type) {
    case 'ConditionalExpression':
    case 'LogicalExpression':
      return path.key !== 'test' && path.key !== 'left' && isMessage(parentPath);
    case 'NewExpression':
      return MESSAGE_ARGUMENT[nameOf(parent.callee)] === path.key;
    case 'CallExpression':
      return MESSAGE_CALLS.has(nameOf(parent.callee.property ?? parent.callee));
    case 'ObjectProperty':
      return path.key === 'value' && MESSAGE_NAMES.has(nameOf(parent.key));
    case 'VariableDeclarator':
      return MESSAGE_NAMES.has(nameOf(parent.id));
    default:
      return false;
  }
}

const nameOf = (node) => node?.name ?? '';
