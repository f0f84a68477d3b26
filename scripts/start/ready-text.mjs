// What `npm start` prints when everything is up.

/**
 * The line `ready ADDRESS`, and below it where to go. `accounts` are the demo accounts, or null without a sandbox.
 * @param {string} publicUrl
 * @param {{ operator: { email: string, password: string }, merchants: { email: string, password: string }[] } | null} accounts
 */
export function readyText(publicUrl, accounts) {
  const places = [...(accounts ? [['shop', `${publicUrl}/shop`]] : []), ['documentation', `${publicUrl}/docs`]];
  const people = accounts
    ? [['operator', accounts.operator], ...accounts.merchants.map((one) => ['merchant', one])]
    : [];
  const rows = [...places, ...people.map(([role, { email, password }]) => [role, `${email}  password ${password}`])];
  return [`ready ${publicUrl}`, '', ...rows.map(([name, what]) => `  ${name.padEnd(15)}${what}`), ''].join('\n');
}
