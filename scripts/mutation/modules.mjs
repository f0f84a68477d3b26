// The modules under mutation testing: the files that Stryker mutates, and the tests that judge the mutants. None of
// these tests needs a database, so that a mutant takes a fraction of a second.

/**
 * @typedef {object} Module
 * @property {string[]} mutate
 * @property {string[]} tests the first ones run first
 */

/** @type {Readonly<Record<string, Module>>} */
export const MODULES = {
  money: {
    mutate: ['lib/money/{amounts,currencies}.ts', 'lib/money/rates/{quote,ratio,sanity-band,sources}.ts'],
    tests: ['lib/money/*.test.ts', 'lib/money/rates/{quote,ratio,sanity-band,sources}.test.ts'],
  },
  providers: {
    mutate: ['lib/money/rates/providers/*.ts', '!lib/money/rates/providers/*.test.ts'],
    tests: ['lib/money/rates/providers/*.test.ts'],
  },
  judge: {
    mutate: ['lib/payments/sessions/settle/{judge,exceptions,verdict}.ts'],
    tests: ['lib/payments/sessions/settle/{judge,exceptions,verdict}.test.ts'],
  },
  refunds: {
    mutate: ['lib/refunds/request/{intent,rules,schema,shares,tokens}.ts', 'lib/refunds/sending/plan.ts'],
    tests: ['lib/refunds/request/{intent,rules,schema,shares,tokens}.test.ts', 'lib/refunds/sending/plan.test.ts'],
  },
  ledger: {
    mutate: [
      'lib/ledger/{postings,sources}.ts',
      'lib/ledger/reconciliation/{judge-wallet,unread-dust}.ts',
      'lib/ledger/reconciliation/balances/proof-limiter.ts',
    ],
    tests: [
      'lib/ledger/{postings,sources,sources-order}.test.ts',
      'lib/ledger/reconciliation/{judge-wallet,unread-dust}.test.ts',
      'lib/ledger/reconciliation/balances/proof-limiter.test.ts',
    ],
  },
  signature: {
    mutate: [
      'lib/merchants/api-keys/{message-signature,request-signature,structured-fields}.ts',
      'lib/platform/crypto.ts',
      'lib/webhooks/events/message.ts',
    ],
    tests: [
      'lib/merchants/api-keys/{message-signature,request-signature,structured-fields}.test.ts',
      'lib/platform/crypto.test.ts',
      'lib/webhooks/events/message.test.ts',
    ],
  },
  package: {
    mutate: ['packages/sdk/src/{message-signature,signature,verify-webhook}.ts'],
    tests: ['packages/sdk/src/{message-signature,signature,verify-webhook}.test.ts'],
  },
  json: {
    mutate: ['lib/platform/json/{json,json-text}.ts'],
    tests: [
      'lib/platform/json/json-errors.test.ts',
      'lib/platform/json/json-text.test.ts',
      'lib/platform/json/json.test.ts',
    ],
  },
  'address-guard': {
    mutate: ['lib/webhooks/delivery/{address-guard,resolve}.ts'],
    tests: ['lib/webhooks/delivery/{address-guard,resolve}.test.ts'],
  },
  signer: {
    mutate: ['lib/signer/{attempt-rules,limits,policy}.ts', 'lib/signer/approvals/rules.ts'],
    tests: ['lib/signer/{allow,attempt-rules,limits}.test.ts', 'lib/signer/approvals/rules.test.ts'],
  },
  'signer-drafts': {
    mutate: ['lib/signer/draft-rules.ts'],
    tests: ['lib/signer/draft-rules.test.ts', 'lib/signer/refusals*.test.ts'],
  },
  sweeps: {
    mutate: [
      'lib/sweeps/rules.ts',
      'lib/signer/sweeps/{fees,order-fields,orders,policy}.ts',
      'lib/signer/sweeps/{solana,tron}/orders.ts',
    ],
    tests: [
      'lib/sweeps/rules-of-networks.test.ts',
      'lib/sweeps/rules.test.ts',
      'lib/signer/sweeps/orders.test.ts',
      'lib/signer/sweeps/policy.test.ts',
      'lib/signer/sweeps/fees.test.ts',
    ],
  },
  access: {
    mutate: ['lib/merchants/members/roles.ts', 'lib/dashboard/authorize.ts', 'lib/merchants/api-keys/authenticate.ts'],
    tests: [
      'lib/merchants/members/roles.test.ts',
      'lib/dashboard/authorize.test.ts',
      'lib/merchants/api-keys/authenticate.test.ts',
    ],
  },
  'rate-limits': {
    mutate: ['lib/platform/rate-limit/{address-group,token-bucket}.ts', 'lib/api/limits/{admission,limits}.ts'],
    tests: [
      'lib/platform/rate-limit/{address-group,token-bucket}.test.ts',
      'lib/api/limits/{admission,limits-alone}.test.ts',
    ],
  },
  settle: {
    mutate: ['lib/payments/sessions/settle/{load,open-exceptions,optional-events,settle}.ts'],
    tests: ['lib/payments/sessions/settle/{effects,optional-causes}.test.ts'],
  },
  'ledger-entries': {
    mutate: ['lib/ledger/{balances,post,post-cost,post-outflow,post-refund}.ts'],
    tests: ['lib/ledger/{entries,read-balances}.test.ts'],
  },
  destination: {
    mutate: ['lib/refunds/destination/{destination,exchange,payer,payer-bound,payer-parts,payers}.ts'],
    tests: ['lib/refunds/destination/{decision,payer-rows}.test.ts'],
  },
};
