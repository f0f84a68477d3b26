// The text that `npm start` prints when everything is up.

/**
 * The line `ready ADDRESS`, and below it the next steps. `accounts` are the demo accounts, or null without a sandbox.
 * `isSetUp`: whether the set-up in the browser is open.
 * @param {string} publicUrl
 * @param {{ operator: { email: string, password: string }, merchants: { email: string, password: string }[] } | null} accounts
 * @param {boolean} [isSetUp]
 */
export function readyText(publicUrl, accounts, isSetUp = false) {
  const places = [
    ...(accounts
      ? [
          ['shop', `${publicUrl}/shop`],
          ['sign up', `${publicUrl}/signup`],
          ['mailbox', `${publicUrl}/sandbox/mail`],
          ['bad day', `${publicUrl}/sandbox`],
        ]
      : []),
    ['documentation', `${publicUrl}/docs`],
    ...(isSetUp ? [['set-up', `${publicUrl}/operator/setup, once the first operator is made`]] : []),
  ];
  const people = accounts
    ? [['operator', accounts.operator], ...accounts.merchants.map((one) => ['merchant', one])]
    : [];
  const rows = [...places, ...people.map(([role, { email, password }]) => [role, `${email}  password ${password}`])];
  return [`ready ${publicUrl}`, '', ...rows.map(([name, what]) => `  ${name.padEnd(15)}${what}`), ''].join('\n');
}
