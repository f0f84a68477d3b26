// Verifies a proof of reserves: node verify-reserves.mjs <proof.json> <reserves-keys.json>. Node 20 or later, no packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FORMAT = 'stabletill-reserves-1';
const SHARES = 4;
const PARTS = ['available', 'unresolved', 'refunds', 'payouts'];

/** Throws an Error that says what is wrong. `keys`: the public keys in PEM that you saved from /reserves-keys.json. */
export function verifyProof({ format, statement, signature, store }, keys) {
  check(format === FORMAT && statement.format === FORMAT, 'the format is not ' + FORMAT);
  const bytes = Buffer.from(JSON.stringify(statement));
  const value = Buffer.from(signature.value, 'base64');
  check(
    keys.some((pem) => verify(null, bytes, createPublicKey(pem), value)),
    'the statement is not signed by a key that you know',
  );
  const tokens = statement.networks.flatMap(({ network, block, unread, tokens: own }) =>
    own.map((token) => ({ network, block, unread, ...token, own: 0n })),
  );
  const names = tokens.map(({ network, currency }) => currency + ' on ' + network);
  check(new Set(names).size === names.length, 'a token is twice in the statement');
  for (const { held } of tokens.filter((token) => token.held !== null)) {
    const places = [held.deposits, held.refund_wallet, held.treasury ?? '0', held.cold ?? '0'];
    check(places.reduce((sum, place) => sum + BigInt(place), 0n) === BigInt(held.total), 'a total is not its sum');
  }
  const seen = new Set();
  for (const balance of store.balances) {
    const name = balance.currency + ' on ' + balance.network;
    const token = tokens.find(({ network, currency }) => network === balance.network && currency === balance.currency);
    check(token !== undefined && !seen.has(name), name + ' is not in the statement, or twice in your part');
    seen.add(name);
    const parts = PARTS.map((part) => amountOf(balance[part]));
    token.own = parts.reduce((sum, part) => sum + part);
    check(balance.shares.length === SHARES, name + ' does not have ' + SHARES + ' shares');
    check(new Set(balance.shares.map(({ index }) => index)).size === SHARES, name + ' has one share twice');
    const shares = balance.shares.map(({ amount }) => amountOf(amount));
    check(shares.reduce((sum, share) => sum + share) === token.own, name + ': the shares are not your balance');
    balance.shares.forEach(({ index, path }, share) => {
      const text = [FORMAT, statement.environment, balance.network, balance.currency, store.id];
      const leaf = [...text, ...parts.map(String), String(share), String(shares[share])];
      check(
        path.length === token.depth && index >= 0 && index < 2 ** token.depth,
        name + ': a path has another length',
      );
      let node = sha256(Buffer.of(0), Buffer.from(balance.salt, 'hex'), Buffer.from(JSON.stringify(leaf)));
      let sum = shares[share];
      path.forEach((sibling, level) => {
        const own = [node, sumBytes(sum)];
        const other = [Buffer.from(sibling.hash, 'hex'), sumBytes(amountOf(sibling.sum))];
        const isRight = Math.floor(index / 2 ** level) % 2 === 1;
        node = sha256(Buffer.of(1), ...(isRight ? [...other, ...own] : [...own, ...other]));
        sum += amountOf(sibling.sum);
      });
      check(node.toString('hex') === token.root, name + ': your balance is not in the tree');
      check(sum === BigInt(token.owed), name + ': the sum of the tree is not what is owed');
    });
  }
  // The first proofs had no addresses.
  const wallets = statement.networks.flatMap(({ network, wallets: own = [] }) =>
    own.map((one) => ({ network, ...one })),
  );
  return { madeAt: statement.made_at, environment: statement.environment, storeId: store.id, tokens, wallets };
}

function check(isRight, problem) {
  if (!isRight) throw new Error(problem);
}

/** A negative amount would hide that the others are larger. */
function amountOf(text) {
  check(/^(0|[1-9][0-9]{0,76})$/.test(text), 'an amount is not a whole number from zero');
  return BigInt(text);
}

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const sumBytes = (sum) => Buffer.from(sum.toString(16).padStart(64, '0'), 'hex');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [proof, keys] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const { madeAt, environment, storeId, tokens, wallets } = verifyProof(
    proof,
    keys.keys.map(({ pem }) => pem),
  );
  console.log(`Valid: ${storeId}, ${environment}, ${madeAt}`);
  for (const { network, currency, block, unread, owed, own, held } of tokens) {
    const chain = held ? `held ${held.total} at block ${block.number} ${block.hash}` : `not read: ${unread}`;
    console.log(`${currency} on ${network}: yours ${own}, owed to all ${owed}, ${chain}`);
  }
  for (const { network, place, address } of wallets) console.log(`${place} on ${network}: ${address}`);
}
